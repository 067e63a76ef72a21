import { Fault } from "@tunelab/contract";
import { compile, type Frame, placeNode, Scope } from "./compile.ts";
import { FaultLog, type KernelFault, TrackedMemory } from "./memory.ts";
import { type Module, parse, type Variable } from "./parse.ts";
import { sequence } from "./statements.ts";
import { shapeOfType, wordsOf } from "./values.ts";

export interface KernelRun {
  /** A module with one entry point, in the subset of WGSL that the generators of kernels/* emit. */
  readonly wgsl: string;
  /** Contents of storage variables by name; written in place. */
  readonly buffers: Readonly<Record<string, Float32Array | Uint32Array>>;
  /** Words of the uniform struct by field; fields not given are 0. */
  readonly extents: Readonly<Record<string, number>>;
  readonly groups: number;
  /**
   * Threads in step: subgroups run one after the other from barrier to barrier, so that what only works for wide subgroups fails at
   * narrow ones. The whole workgroup unless given.
   */
  readonly subgroupSize?: number;
}

export interface KernelReport {
  readonly faults: readonly KernelFault[];
  /** Barriers that a workgroup passed. */
  readonly barriers: number;
  /** Times that each word of a storage variable, or of workgroup memory (all workgroups), was read and written. */
  readonly traffic: Readonly<Record<string, { readonly reads: Uint32Array; readonly writes: Uint32Array }>>;
}

/**
 * Runs a kernel's text on the CPU, thread by thread, in float32, and watches what a GPU would let pass: races, overlapping writes,
 * indexes past the end, reads of unwritten workgroup memory, barriers that not all threads reach.
 * @throws Fault `usage` for text outside the subset.
 */
export function interpret(run: KernelRun): KernelReport {
  const module = parse(run.wgsl);
  const log = new FaultLog();
  const memories = new Map(module.variables.map((one) => [one.name, memoryOf(one, module, run, log)]));
  const scope = new Scope(module.structs);
  for (const { name, type } of module.variables) {
    scope.define(name, placeNode(type, { memory: memories.get(name)!, at: () => 0 }));
  }
  for (const { name, value } of module.constants) scope.define(name, compile(value, scope));
  const builtins = module.parameters.map(({ name, builtin }) => ({
    builtin,
    slot: scope.declare(
      name,
      /^(workgroup_id|num_workgroups|local_invocation_id)$/.test(builtin) ? "vec3u" : "u32",
    ),
  }));
  const body = sequence(module.body, scope);
  const size = run.subgroupSize ?? module.workgroup;
  let [barriers, epoch] = [0, 0];
  for (let group = 0; group < run.groups; group++) {
    for (const { name, space } of module.variables) if (space === "workgroup") memories.get(name)!.forget();
    const frames = Array.from({ length: module.workgroup }, (_, thread): Frame => {
      const global = group * module.workgroup + thread;
      const frame: Frame = { locals: [], collected: [], thread, lane: thread % size, global, epoch };
      for (const { builtin, slot } of builtins)
        frame.locals[slot] = builtinValue(builtin, frame, group, run.groups, size);
      return frame;
    });
    const passed = runGroup(frames, size, body, log);
    barriers = Math.max(barriers, passed);
    epoch += passed + 1;
  }
  const traffic = Object.fromEntries(
    [...memories].map(([name, { reads, writes }]) => [name, { reads, writes }]),
  );
  return { faults: log.list(), barriers, traffic };
}

/** Runs subgroups from barrier to barrier; all threads must meet at each, or have returned. Returns how many they passed. */
function runGroup(
  frames: readonly Frame[],
  size: number,
  body: ReturnType<typeof sequence>,
  log: FaultLog,
): number {
  let running: Generator<number, readonly Frame[]>[] = [];
  for (let first = 0; first < frames.length; first += size) {
    running.push(body(frames.slice(first, first + size)));
  }
  for (let passed = 0; ; passed++) {
    let waiting = 0;
    running = running.filter((subgroup) => {
      const { done, value } = subgroup.next();
      if (!done) waiting += value;
      return !done;
    });
    if (running.length === 0) return passed;
    if (waiting < frames.length) {
      log.add("divergence", () => `${waiting} of ${frames.length} threads reach barrier ${passed}`);
    }
  }
}

function memoryOf(
  { name, space, type }: Variable,
  module: Module,
  run: KernelRun,
  log: FaultLog,
): TrackedMemory {
  if (space === "uniform" && typeof type === "string") {
    const fields = module.structs.get(type as string) ?? [];
    return new TrackedMemory(
      name,
      Uint32Array.from(fields, (field) => run.extents[field] ?? 0),
      false,
      log,
    );
  }
  if (space === "workgroup") {
    const words = wordsOf(type);
    let inner = type;
    while (typeof inner !== "string") inner = inner.array;
    const { element } = shapeOfType(inner);
    return new TrackedMemory(
      name,
      element === "f32" ? new Float32Array(words) : new Uint32Array(words),
      true,
      log,
    );
  }
  const words = run.buffers[name];
  if (!words) throw new Fault("usage", `the interpreter needs contents for the buffer ${name}`);
  return new TrackedMemory(name, words, false, log);
}

function builtinValue(
  builtin: string,
  { thread, lane }: Frame,
  group: number,
  groups: number,
  size: number,
): number | readonly number[] {
  const known: Readonly<Record<string, number | readonly number[]>> = {
    local_invocation_index: thread,
    local_invocation_id: [thread, 0, 0],
    workgroup_id: [group, 0, 0],
    num_workgroups: [groups, 1, 1],
    subgroup_size: size,
    subgroup_invocation_id: lane,
  };
  const value = known[builtin];
  if (value === undefined) throw new Fault("usage", `the interpreter has no builtin ${builtin}`);
  return value;
}
