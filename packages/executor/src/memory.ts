import {
  type BufferSpec,
  bufferBytes,
  type Dtype,
  Fault,
  flatSteps,
  type Plan,
  type PortData,
  portOf,
  uniformBuffers,
} from "@tunelab/contract";
import { isScratch, isSliced, type Piece } from "./cut.ts";
import { MAP_READ, USAGE } from "./flags.ts";
import type { Lifeline } from "./lifeline.ts";
import { scoped } from "./scopes.ts";
import type { BoundPorts } from "./types.ts";

/** What out ports hold before a run: a quiet NaN as f32, an impossible index as u32. */
export const POISON_WORD = 0x7fc0_dead;

/** Read-back goes through a staging buffer of at most this many bytes, so that reading 1 GiB does not take 2. */
const STAGING_BYTES = 64 * 2 ** 20;
/** Poison is spread by copies of one block of this size. */
const POISON_BYTES = 2 ** 20;

export type Words = PortData[string];

export function isBuffer(value: BoundPorts[string]): value is GPUBuffer {
  return !ArrayBuffer.isView(value);
}

/** A piece's range of a buffer, in bytes: all of a fixed one, the items of the piece of another. */
export function rangeOf(
  buffer: BufferSpec,
  piece: Piece,
): { readonly offset: number; readonly size: number } {
  const size = bufferBytes(buffer, piece.items);
  return { offset: isSliced(buffer) ? buffer.itemBytes * piece.first : 0, size };
}

/** The device buffers of one instance. What is synchronous here runs in the caller's error scope. */
export class Memory {
  readonly #device: GPUDevice;
  readonly #plan: Plan;
  readonly #buffers = new Map<string, GPUBuffer>();
  readonly #pristine = new Map<string, GPUBuffer>();
  readonly #owned = new Set<GPUBuffer>();
  readonly #specs: ReadonlyMap<string, BufferSpec>;
  readonly #indirect: ReadonlySet<string>;
  readonly #uniform: ReadonlySet<string>;
  /** Items that the piece-sized scratch buffers hold. */
  #scratchItems = 0;

  constructor(device: GPUDevice, plan: Plan, ports: BoundPorts) {
    this.#device = device;
    this.#plan = plan;
    this.#specs = new Map(plan.buffers.map((buffer) => [buffer.name, buffer]));
    const indirect = [...flatSteps(plan.steps)].filter((step) => step.kind === "indirect");
    this.#indirect = new Set(indirect.map((step) => step.arguments.buffer));
    this.#uniform = uniformBuffers(plan);
    for (const spec of plan.buffers) {
      const bound = ports[portOf(spec) ?? ""];
      if (bound && isBuffer(bound)) this.#buffers.set(spec.name, bound);
      else if (!isScratch(spec) || spec.fixedBytes > 0) this.#allocate(spec, plan.batch.items);
      if (spec.data)
        this.#device.queue.writeBuffer(this.get(spec.name), 0, spec.data as Float32Array<ArrayBuffer>);
      if (spec.role === "inout" && !(bound && isBuffer(bound))) {
        this.#pristine.set(
          spec.name,
          this.create(`${spec.name} pristine`, bufferBytes(spec, plan.batch.items), 0),
        );
      }
    }
  }

  /** Makes piece-sized scratch hold `items`; true when buffers were replaced (bind groups to them are stale). */
  ensureScratch(items: number): boolean {
    const scratch = this.#plan.buffers.filter((spec) => isScratch(spec) && spec.itemBytes > 0);
    if (items <= this.#scratchItems || !scratch.length) return false;
    for (const spec of scratch) {
      const old = this.#buffers.get(spec.name);
      if (old) this.#free(old);
      this.#allocate(spec, items);
    }
    this.#scratchItems = items;
    return true;
  }

  #allocate(spec: BufferSpec, items: number): void {
    const usage =
      (this.#uniform.has(spec.name) ? USAGE.uniform : 0) |
      (this.#indirect.has(spec.name) ? USAGE.indirect : 0);
    this.#buffers.set(spec.name, this.create(spec.name, bufferBytes(spec, items), USAGE.storage | usage));
  }

  /** A buffer that lives as long as the instance; copying from and to it is always allowed. */
  create(label: string, size: number, usage: number): GPUBuffer {
    const buffer = this.#device.createBuffer({
      label,
      size,
      usage: usage | (usage & USAGE.mapRead ? USAGE.copyTarget : USAGE.copySource | USAGE.copyTarget),
    });
    this.#owned.add(buffer);
    return buffer;
  }

  #free(buffer: GPUBuffer): void {
    this.#owned.delete(buffer);
    buffer.destroy();
  }

  /** Frees a buffer of `create`. */
  release(buffer: GPUBuffer): void {
    this.#free(buffer);
  }

  get(name: string): GPUBuffer {
    return this.#buffers.get(name)!;
  }

  spec(name: string): BufferSpec {
    return this.#specs.get(name)!;
  }

  get restores(): boolean {
    return this.#pristine.size > 0;
  }

  /** Uploads into in and inout ports. Sizes were checked by the caller. */
  write(data: ReadonlyMap<string, Words>): void {
    for (const [name, words] of data) {
      const target = this.#pristine.get(name) ?? this.get(name);
      this.#device.queue.writeBuffer(target, 0, words as Float32Array<ArrayBuffer>);
    }
    if (!this.#pristine.size) return;
    const encoder = this.#device.createCommandEncoder();
    this.restore(encoder);
    this.#device.queue.submit([encoder.finish()]);
  }

  /** Copies every inout port back from its pristine copy. */
  restore(encoder: Pick<GPUCommandEncoder, "copyBufferToBuffer">): void {
    for (const [name, pristine] of this.#pristine) {
      encoder.copyBufferToBuffer(pristine, 0, this.get(name), 0, pristine.size);
    }
  }

  /** Fills out ports and readable intermediates with POISON_WORD. */
  poison(): void {
    const targets = this.#plan.buffers.filter(
      (spec) => spec.role === "out" || (isScratch(spec) && spec.port !== undefined),
    );
    const present = targets.filter((spec) => this.#buffers.has(spec.name));
    const largest = Math.max(0, ...present.map((spec) => this.get(spec.name).size));
    if (!largest) return;
    const block = this.create("poison", Math.min(largest, POISON_BYTES), 0);
    this.#device.queue.writeBuffer(block, 0, new Uint32Array(block.size / 4).fill(POISON_WORD));
    const encoder = this.#device.createCommandEncoder();
    for (const spec of present) {
      const target = this.get(spec.name);
      const bytes = isSliced(spec) ? bufferBytes(spec, this.#plan.batch.items) : target.size;
      for (let at = 0; at < bytes; at += block.size) {
        encoder.copyBufferToBuffer(block, 0, target, at, Math.min(block.size, bytes - at));
      }
    }
    this.#device.queue.submit([encoder.finish()]);
    this.#free(block);
  }

  /** The first `bytes` of a buffer as words of its type. */
  async read(name: string, bytes: number, lifeline: Lifeline): Promise<Words> {
    if (!(this.get(name).usage & USAGE.copySource)) {
      const port = portOf(this.spec(name));
      throw new Fault("usage", `the GPUBuffer for port ${port} lacks COPY_SRC usage: create it with it`);
    }
    const words = typed(this.spec(name).dtype, bytes);
    const target = new Uint8Array(words.buffer);
    const staging = this.create("read back", Math.min(bytes, STAGING_BYTES), USAGE.mapRead);
    try {
      for (let at = 0; at < bytes; at += staging.size) {
        const size = Math.min(staging.size, bytes - at);
        const { fault } = scoped(this.#device, `reading ${name}`, () => {
          const encoder = this.#device.createCommandEncoder();
          encoder.copyBufferToBuffer(this.get(name), at, staging, 0, size);
          this.#device.queue.submit([encoder.finish()]);
        });
        await lifeline.guard(staging.mapAsync(MAP_READ, 0, size));
        const found = await lifeline.guard(fault);
        if (found) throw found;
        target.set(new Uint8Array(staging.getMappedRange(0, size)), at);
        staging.unmap();
      }
    } finally {
      this.#free(staging);
    }
    return words;
  }

  dispose(): void {
    for (const buffer of this.#owned) buffer.destroy();
    this.#owned.clear();
    this.#buffers.clear();
    this.#pristine.clear();
  }
}

/** Names of the arrays that hold each type, the same in every realm. */
const ARRAY_OF: Readonly<Record<Dtype, string>> = {
  f32: "Float32Array",
  u32: "Uint32Array",
  i32: "Int32Array",
};

function typed(dtype: Dtype, bytes: number): Words {
  const buffer = new ArrayBuffer(bytes);
  if (dtype === "f32") return new Float32Array(buffer);
  return dtype === "u32" ? new Uint32Array(buffer) : new Int32Array(buffer);
}

/** Contents by buffer name, each checked for its port, type and size. @throws Fault `usage` naming the port. */
export function contents(plan: Plan, ports: BoundPorts): ReadonlyMap<string, Words> {
  const known = new Map(
    plan.buffers.flatMap((spec) => (portOf(spec) ? [[portOf(spec)!, spec] as const] : [])),
  );
  const found = new Map<string, Words>();
  for (const [port, value] of Object.entries(ports)) {
    const spec = known.get(port);
    if (!spec) {
      throw new Fault("usage", `unknown port ${port}: the plan has ${[...known.keys()].join(", ")}`);
    }
    const need = bufferBytes(spec, plan.batch.items);
    if (isBuffer(value)) {
      checkBorrowed(port, spec, value, need);
      const twin = Object.keys(ports).find((other) => other !== port && ports[other] === value);
      if (twin && spec.role !== "in") {
        throw new Fault("usage", `the GPUBuffer for port ${port} is that of port ${twin}: create two`);
      }
      continue;
    }
    if (spec.role !== "in" && spec.role !== "inout") {
      throw new Fault("usage", `port ${port} is an output: bind a GPUBuffer to it or leave it out`);
    }
    const type = value[Symbol.toStringTag];
    if (type !== ARRAY_OF[spec.dtype]) {
      throw new Fault("usage", `port ${port} has a ${type}, the plan needs a ${ARRAY_OF[spec.dtype]}`);
    }
    if (value.byteLength !== need) {
      throw new Fault("usage", `port ${port} has ${value.byteLength} bytes, the plan needs ${need}`);
    }
    // Node's WebGPU (Dawn, 0.6.2) ends the process when memory that threads share is uploaded.
    const shared = value.buffer[Symbol.toStringTag] === "SharedArrayBuffer";
    found.set(spec.name, shared ? value.slice() : value);
  }
  return found;
}

function checkBorrowed(port: string, spec: BufferSpec, buffer: GPUBuffer, need: number): void {
  if (isScratch(spec)) throw new Fault("usage", `port ${port} is an intermediate: it cannot be bound`);
  if (!(buffer.usage & USAGE.storage)) {
    throw new Fault("usage", `the GPUBuffer for port ${port} lacks STORAGE usage: create it with it`);
  }
  if (buffer.size < need) {
    throw new Fault(
      "usage",
      `the GPUBuffer for port ${port} has ${buffer.size} bytes, the plan needs ${need}`,
    );
  }
}
