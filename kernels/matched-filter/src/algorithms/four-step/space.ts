import type { Constraint, Parameter, Space } from "@tunelab/contract";
import {
  INVOCATIONS,
  powersOfTwo,
  type StepsConfig,
  stepsConstraints,
  stepsParameters,
  withConstants,
} from "@tunelab/kernel-fft";
import type { Loads } from "../../wgsl/loads.ts";
import type { Reduction } from "../../wgsl/peak.ts";

export type FourStepConfig = StepsConfig & {
  readonly rows: number;
  readonly reduction: Reduction;
  readonly loads: Loads;
};

const own: readonly Parameter[] = [
  {
    name: "rows",
    values: powersOfTwo(1, 16),
    unit: "transforms",
    doc: "transforms of the second step in one workgroup, which finds one peak among all of them",
  },
  {
    name: "reduction",
    values: ["subgroup", "tree"],
    doc: "how threads agree on a peak: subgroup maxima (any width) and two atomics, or a tree through workgroup memory",
  },
  {
    name: "loads",
    values: ["scalar", "vector"],
    doc: "the second step reads its rows by complex numbers (vec2f) or by neighbouring pairs of them (vec4f)",
  },
];

const constraints = (n: number): readonly Constraint<FourStepConfig>[] => [
  {
    name: "threads-for-both-steps",
    doc: `a step has 2 threads a transform at least, and a workgroup ${INVOCATIONS} at most: 2 points <= split, n / split; side split <= ${INVOCATIONS} points, rows n / split <= ${INVOCATIONS} points`,
    parameters: ["points", "split", "side", "rows"],
    holds: ({ points, split, side, rows }) =>
      2 * points <= Math.min(split, n / split) &&
      Math.max(side * split, (rows * n) / split) <= INVOCATIONS * points,
  },
  {
    name: "vectors-need-two-butterflies",
    doc: "a vec4f feeds two neighbouring butterflies of one thread: 2 radix <= points",
    parameters: ["radix", "points", "loads"],
    holds: ({ radix, points, loads }) => loads !== "vector" || 2 * radix <= points,
  },
];

export function fourStepSpace(n: number): Space<FourStepConfig> {
  return {
    parameters: [...withConstants(stepsParameters(n)), ...own],
    constraints: [...stepsConstraints(n, "fused"), ...constraints(n)],
  };
}
