import type { Binding, BufferSpec, Cost, DispatchStep, Plan } from "@tunelab/contract";
import { exchangeFor, stageDeclaration, tableAccess, tableType, twiddleBuffer } from "@tunelab/kernel-fft";
import { inputBuffers, recordsBuffer, typesOf } from "../buffers.ts";
import {
  COMPLEX_BYTES,
  type MatchedFilterProblem,
  PAIR_BYTES,
  pairFlops,
  RECORD_BYTES,
  thresholdExtents,
} from "../problem.ts";
import type { Loads } from "../wgsl/loads.ts";
import { boundsText, NORM_BYTES } from "./bounds-text.ts";
import {
  COARSE_TABLE,
  type Coarse,
  coarseOf,
  exchanged,
  type HierarchicalConfig,
  refineOf,
} from "./space.ts";

/** Share of pairs that the cost model takes to survive the coarse pass: one in 32 matches in the published workload. */
const SURVIVORS = 1 / 32;

/** Pieces below this leave most devices idle; small enough that a software GPU stays within its time budget. */
export const LEAST_PAIRS = 32;

/** Table of the refining transform's factors. */
const REFINE_TABLE = "twiddles";

/** The buffers that both algorithms have: ports, tables of factors, norms. */
export function commonBuffers(problem: MatchedFilterProblem, config: HierarchicalConfig): BufferSpec[] {
  const coarse = coarseOf(problem.n, config);
  const refine = refineOf(problem.n, config);
  const tables = [coarse, refine].map(({ shape, options }) => twiddleBuffer(shape, options));
  return [
    ...inputBuffers(problem),
    ...tables.filter((one) => one !== undefined),
    {
      name: "norms",
      role: "scratch",
      dtype: "f32",
      fixedBytes: (problem.data + problem.templates) * NORM_BYTES,
      itemBytes: 0,
    },
    { name: "passed", role: "probe", dtype: "u32", fixedBytes: 4, itemBytes: 0, fields: SURVIVORS_FIELD },
    recordsBuffer(),
  ];
}

const SURVIVORS_FIELD = { survivors: { offset: 0, dtype: "u32" } } as const;

type Accesses = Readonly<Record<string, Binding["access"]>>;

/** Bindings of those of `names` that the plan has: tables may be missing. */
export const bound = (buffers: readonly BufferSpec[], names: Accesses): Binding[] =>
  Object.entries(names)
    .filter(([name]) => buffers.some((one) => one.name === name))
    .map(([buffer, access]) => ({ buffer, access }));

/** What the coarse pass reads and what the refining one reads. */
export function inputsOf(
  n: number,
  config: HierarchicalConfig,
): { readonly coarse: Accesses; readonly refine: Accesses } {
  const ports = { data: "read", templates: "read", pairs: "read" } as const;
  return {
    coarse: {
      ...ports,
      norms: "read",
      [COARSE_TABLE]: tableAccess(coarseOf(n, config).transform.twiddles),
    },
    refine: { ...ports, [REFINE_TABLE]: tableAccess(refineOf(n, config).transform.twiddles) },
  };
}

/** The plan's own extents: the threshold, and how many norms there are of each kind. */
export const hierarchicalExtents = (problem: MatchedFilterProblem): Readonly<Record<string, number>> => ({
  ...thresholdExtents(problem),
  spectra: problem.data,
  filters: problem.templates,
});

/** WGSL types of the buffers. */
export function typesFor(
  problem: MatchedFilterProblem,
  config: HierarchicalConfig,
  loads: Loads | undefined,
): Record<string, string> {
  const coarse = coarseOf(problem.n, config);
  const refine = refineOf(problem.n, config);
  return {
    ...typesOf(problem.n, loads),
    norms: "array<vec4f>",
    passed: "atomic<u32>",
    [COARSE_TABLE]: tableType(coarse.shape, coarse.options),
    [REFINE_TABLE]: tableType(refine.shape, refine.options),
  };
}

/** The step and module that compute the norms; `counters` are reset by it where the plan has them. */
export function boundsStep(
  problem: MatchedFilterProblem,
  config: HierarchicalConfig,
  buffers: readonly BufferSpec[],
): { readonly step: DispatchStep; readonly module: Plan["modules"][number] } {
  const bindings = bound(buffers, {
    data: "read",
    templates: "read",
    norms: "read-write",
    counters: "read-write",
  });
  const { grid } = coarseOf(problem.n, config);
  const wgsl = boundsText(grid, config.boundWorkgroup, bindings, hierarchicalExtents(problem));
  return {
    module: { name: "bounds", wgsl },
    step: {
      kind: "dispatch",
      stage: "bounds",
      module: "bounds",
      entry: "main",
      bindings,
      groups: { fixed: problem.data + problem.templates },
    },
  };
}

/** Bytes of the norms' kernel in workgroup memory. */
export const boundsMemory = ({ boundWorkgroup }: HierarchicalConfig): number => boundWorkgroup * NORM_BYTES;

/** The exchange array of the coarse transforms of a workgroup. */
export const coarseStage = ({ shape, transform }: Coarse, sides: number, name: string): string =>
  stageDeclaration(shape, exchangeFor(transform), sides, name);

export function hierarchicalCost(problem: MatchedFilterProblem, config: HierarchicalConfig): Cost {
  const { n, data, templates, pairs } = problem;
  const coarse = coarseOf(n, config);
  const { grid, tile } = coarse;
  const { band, length } = grid;
  const [coarsely, refining] = exchanged(coarse, refineOf(n, config));
  const spectra = (data + templates) * n * COMPLEX_BYTES;
  const survivors = pairs * SURVIVORS;
  return {
    flops: pairs * (5 * length * Math.log2(length) + 6 * band) + survivors * pairFlops(n),
    requestedBytes:
      spectra +
      pairs * ((1 + 1 / tile) * band * COMPLEX_BYTES + PAIR_BYTES + RECORD_BYTES + NORM_BYTES) +
      survivors * 2 * n * COMPLEX_BYTES,
    compulsoryBytes: spectra + pairs * (PAIR_BYTES + RECORD_BYTES),
    workgroupBytes: pairs * coarsely + survivors * refining,
  };
}
