import type { Constraint, Parameter, Space } from "@tunelab/contract";
import { FOUR_STEP_N, MAXIMUM_N } from "../../problem.ts";
import {
  gapOfPadding,
  powersOfTwo,
  type TransformConfig,
  transformParametersByPoints,
} from "../../transform-space.ts";

/** Where the factors between the two steps come from; see `between.ts`. */
export const BETWEEN = ["two-level", "walk", "table", "direct"] as const;
export type Between = (typeof BETWEEN)[number];

/** The choices of two steps of transforms, whatever the operation makes of their ends. */
export type StepsConfig = Omit<TransformConfig, "workgroup"> & {
  readonly split: number;
  readonly points: number;
  readonly side: number;
  readonly between: Between;
};

export type FourStepConfig = StepsConfig & { readonly layout: "rows" | "tiles" };

/** A step's transforms: short enough for one workgroup with several beside it, long enough that two cover n. */
const STEP = { least: 16, most: 4096 } as const;

/** Points in a thread's registers. */
const POINTS = [2, 4, 8, 16, 32];

/** Invocations of a workgroup beyond which no device goes. */
export const INVOCATIONS = 1024;

/** Longest transform whose table of all n factors is read: 512 KiB, which stays in caches. */
const WHOLE_TABLE_N = 65_536;

const splits = (n: number): number[] => {
  const found = powersOfTwo(STEP.least, STEP.most).filter((a) => n / a >= STEP.least && n / a <= STEP.most);
  return found.length > 0 ? found : [STEP.least];
};

/** The transform of one step: the choices that both share, and threads for its length. */
export const stepConfig = (length: number, config: StepsConfig): TransformConfig => ({
  radix: config.radix,
  butterfly: config.butterfly,
  workgroup: length / config.points,
  chunk: config.chunk,
  staging: config.staging,
  padding: config.padding,
  gap: config.gap,
  twiddles: config.twiddles,
});

/** The lengths of the two steps. */
export const stepLengths = (n: number, { split }: StepsConfig): readonly [number, number] => [
  split,
  n / split,
];

/** Parameters of both steps, in the order of their ids. */
export const stepsParameters = (n: number): Parameter[] => [
  {
    name: "split",
    values: splits(n),
    unit: "points",
    doc: "length of the first step's transforms (columns); the second's (rows) are n / split",
  },
  ...transformParametersByPoints(POINTS),
  {
    name: "side",
    values: [2, 4, 8, 16],
    unit: "transforms",
    doc: "neighbouring transforms in one workgroup: so many neighbouring points are read and written at once",
  },
  {
    name: "between",
    values: BETWEEN,
    doc: "factors between the steps: two-level, a product of two from small tables; walk, powers of such a product; table, one of n; direct, a cosine and sine each",
  },
];

/** What holds for both steps, but for the invocations of a workgroup; `short` is the algorithm for lengths that are not split. */
export const stepsConstraints = (n: number, short: string): Constraint<StepsConfig>[] => [
  {
    name: "long-enough-to-split",
    doc: `shorter transforms than ${FOUR_STEP_N} fit one workgroup everywhere: choose ${short}`,
    parameters: [],
    holds: () => n >= FOUR_STEP_N && n <= MAXIMUM_N,
  },
  {
    name: "radix-in-registers",
    doc: "a thread holds at least one butterfly: radix <= points",
    parameters: ["radix", "points"],
    holds: ({ radix, points }) => radix <= points,
  },
  {
    name: "chunk-of-registers",
    doc: "a chunk is at most what a thread holds: chunk <= points",
    parameters: ["points", "chunk"],
    holds: ({ points, chunk }) => chunk <= points,
  },
  {
    name: "whole-table-is-small",
    doc: `a table of n factors for n up to ${WHOLE_TABLE_N}`,
    parameters: ["between"],
    holds: ({ between }) => between !== "table" || n <= WHOLE_TABLE_N,
  },
  gapOfPadding,
];

export function fourStepSpace(n: number): Space<FourStepConfig> {
  return {
    parameters: [
      ...stepsParameters(n),
      {
        name: "layout",
        values: ["rows", "tiles"],
        doc: "scratch by rows, or by tiles of side rows so that the second step reads without gaps",
      },
    ],
    constraints: [
      ...stepsConstraints(n, "one-workgroup"),
      {
        name: "threads-for-both-steps",
        doc: `a step has 2 threads a transform at least, and a workgroup ${INVOCATIONS} at most: 2 points <= split, n / split <= ${INVOCATIONS} points / side`,
        parameters: ["points", "split", "side"],
        holds: ({ points, split, side }) =>
          2 * points <= Math.min(split, n / split) &&
          side * Math.max(split, n / split) <= INVOCATIONS * points,
      },
    ],
  };
}
