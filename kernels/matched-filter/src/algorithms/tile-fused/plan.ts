import { type Algorithm, type Binding, CONTRACT_VERSION, requirementsOf } from "@tunelab/contract";
import { exchangeFor, looseBuiltins, STAGE, stageDeclaration, workgroupBytes } from "@tunelab/kernel-fft";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
} from "@tunelab/variants";
import {
  type CoarseRound,
  coarseRound,
  coarseSubgroups,
  decided,
  loudDeclaration,
  loudMemory,
  pairsOf,
} from "../../hierarchical/coarse-text.ts";
import {
  bound,
  boundsMemory,
  boundsStep,
  coarseStage,
  commonBuffers,
  hierarchicalCost,
  hierarchicalExtents,
  inputsOf,
  LEAST_PAIRS,
  typesFor,
} from "../../hierarchical/plan.ts";
import {
  coarseMemory,
  coarseOf,
  defaultHierarchical,
  type HierarchicalConfig,
  hierarchicalSpace,
  refineMemory,
  refineOf,
  storageTables,
  subgroupNeeds,
} from "../../hierarchical/space.ts";
import type { MatchedFilterProblem } from "../../problem.ts";
import { NO_PEAK_DECLARATION, reductionDeclarations, reductionMemory } from "../../wgsl/peak.ts";
import { needsSubgroups, pairText } from "../fused/plan.ts";

export type TileFusedConfig = HierarchicalConfig & { readonly refineWorkgroup: number };

/** Name of the coarse exchange array where it cannot be the refining one's. */
const COARSE_STAGE = "coarseStage";

/**
 * Hierarchical in one kernel: a workgroup takes a tile of pairs through the coarse pass, then refines its own survivors one after the
 * other with all its threads. No worklist and no second dispatch; registers and workgroup memory are those of the hungrier half, and a
 * workgroup with many survivors is waited for. A short kernel before it sums up what the coarse threshold needs.
 */
export const tileFused: Algorithm<MatchedFilterProblem, TileFusedConfig> = {
  name: "tile-fused",

  space: (problem) =>
    hierarchicalSpace(
      problem,
      [],
      [
        {
          name: "coarse-threads-within-the-workgroup",
          doc: "coarse transforms stand side by side in the refining workgroup: band * oversampling / coarsePoints <= refineWorkgroup",
          parameters: ["band", "oversampling", "coarsePoints", "refineWorkgroup"],
          holds: ({ band, oversampling, coarsePoints, refineWorkgroup }: TileFusedConfig) =>
            band * oversampling <= refineWorkgroup * coarsePoints,
        },
        {
          name: "one-way-to-load",
          doc: "both halves read the same bindings, as complex numbers or as pairs of them: coarseLoads = refineLoads",
          parameters: ["coarseLoads", "refineLoads"],
          holds: ({ coarseLoads, refineLoads }: TileFusedConfig) => coarseLoads === refineLoads,
        },
      ],
    ),

  defaultConfig(problem, capabilities) {
    const { maxComputeWorkgroupStorageSize } = capabilities.limits;
    // Flags and list of a tile's pairs: at most 4 pairs for each 16 threads of 256.
    const lists = 2 * 4 * 64 + 2 * 16;
    return defaultHierarchical(
      problem,
      capabilities,
      maxComputeWorkgroupStorageSize - lists,
    ) as TileFusedConfig;
  },

  resources({ n }, config) {
    const refine = refineOf(n, config);
    const { reduction, twiddles, workgroup } = refine.transform;
    const { coarse, sides } = roundOf(n, config);
    const coarseBytes = sides * coarseMemory(coarse);
    const refineBytes = refineMemory(refine);
    const stages = sharesStage(n, config) ? [Math.max(coarseBytes, refineBytes)] : [coarseBytes, refineBytes];
    const pairs = loudMemory(roundOf(n, config));
    return {
      workgroupBytes: Math.max(
        workgroupBytes(boundsMemory(config)),
        workgroupBytes(...stages, ...reductionMemory(reduction, workgroup), pairs, pairs, 4, 4),
      ),
      invocations: Math.max(config.boundWorkgroup, workgroup),
      scratchBytesPerItem: 0,
      storageBuffers: 6 + storageTables(coarse.transform, refine.transform),
      ...subgroupNeeds(coarse, refine),
      looseBuiltins: looseBuiltins({ twiddles }),
    };
  },

  plan(problem, config) {
    const buffers = commonBuffers(problem, config);
    const bounds = boundsStep(problem, config, buffers);
    const inputs = inputsOf(problem.n, config);
    const bindings = bound(buffers, {
      ...inputs.coarse,
      ...inputs.refine,
      records: "read-write",
      passed: "read-write",
    });
    const needs = this.resources(problem, config);
    const perItem = { groups: 1, items: pairsOf(roundOf(problem.n, config)) };
    return {
      contract: CONTRACT_VERSION,
      operation: "matched-filter",
      algorithm: "tile-fused",
      buffers,
      modules: [bounds.module, { name: "tile", wgsl: tileText(problem, config, bindings) }],
      steps: [
        bounds.step,
        {
          kind: "dispatch",
          stage: "tile",
          module: "tile",
          entry: "main",
          bindings,
          groups: { fixed: 0, perItem },
        },
      ],
      batch: {
        dimension: "pairs",
        items: problem.pairs,
        order: "independent",
        quantum: perItem.items,
        minimum: LEAST_PAIRS,
      },
      extents: hierarchicalExtents(problem),
      requires: requirementsOf(needs),
    };
  },

  cost: hierarchicalCost,
};

function roundOf(n: number, config: TileFusedConfig): CoarseRound {
  const coarse = coarseOf(n, config);
  const sides = Math.max(1, config.refineWorkgroup / coarse.shape.threads);
  return { coarse, sides, stage: sharesStage(n, config) ? STAGE : COARSE_STAGE };
}

/** Whether one exchange array serves both halves, one after the other: WGSL types it by the staging. */
function sharesStage(n: number, config: TileFusedConfig): boolean {
  const [coarse, refine] = [coarseOf(n, config), refineOf(n, config)];
  const alike = coarse.transform.staging === refine.transform.staging;
  return alike && coarseMemory(coarse) > 0 && refineMemory(refine) > 0;
}

/** The exchange arrays: one of the larger size where it serves both halves, none where shuffles do. */
function stagesText(n: number, config: TileFusedConfig): string {
  const refine = refineOf(n, config);
  const { coarse, sides, stage } = roundOf(n, config);
  const refining = stageDeclaration(refine.shape, exchangeFor(refine.transform));
  const coarsely = coarseStage(coarse, sides, stage!);
  if (stage !== STAGE) return lines(coarsely !== "" && coarsely, refining !== "" && refining);
  return sides * coarseMemory(coarse) > refineMemory(refine) ? coarsely : refining;
}

function tileText(
  problem: MatchedFilterProblem,
  config: TileFusedConfig,
  bindings: readonly Binding[],
): string {
  const { shape, transform: refine } = refineOf(problem.n, config);
  const round = roundOf(problem.n, config);
  const pairs = formatU32(pairsOf(round));
  return lines(
    (needsSubgroups(refine) || coarseSubgroups(round)) && "enable subgroups;",
    extentsStruct(hierarchicalExtents(problem)),
    bindingDeclarations(bindings, typesFor(problem, config, refine.loads)),
    stagesText(problem.n, config),
    reductionDeclarations(refine.reduction, refine.workgroup),
    loudDeclaration(round),
    `var<workgroup> survivors: array<u32, ${pairsOf(round)}>;`,
    "var<workgroup> counted: atomic<u32>;",
    "var<workgroup> count: u32;",
    NO_PEAK_DECLARATION,
    `@compute @workgroup_size(${refine.workgroup})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) lane: u32)`,
      `let first = ${linearGroup()} * ${pairs};`,
      "if (first >= extents.items) { return; }",
      "if (lane == 0u) { atomicStore(&counted, 0u); }",
      coarseRound(round),
      decided(round, ["survivors[atomicAdd(&counted, 1u)] = pair;"]),
      "workgroupBarrier();",
      block("if (lane == 0u)", "count = atomicLoad(&counted);", "atomicAdd(&passed, count);"),
      "let turns = workgroupUniformLoad(&count);",
      block(
        "for (var turn = 0u; turn < turns; turn += 1u)",
        "let t = lane;",
        "let pair = survivors[turn];",
        pairText(shape, refine, true, true),
      ),
    ),
  );
}
