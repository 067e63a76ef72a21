import type { CeilingKind, DispatchStep, IndirectStep, Probe, Step } from "@tunelab/contract";
import { bindingDeclarations, block, extentsStruct, lines } from "@tunelab/variants";
import { dispatchStep, MODULE, probe, STAGE } from "./shape.ts";

/** Dispatches of one pass, the customary figure. */
const PASS = 32;

/** Most passes a run: 2048 dispatches are 3 to 12 ms on a fast GPU, and a plan stays short. */
const MOST_PASSES = 64;

const BINDINGS = [{ buffer: "count", access: "read-write" }] as const;

const TEXT: string = lines(
  extentsStruct(),
  bindingDeclarations(BINDINGS, { count: "array<u32>" }),
  "",
  "@compute @workgroup_size(1)",
  block("fn reset()", "count[0] = 1u;"),
  "",
  "@compute @workgroup_size(1)",
  block("fn add()", "count[0] += 1u;"),
  "",
  "@compute @workgroup_size(1)",
  block("fn empty()"),
  "",
  bindingDeclarations([{ buffer: "groupCounts", access: "read-write" }], { groupCounts: "array<u32>" }),
  "",
  "@compute @workgroup_size(3)",
  block("fn one(@builtin(local_invocation_index) local: u32)", "groupCounts[local] = 1u;"),
  "",
);

const count = (entry: "reset" | "add"): DispatchStep => dispatchStep(entry, BINDINGS, 1);

const EMPTY: DispatchStep = dispatchStep("empty", [], 1);

const INDIRECT: IndirectStep = {
  kind: "indirect",
  stage: STAGE,
  module: MODULE,
  entry: "add",
  bindings: BINDINGS,
  arguments: { buffer: "groupCounts", offset: 0 },
};

/** Writes the group counts (1, 1, 1) on the device, once and outside the timed region. */
const COUNTS: Step = {
  kind: "once",
  stage: "fill",
  steps: [
    {
      ...count("add"),
      stage: "fill",
      entry: "one",
      bindings: [{ buffer: "groupCounts", access: "read-write" }],
    },
  ],
};

/** A clear between two dispatches ends the pass: the executor opens a new one, and times each. */
const END_OF_PASS: Step = { kind: "clear", stage: STAGE, buffer: "divider" };

interface Form {
  readonly name: string;
  readonly ceiling: CeilingKind;
  readonly doc: string;
  /** Dispatches and their count at `passes`. */
  dispatches(passes: number): number;
  steps(passes: number): readonly Step[];
  /** What the counter must hold in the end. */
  counted(passes: number): number;
}

function dispatchProbe({ name, ceiling, doc, dispatches, steps, counted }: Form): Probe {
  return probe<number>({
    name,
    ceiling,
    doc,
    sizes: (_capabilities, scale) => Math.max(1, Math.min(MOST_PASSES, Math.floor(scale))),
    amount: dispatches,
    inputs: () => ({}),
    plan: (passes) => ({
      buffers: [
        { name: "count", role: "out", dtype: "u32", fixedBytes: 4, itemBytes: 0 },
        { name: "divider", role: "scratch", dtype: "u32", fixedBytes: 4, itemBytes: 0 },
        { name: "groupCounts", role: "scratch", dtype: "u32", fixedBytes: 12, itemBytes: 0 },
      ],
      wgsl: TEXT,
      steps: steps(passes),
      extents: {},
    }),
    verify: (outputs, passes) => outputs.count?.length === 1 && outputs.count[0] === counted(passes),
  });
}

/** One dispatch a pass: what a kernel launched alone pays. */
export const dispatchAlone: Probe = dispatchProbe({
  name: "dispatch-alone",
  ceiling: "dispatch-alone",
  doc: "a dispatch of one invocation alone in its pass",
  dispatches: (passes) => passes,
  steps: (passes) =>
    Array.from({ length: passes }, (_, pass) =>
      pass === 0 ? [count("reset")] : [END_OF_PASS, count("add")],
    ).flat(),
  counted: (passes) => passes,
});

/** 32 empty dispatches a pass: the least that a further dispatch costs. */
export const dispatchEmpty: Probe = dispatchProbe({
  name: "dispatch-empty",
  ceiling: "dispatch",
  doc: "32 dispatches a pass, all empty but one that counts the passes",
  dispatches: (passes) => PASS * passes,
  steps: (passes) =>
    Array.from({ length: passes }, (_, pass) => [
      ...(pass === 0 ? [] : [END_OF_PASS]),
      ...Array.from({ length: PASS - 1 }, () => EMPTY),
      count(pass === 0 ? "reset" : "add"),
    ]).flat(),
  counted: (passes) => passes,
});

/** 32 dispatches a pass, each reading what the one before wrote: what a chain of small kernels pays. */
export const dispatchChained: Probe = dispatchProbe({
  name: "dispatch-chained",
  ceiling: "dispatch",
  doc: "32 dispatches a pass, each adding 1 to the same word, with the barrier between them that this needs",
  dispatches: (passes) => PASS * passes,
  steps: (passes) =>
    Array.from({ length: passes }, (_, pass) => [
      ...(pass === 0 ? [count("reset")] : [END_OF_PASS, count("add")]),
      ...Array.from({ length: PASS - 1 }, () => count("add")),
    ]).flat(),
  counted: (passes) => PASS * passes,
});

/**
 * 32 dispatches a pass whose group counts the device reads from a buffer, each adding 1 to the same word: against
 * `dispatch-chained` what being indirect costs (Dawn checks the counts in a dispatch of its own).
 */
export const dispatchIndirect: Probe = dispatchProbe({
  name: "dispatch-indirect",
  ceiling: "indirect",
  doc: "32 indirect dispatches a pass, each adding 1 to the same word",
  dispatches: (passes) => PASS * passes,
  steps: (passes) => [
    COUNTS,
    ...Array.from({ length: passes }, (_, pass) => [
      ...(pass === 0 ? [count("reset")] : [END_OF_PASS, INDIRECT]),
      ...Array.from({ length: PASS - 1 }, () => INDIRECT),
    ]).flat(),
  ],
  counted: (passes) => PASS * passes,
});
