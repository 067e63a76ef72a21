import type { Capabilities, Config, Constraint, Parameter, Space, Value } from "@tunelab/contract";
import {
  defaultTransform,
  exchangeFor,
  exchangeWords,
  gapOfPadding,
  powersOfTwo,
  type Shape,
  type TransformConfig,
  type TransformOptions,
  type Twiddles,
  transformFor,
  transformParametersByPoints,
  usesTable,
  workgroupBytes,
} from "@tunelab/kernel-fft";
import type { FusedConfig } from "../algorithms/fused/space.ts";
import { fusedSpace } from "../algorithms/fused/space.ts";
import { INVERSE, LEAST_BANDED_N, type MatchedFilterProblem } from "../problem.ts";
import { type Loads, loadingShape, loadsParameter } from "../wgsl/loads.ts";
import { reductionMemory } from "../wgsl/peak.ts";
import type { CoarseGrid } from "./bound.ts";
import { asPart, partConstraints, partOf, partParameters } from "./parts.ts";

/** A configuration of a hierarchical algorithm: `coarse...` and `refine...` parameters beside those of the coarse grid. */
export type HierarchicalConfig = Config & {
  readonly band: number;
  readonly oversampling: number;
  readonly centre: number;
  readonly boundWorkgroup: number;
  readonly coarseRadix: number;
  readonly coarsePoints: number;
  readonly coarseChunk: number;
  readonly coarseTile: number;
  readonly coarseHoist: boolean;
};

const LEAST_BAND = 16;
/** Longest coarse transform whose float32 rounding `ROUNDING` covers. */
const MOST_LENGTH = 1024;
/** Fewest threads of a coarse transform: their points are at most a quarter of it, so that it has two passes at least. */
const LEAST_THREADS = 4;
const POINTS = [4, 8, 16, 32];

/** Name of the table of the coarse transform's factors. */
export const COARSE_TABLE = "coarseTwiddles";

/** The coarse pass of a configuration. */
export interface Coarse {
  readonly grid: CoarseGrid;
  readonly transform: TransformConfig;
  readonly shape: Shape;
  readonly loads: Loads;
  readonly options: TransformOptions;
  /** Pairs that one set of threads takes in turn. */
  readonly tile: number;
  readonly hoist: boolean;
}

export function coarseOf(n: number, config: HierarchicalConfig): Coarse {
  const { band, oversampling, centre } = config;
  const length = band * oversampling;
  const own = partOf("coarse", config) as Omit<TransformConfig, "workgroup"> & {
    readonly points: number;
    readonly tile: number;
    readonly hoist: boolean;
    readonly loads: Loads;
  };
  const transform: TransformConfig = { ...own, workgroup: length / own.points };
  return {
    grid: { n, band, length, centre: centre * band },
    transform,
    shape: loadingShape(length, { ...transform, loads: own.loads }),
    loads: own.loads,
    options: { ...transformFor(transform, INVERSE, own.hoist), table: COARSE_TABLE },
    tile: own.tile,
    hoist: own.hoist,
  };
}

/** Words of the exchange array of one coarse transform. */
export const coarseWords = ({ shape, transform }: Coarse): number =>
  exchangeWords(shape, exchangeFor(transform));

/** The refining transform: the fused algorithm's on one pair. */
export const refineOf = (config: HierarchicalConfig): FusedConfig =>
  ({ ...partOf("refine", config), tile: 1, hoist: false }) as unknown as FusedConfig;

/** Coarse transforms take factors from float64-computed tables (`ROUNDING`), and radices that their points can hold. */
const isCoarse = (parameter: string, value: Value): boolean =>
  (parameter !== "twiddles" || usesTable(value as Twiddles)) &&
  (parameter !== "radix" || Number(value) <= Math.max(...POINTS));

const coarseParameters = (n: number): Parameter[] => [
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
    ...transformParametersByPoints(POINTS).map(
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
  ]),
];

const coarseConstraints: readonly Constraint<HierarchicalConfig>[] = [
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
];

/** What both hierarchical algorithms ask of a problem. */
const asked = (problem: MatchedFilterProblem): Constraint<never>[] => [
  {
    name: "needs-a-threshold",
    doc: "without a threshold every pair has its peak, and the flat algorithms find it: give the problem a threshold",
    parameters: [],
    holds: () => problem.threshold !== undefined,
  },
  {
    name: "long-enough-for-a-band",
    doc: `spectra of fewer than ${LEAST_BANDED_N} points have no band worth a transform: choose fused`,
    parameters: [],
    holds: () => problem.n >= LEAST_BANDED_N,
  },
];

/** What refining has not: a survivor stands alone, and its kernel binds tables as storage and asks for no subgroups of a width. */
const NOT_REFINING = ["tile", "hoist", "transforms", "index", "unroll", "shuffle"];

const isRefining = ({ parameters }: { readonly parameters: readonly string[] }): boolean =>
  !parameters.some((name) => NOT_REFINING.includes(name));

/** The space of a hierarchical algorithm; one value a parameter where the problem has no use for it. */
export function hierarchicalSpace<C extends HierarchicalConfig>(
  problem: MatchedFilterProblem,
  own: readonly Parameter[],
  tied: readonly Constraint<never>[],
): Space<C> {
  const needs = asked(problem);
  const flat = fusedSpace(problem.n);
  const refining = flat.parameters
    .filter(({ name }) => isRefining({ parameters: [name] }))
    .map((one): Parameter => ({ ...one, values: one.values.filter((value) => value !== "constant") }));
  const parameters = [...coarseParameters(problem.n), ...own, ...partParameters("refine", refining)];
  const useful = needs.every((one) => one.holds({} as never));
  return {
    parameters: useful ? parameters : parameters.map((one) => ({ ...one, values: one.values.slice(0, 1) })),
    constraints: [
      ...needs,
      ...coarseConstraints,
      ...partConstraints("coarse", [gapOfPadding as Constraint<never>]),
      ...partConstraints("refine", flat.constraints.filter(isRefining) as Constraint<never>[]),
      ...tied,
    ] as unknown as Space<C>["constraints"],
  };
}

/**
 * What a careful author writes without tuning: the band of an inspiral (n / 16, at least 64 bins), radix 4 on four points a thread,
 * tables of factors, four pairs in turn; and the fused algorithm's default for survivors, within `memory` bytes.
 */
export function defaultHierarchical(
  problem: MatchedFilterProblem,
  { limits }: Capabilities,
  memory: number,
): HierarchicalConfig {
  const { n } = problem;
  const invocations = limits.maxComputeInvocationsPerWorkgroup;
  const tree = workgroupBytes(...reductionMemory("tree", Math.min(n / 4, 256, invocations)));
  const refine = defaultTransform(n, memory - tree, invocations);
  const coarse = { ...refine, radix: 4, points: 4, chunk: 4, tile: 4, hoist: false, loads: "scalar" };
  const { workgroup: _, ...threads } = coarse;
  return {
    band: Math.max(LEAST_BAND, Math.min(n / 4, Math.max(64, n / 16))),
    oversampling: 1,
    centre: 0.125,
    boundWorkgroup: 64,
    ...asPart("coarse", threads),
    ...asPart("refine", { ...refine, reduction: "tree", loads: "scalar" }),
  } as HierarchicalConfig;
}
