import {
  type Binding,
  bufferBytes,
  Fault,
  groupCount,
  type LoopStep,
  type Plan,
  type PortData,
  portOf,
} from "@tunelab/contract";
import { interpret, type KernelReport } from "./run.ts";

export interface PlanReport {
  /** Contents of the plan's buffers after the run, by name. */
  readonly buffers: Readonly<Record<string, Float32Array | Uint32Array>>;
  /** What each dispatch showed, by stage. */
  readonly stages: Readonly<Record<string, KernelReport>>;
  readonly faults: readonly (KernelReport["faults"][number] & { readonly stage: string })[];
}

/**
 * Runs a plan's dispatches on the CPU for its whole batch in one piece, `inputs` by port. Buffers that nothing fills begin as NaN or
 * 0xffffffff, probes as 0. `subgroupSize` as for `interpret`.
 * Indirect dispatches take their counts from the buffer as the steps before left it; a loop ends as a host would end it. Of a stage's dispatches the last is told of,
 * but the faults of all.
 * @throws Fault `usage` for plans with other steps than dispatches, clears and loops.
 */
export function interpretPlan(
  plan: Plan,
  inputs: PortData,
  options: { readonly subgroupSize?: number } = {},
): PlanReport {
  const { items } = plan.batch;
  const buffers: Record<string, Float32Array | Uint32Array> = {};
  for (const spec of plan.buffers) {
    const words = bufferBytes(spec, items) / 4;
    const given = spec.data ?? inputs[portOf(spec) ?? ""];
    const made = spec.dtype === "f32" ? new Float32Array(words) : new Uint32Array(words);
    if (given) made.set(given.subarray(0, words));
    else if (spec.role !== "probe") made.fill(spec.dtype === "f32" ? Number.NaN : 0xffffffff);
    buffers[spec.name] = made;
  }
  const texts = new Map(plan.modules.map(({ name, wgsl }) => [name, wgsl]));
  const extents = { items, first: 0, total: items, ...plan.extents };
  const stages: Record<string, KernelReport> = {};
  const faults: (KernelReport["faults"][number] & { readonly stage: string })[] = [];
  const run = (step: LoopStep["steps"][number], iteration: number): void => {
    if (step.kind === "clear") return void buffers[step.buffer]!.fill(0);
    if (step.kind !== "dispatch" && step.kind !== "indirect")
      throw new Fault("usage", `the interpreter runs dispatches, not a ${step.kind} step`);
    const report = interpret({
      wgsl: texts.get(step.module)!,
      buffers: Object.fromEntries(step.bindings.map(({ buffer }: Binding) => [buffer, buffers[buffer]!])),
      extents: { ...extents, iteration },
      groups: step.kind === "dispatch" ? groupCount(step.groups, items) : countsAt(buffers, step.arguments),
      ...options,
    });
    stages[step.stage] = report;
    faults.push(...report.faults.map((fault) => ({ ...fault, stage: step.stage })));
  };
  for (const step of plan.steps) {
    if (step.kind === "loop") runLoop(step, buffers, run);
    else if (step.kind === "repeat") {
      for (let pass = 0; pass < step.count; pass++) for (const inner of step.steps) run(inner, pass);
    } else if (step.kind === "once") throw new Fault("usage", "the interpreter runs no once-steps");
    else run(step, 0);
  }
  return { buffers, stages, faults };
}

function runLoop(
  { steps, closing = [], maximum, checkEvery, until }: LoopStep,
  buffers: Readonly<Record<string, Float32Array | Uint32Array>>,
  run: (step: LoopStep["steps"][number], iteration: number) => void,
): void {
  for (let iteration = 0; iteration < maximum; iteration++) {
    for (const step of steps) run(step, iteration);
    if ((iteration + 1) % checkEvery !== 0 && iteration + 1 < maximum) continue;
    for (const step of closing) run(step, iteration);
    if (buffers[until.buffer]![until.offset / 4] === until.equals) return;
  }
}

/** Workgroups of an indirect dispatch: the product of its three counts, for texts know their linear index alone. */
function countsAt(
  buffers: Readonly<Record<string, Float32Array | Uint32Array>>,
  { buffer, offset }: { readonly buffer: string; readonly offset: number },
): number {
  const [x, y, z] = buffers[buffer]!.subarray(offset / 4, offset / 4 + 3);
  return x! * y! * z!;
}
