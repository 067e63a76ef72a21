import { type Capabilities, groupCount, type Plan, type SimpleStep } from "@tunelab/contract";
import type { Piece } from "./cut.ts";
import { extentsBytes } from "./extents.ts";
import { foldGroups } from "./fold.ts";
import { type Memory, rangeOf } from "./memory.ts";
import type { PassWriter } from "./passes.ts";
import { type Kernel, kernelKey } from "./pipelines.ts";
import type { Watch } from "./watch.ts";

/** Where and for what a step is encoded. */
export interface Spot {
  readonly piece: Piece;
  readonly repeat: number;
  /** Byte offset of the extents block that holds for the step. */
  readonly extentsOffset: number;
  /** Pieces of the cut recur, so their bind groups are kept; passing ones are not. */
  readonly recurs: boolean;
}

/** Turns simple steps into commands. */
export class StepEncoder {
  readonly #device: GPUDevice;
  readonly #plan: Plan;
  readonly #kernels: ReadonlyMap<string, Kernel>;
  readonly #memory: Memory;
  readonly #limits: Capabilities["limits"];
  readonly #watch: Watch;
  #extents: GPUBuffer;
  #bindGroups = new Map<SimpleStep, Map<number, GPUBindGroup>>();

  constructor(
    device: GPUDevice,
    plan: Plan,
    kernels: ReadonlyMap<string, Kernel>,
    memory: Memory,
    limits: Capabilities["limits"],
    watch: Watch,
    extents: GPUBuffer,
  ) {
    this.#device = device;
    this.#plan = plan;
    this.#kernels = kernels;
    this.#memory = memory;
    this.#limits = limits;
    this.#watch = watch;
    this.#extents = extents;
  }

  /** Forgets bind groups: buffers or pieces have changed. */
  rebind(extents: GPUBuffer): void {
    this.#extents = extents;
    this.#bindGroups.clear();
  }

  encode(writer: PassWriter, step: SimpleStep, spot: Spot): void {
    if (step.kind === "clear") {
      const { offset, size } = rangeOf(this.#memory.spec(step.buffer), spot.piece);
      writer.command().clearBuffer(this.#memory.get(step.buffer), offset, size);
      return;
    }
    if (step.kind === "copy") {
      const from = rangeOf(this.#memory.spec(step.from.buffer), spot.piece).offset + step.from.offset;
      const to = rangeOf(this.#memory.spec(step.to.buffer), spot.piece).offset + step.to.offset;
      const bytes = step.bytes.fixed + step.bytes.perItem * spot.piece.items;
      const [source, target] = [this.#memory.get(step.from.buffer), this.#memory.get(step.to.buffer)];
      writer.command().copyBufferToBuffer(source, from, target, to, bytes);
      return;
    }
    const pass = writer.pass(step.stage, spot.repeat);
    const kernel = this.#kernels.get(kernelKey(step))!;
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, this.#bindGroup(step, kernel, spot), [spot.extentsOffset]);
    if (step.kind === "indirect") {
      pass.dispatchWorkgroupsIndirect(this.#memory.get(step.arguments.buffer), step.arguments.offset);
      return;
    }
    const count = groupCount(step.groups, spot.piece.items);
    pass.dispatchWorkgroups(...foldGroups(count, this.#limits.maxComputeWorkgroupsPerDimension));
  }

  #bindGroup(
    step: Extract<SimpleStep, { module: string }>,
    kernel: Kernel,
    { piece, recurs }: Spot,
  ): GPUBindGroup {
    const byFirst = this.#bindGroups.get(step) ?? new Map<number, GPUBindGroup>();
    this.#bindGroups.set(step, byFirst);
    const known = recurs ? byFirst.get(piece.first) : undefined;
    if (known) return known;
    const group = this.#watch.calls(() =>
      this.#device.createBindGroup({
        label: `${step.module}.${step.entry}`,
        layout: kernel.layout,
        entries: [
          { binding: 0, resource: { buffer: this.#extents, size: extentsBytes(this.#plan) } },
          ...step.bindings.map(({ buffer }, index) => ({
            binding: index + 1,
            resource: {
              buffer: this.#memory.get(buffer),
              ...rangeOf(this.#memory.spec(buffer), piece),
            },
          })),
        ],
      }),
    );
    if (recurs) byFirst.set(piece.first, group);
    return group;
  }
}
