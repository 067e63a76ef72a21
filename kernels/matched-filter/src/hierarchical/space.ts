import type { Capabilities, Constraint, Parameter, Resources, Space } from "@tunelab/contract";
import {
  defaultTransform,
  exchangedBytes,
  exchangeMemory,
  furtherConstraints,
  PLAIN,
  readsStorage,
  type Shape,
  shuffleNeeds,
  type TransformConfig,
  type TransformOptions,
  transformConstraints,
  transformFor,
  workgroupBytes,
} from "@tunelab/kernel-fft";
import type { FusedConfig } from "../algorithms/fused/space.ts";
import { fusedSpace } from "../algorithms/fused/space.ts";
import { oneWorkgroupHolds } from "../length.ts";
import { INVERSE, LEAST_BANDED_N, type MatchedFilterProblem } from "../problem.ts";
import { type Loads, loadingShape, loadsConstraint } from "../wgsl/loads.ts";
import { reductionMemory } from "../wgsl/peak.ts";
import type { CoarseGrid } from "./bound.ts";
import { type CoarseConfig, coarseConstraints, coarseParameters, LEAST_BAND } from "./coarse-space.ts";
import { asPart, partConstraints, partOf, partParameters } from "./parts.ts";

/** A configuration of a hierarchical algorithm: `coarse...` and `refine...` parameters beside those of the coarse grid. */
export type HierarchicalConfig = CoarseConfig & {
  readonly centre: number;
  readonly boundWorkgroup: number;
};

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

/** Bytes of the exchange array of one coarse transform. */
export const coarseMemory = ({ grid, shape, transform }: Coarse): number =>
  exchangeMemory(grid.length, transform, shape);

/** The refining transform: the fused algorithm's on one pair. */
export interface Refine {
  readonly transform: FusedConfig;
  readonly shape: Shape;
  readonly options: TransformOptions;
}

export function refineOf(n: number, config: HierarchicalConfig): Refine {
  const transform = { ...partOf("refine", config), tile: 1, hoist: false } as unknown as FusedConfig;
  return { transform, shape: loadingShape(n, transform), options: transformFor(transform, INVERSE) };
}

/** Bytes of its exchange array. */
export const refineMemory = ({ shape, transform }: Refine): number =>
  exchangeMemory(shape.n, transform, shape);

/** Storage bindings of the tables of a kernel that has these transforms. */
export const storageTables = (...transforms: readonly TransformConfig[]): number =>
  transforms.filter(({ twiddles }) => readsStorage(twiddles)).length;

/** What the halves need of a device's subgroups: those of the wider shuffles, or of any width for a reduction. */
export function subgroupNeeds(coarse: Coarse, refine: Refine): Pick<Resources, "features" | "subgroup"> {
  const lanes = Math.max(coarse.transform.shuffle ?? 0, refine.transform.shuffle ?? 0);
  const needs = shuffleNeeds({ ...refine.transform, shuffle: lanes });
  return refine.transform.reduction === "subgroup" ? { ...needs, features: ["subgroups"] } : needs;
}

/** Bytes through workgroup memory of one coarse and one refining transform. */
export const exchanged = (coarse: Coarse, refine: Refine): readonly [number, number] => [
  exchangedBytes(coarse.grid.length, coarse.transform, coarse.shape),
  exchangedBytes(refine.shape.n, refine.transform, refine.shape),
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
  oneWorkgroupHolds(problem.n),
];

/** What refining has not: a survivor stands alone. */
const NOT_REFINING = ["tile", "hoist", "transforms"];

/** The space of a hierarchical algorithm; one value a parameter where the problem has no use for it. */
export function hierarchicalSpace<C extends HierarchicalConfig>(
  problem: MatchedFilterProblem,
  own: readonly Parameter[],
  tied: readonly Constraint<never>[],
): Space<C> {
  const needs = asked(problem);
  const { n } = problem;
  const refining = fusedSpace(n).parameters.filter(({ name }) => !NOT_REFINING.includes(name));
  const rules = [...transformConstraints(n), ...furtherConstraints(n), loadsConstraint(n)];
  const parameters = [...coarseParameters(n), ...own, ...partParameters("refine", refining)];
  const useful = needs.every((one) => one.holds({} as never));
  return {
    parameters: useful ? parameters : parameters.map((one) => ({ ...one, values: one.values.slice(0, 1) })),
    constraints: [
      ...needs,
      ...coarseConstraints,
      ...partConstraints(
        "refine",
        rules as Constraint<never>[],
        refining.map(({ name }) => name),
      ),
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
  const plain = { loads: "scalar", ...PLAIN };
  const coarse = { ...refine, radix: 4, points: 4, chunk: 4, tile: 4, hoist: false, ...plain };
  const { workgroup: _, ...threads } = coarse;
  return {
    band: Math.max(LEAST_BAND, Math.min(n / 4, Math.max(64, n / 16))),
    oversampling: 1,
    centre: 0.125,
    boundWorkgroup: 64,
    ...asPart("coarse", threads),
    ...asPart("refine", { ...refine, reduction: "tree", ...plain }),
  } as HierarchicalConfig;
}
