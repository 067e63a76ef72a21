import type { Config, Constraint, Parameter, Value } from "@tunelab/contract";
import {
  furtherConstraints,
  furtherParameters,
  gapOfPadding,
  powersOfTwo,
  type Twiddles,
  transformParametersByPoints,
  usesTable,
  withConstants,
} from "@tunelab/kernel-fft";
import { loadsParameter } from "../wgsl/loads.ts";
import { named, partConstraints, partParameters } from "./parts.ts";

/** What the coarse half's constraints read. */
export type CoarseConfig = Config & {
  readonly band: number;
  readonly oversampling: number;
  readonly coarseRadix: number;
  readonly coarsePoints: number;
  readonly coarseChunk: number;
  readonly coarseTile: number;
  readonly coarseHoist: boolean;
  /** Undefined is what ids without it mean. */
  readonly coarseUnroll?: boolean;
};

export const LEAST_BAND = 16;
/** Longest coarse transform whose float32 rounding `ROUNDING` covers. */
const MOST_LENGTH = 1024;
/** Fewest threads of a coarse transform: their points are at most a quarter of it, so that it has two passes at least. */
const LEAST_THREADS = 4;
const POINTS = [4, 8, 16, 32];

/** Coarse transforms take factors from float64-computed tables (`ROUNDING`), and radices that their points can hold. */
const isCoarse = (parameter: string, value: Value): boolean =>
  (parameter !== "twiddles" || usesTable(value as Twiddles)) &&
  (parameter !== "radix" || Number(value) <= Math.max(...POINTS));

export const coarseParameters = (n: number): Parameter[] => [
  {
    name: "band",
    values: powersOfTwo(Math.max(LEAST_BAND, n / 64), Math.max(LEAST_BAND, n / 4)),
    unit: "bins",
    doc: "lowest bins, which the coarse pass transforms: more of them leave less to the bound, and cost more",
  },
  {
    name: "oversampling",
    values: [1, 2],
    doc: "points of the coarse transform over bins: closer lags tighten the bound between them fourfold",
  },
  {
    name: "centre",
    values: [0.0625, 0.125, 0.25, 0.5],
    doc: "where in the band its energy lies: the bound between lags grows with the square of the distance to it",
  },
  {
    name: "boundWorkgroup",
    values: [64, 128, 256],
    unit: "invocations",
    doc: "threads that sum up the weighted norms of one spectrum",
  },
  ...partParameters("coarse", [
    ...withConstants(transformParametersByPoints(POINTS)).map(
      (one): Parameter => ({ ...one, values: one.values.filter((value) => isCoarse(one.name, value)) }),
    ),
    {
      name: "tile",
      values: [1, 2, 4, 8, 16],
      unit: "pairs",
      doc: "consecutive pairs that one set of threads transforms in turn; the data's band stays in registers while its index does not change",
    },
    {
      name: "hoist",
      values: [false, true],
      doc: "twiddles are loaded once before the tile's loop, or inside it where they are used",
    },
    loadsParameter,
    ...furtherParameters,
  ]),
];

type Further = ReturnType<typeof furtherConstraints>;
const furtherOf = new Map<number, Further>();

/** The constraints of a transform of so many points, made once a length: a search asks millions of times. */
function furtherAt(length: number): Further {
  const known = furtherOf.get(length) ?? furtherConstraints(length);
  furtherOf.set(length, known);
  return known;
}

/** What a transform's threads are to its constraints are `coarsePoints` here, its length the coarse grid's. */
const COARSE_NAMES: Readonly<Record<string, readonly string[]>> = {
  workgroup: ["coarsePoints"],
  // Coarse transforms stand side by side by the kernel's own rule, whatever their indexes look like.
  transforms: [],
};

/** The flat transforms' constraints on what changes how values travel, at the coarse length. */
const coarseFurther = furtherAt(MOST_LENGTH).map(
  ({ name, doc, parameters }, at): Constraint<CoarseConfig> => {
    const own = parameters.filter((one) => !(one in COARSE_NAMES));
    return {
      name: `coarse-${name}`,
      doc: `coarse: ${doc}`,
      parameters: [
        ...["band", "oversampling", ...own.map((one) => named("coarse", one))],
        ...parameters.flatMap((one) => COARSE_NAMES[one] ?? []),
      ],
      holds: (config) => {
        const length = config.band * config.oversampling;
        const chosen = Object.fromEntries(own.map((one) => [one, config[named("coarse", one)]!]));
        if (parameters.includes("workgroup")) {
          const workgroup = length / config.coarsePoints;
          // Fewer threads than a transform has are coarse-threads' to refuse.
          if (workgroup < LEAST_THREADS) return true;
          chosen.workgroup = workgroup;
        }
        return (furtherAt(length)[at] as unknown as Constraint).holds(chosen);
      },
    };
  },
);

export const coarseConstraints: readonly Constraint<CoarseConfig>[] = [
  {
    name: "coarse-within-rounding",
    doc: `the bound covers the rounding of coarse transforms up to ${MOST_LENGTH} points: band * oversampling <= ${MOST_LENGTH}`,
    parameters: ["band", "oversampling"],
    holds: ({ band, oversampling }) => band * oversampling <= MOST_LENGTH,
  },
  {
    name: "coarse-threads",
    doc: `a coarse transform has at least ${LEAST_THREADS} threads, and as many as it takes pairs in turn: max(${LEAST_THREADS}, coarseTile) <= band * oversampling / coarsePoints`,
    parameters: ["band", "oversampling", "coarsePoints", "coarseTile"],
    holds: ({ band, oversampling, coarsePoints, coarseTile }) =>
      Math.max(LEAST_THREADS, coarseTile) * coarsePoints <= band * oversampling,
  },
  {
    name: "coarse-radix-in-registers",
    doc: "a thread holds at least one butterfly: coarseRadix <= coarsePoints",
    parameters: ["coarseRadix", "coarsePoints"],
    holds: ({ coarseRadix, coarsePoints }) => coarseRadix <= coarsePoints,
  },
  {
    name: "coarse-vectors-need-two-butterflies",
    doc: "a vec4f feeds two neighbouring butterflies of one thread: 2 coarseRadix <= coarsePoints",
    parameters: ["coarseRadix", "coarsePoints", "coarseLoads"],
    holds: ({ coarseRadix, coarsePoints, coarseLoads }) =>
      coarseLoads !== "vector" || 2 * coarseRadix <= coarsePoints,
  },
  {
    name: "coarse-chunk-of-registers",
    doc: "a chunk is at most what a thread holds: coarseChunk <= coarsePoints",
    parameters: ["coarseChunk", "coarsePoints"],
    holds: ({ coarseChunk, coarsePoints }) => coarseChunk <= coarsePoints,
  },
  {
    name: "coarse-hoist-from-a-loop",
    doc: "twiddles can only move out of a loop: coarseHoist needs coarseTile > 1",
    parameters: ["coarseTile", "coarseHoist"],
    holds: ({ coarseTile, coarseHoist }) => coarseTile > 1 || !coarseHoist,
  },
  {
    name: "coarse-loop-keeps-its-factors",
    doc: "the factors of a loop over levels are another level's each round and cannot be hoisted: coarseHoist needs coarseUnroll",
    parameters: ["coarseHoist", "coarseUnroll"],
    holds: ({ coarseHoist, coarseUnroll }) => !coarseHoist || coarseUnroll !== false,
  },
  ...coarseFurther,
  ...(partConstraints(
    "coarse",
    [gapOfPadding as Constraint<never>],
    ["padding", "gap"],
  ) as Constraint<CoarseConfig>[]),
];
