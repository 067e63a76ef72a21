import type { Capabilities, CeilingKind, Plan, PortData, Probe } from "@tunelab/contract";
import {
  type Binding,
  type BufferSpec,
  CONTRACT_VERSION,
  DEFAULT_LIMITS,
  type DispatchStep,
  type Step,
} from "@tunelab/contract";

/** What a probe's plan is made of; the rest is the same for all: one item, never cut. */
export interface ProbePlan {
  readonly buffers: readonly BufferSpec[];
  readonly wgsl: string;
  readonly steps: readonly Step[];
  readonly extents: Readonly<Record<string, number>>;
  /** WebGPU features that the text enables. */
  readonly features?: readonly string[];
}

export const MODULE = "probe";
export const STAGE = "probe";

/** One dispatch of an entry of the probe's text. */
export const dispatchStep = (entry: string, bindings: readonly Binding[], groups: number): DispatchStep => ({
  kind: "dispatch",
  stage: STAGE,
  module: MODULE,
  entry,
  bindings,
  groups: { fixed: groups },
});

export function probePlan(name: string, parts: ProbePlan): Plan {
  const largest = Math.max(0, ...parts.buffers.map((buffer) => buffer.fixedBytes));
  const limits = Object.fromEntries(
    (["maxStorageBufferBindingSize", "maxBufferSize"] as const)
      .filter((limit) => largest > DEFAULT_LIMITS[limit])
      .map((limit) => [limit, largest]),
  );
  return {
    contract: CONTRACT_VERSION,
    operation: "probes",
    algorithm: name,
    buffers: parts.buffers,
    modules: [{ name: MODULE, wgsl: parts.wgsl }],
    steps: parts.steps,
    batch: { dimension: "runs", items: 1, order: "independent", quantum: 1, minimum: 1 },
    extents: parts.extents,
    requires: { features: parts.features ?? [], limits },
  };
}

/** A probe by its parts: sizes are computed once from the device and the scale, and all else from the sizes. */
export interface ProbeParts<Sizes> {
  readonly name: string;
  readonly ceiling: CeilingKind;
  readonly doc: string;
  sizes(capabilities: Capabilities, scale: number): Sizes;
  plan(sizes: Sizes): ProbePlan;
  amount(sizes: Sizes): number;
  inputs(sizes: Sizes): PortData;
  verify(outputs: PortData, sizes: Sizes): boolean;
}

export function probe<Sizes>(parts: ProbeParts<Sizes>): Probe {
  const { name, ceiling, doc, sizes } = parts;
  return {
    name,
    ceiling,
    doc,
    plan: (capabilities, scale) => probePlan(name, parts.plan(sizes(capabilities, scale))),
    amount: (capabilities, scale) => parts.amount(sizes(capabilities, scale)),
    inputs: (capabilities, scale) => parts.inputs(sizes(capabilities, scale)),
    verify: (outputs, capabilities, scale) => parts.verify(outputs, sizes(capabilities, scale)),
  };
}

/**
 * Most workgroups: 124 for each of an H200's 132 cores, so that an uneven last share costs under 1%; with one f32 stored
 * an invocation, 16 MiB of output. Beyond, each workgroup does more.
 */
const MOST_GROUPS = 16_384;

/** Where a compute-bound probe starts, chosen so that scale 1 takes a software GPU 5 to 40 ms, and where it stops. */
export interface Growth {
  readonly groups: number;
  readonly rounds: number;
  readonly mostRounds: number;
}

/** Workgroups and rounds at a scale: the groups grow first, then the rounds of each. */
export function growth(first: Growth, scale: number): { readonly groups: number; readonly rounds: number } {
  const wanted = first.groups * scale;
  const groups = Math.min(MOST_GROUPS, Math.floor(wanted));
  return { groups, rounds: Math.min(first.mostRounds, first.rounds * Math.round(wanted / groups)) };
}
