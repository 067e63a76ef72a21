import {
  type Algorithm,
  type BufferSpec,
  CONTRACT_VERSION,
  type Parameter,
  requirementsOf,
} from "@tunelab/contract";
import {
  exchangeFor,
  looseBuiltins,
  powersOfTwo,
  stageDeclaration,
  workgroupBytes,
} from "@tunelab/kernel-fft";
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

export type TwoKernelConfig = HierarchicalConfig & { readonly coarseSides: number; readonly queue: number };

/** Threads that coarse transforms fill together; a single one may have more. */
const FILL = 512;
/** Most groups of a dispatch in one dimension on every device (W3C WebGPU, 3.6.2); more survivors go on in y. */
const ROW = 65_535;
/** Words of `counters`: groups of the refining dispatch in x, y and z, then the survivors. */
const COUNTERS_BYTES = 16;

const SIDES: Parameter = {
  name: "coarseSides",
  values: powersOfTwo(1, 32),
  unit: "transforms",
  doc: "coarse transforms side by side in one workgroup of coarseSides * band * oversampling / coarsePoints invocations",
};

const QUEUE: Parameter = {
  name: "queue",
  values: [0, 512, 1024, 2048],
  unit: "workgroups",
  doc: "0: an indirect dispatch of one workgroup a survivor; else so many workgroups take survivors in turn, and no dispatch has to be validated on the device",
  absent: 0,
};

/**
 * Hierarchical in two kernels: the coarse one writes the survivors of a batch into a worklist and the size of the dispatch that
 * refines them, one workgroup each (or a fixed number takes them in turn); the host reads nothing back. The order of the worklist is anybody's, the record of pair p stands
 * in slot p whatever the order. A third, short kernel before them sums up what the coarse threshold needs (`hierarchical/bound.ts`).
 */
export const twoKernel: Algorithm<MatchedFilterProblem, TwoKernelConfig> = {
  name: "two-kernel",

  space: (problem) =>
    hierarchicalSpace(
      problem,
      [SIDES, QUEUE],
      [
        {
          name: "coarse-sides-to-fill",
          doc: `several coarse transforms share a workgroup to fill it, not to overflow it: coarseSides * band * oversampling / coarsePoints <= ${FILL}`,
          parameters: ["band", "oversampling", "coarsePoints", "coarseSides"],
          holds: ({ band, oversampling, coarsePoints, coarseSides }: TwoKernelConfig) =>
            coarseSides === 1 || coarseSides * band * oversampling <= FILL * coarsePoints,
        },
      ],
    ),

  defaultConfig(problem, capabilities) {
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupStorageSize } = capabilities.limits;
    const config = defaultHierarchical(problem, capabilities, maxComputeWorkgroupStorageSize);
    const threads = (config.band * config.oversampling) / config.coarsePoints;
    const coarseSides = Math.max(1, Math.min(128, maxComputeInvocationsPerWorkgroup) / threads);
    return { ...config, coarseSides, queue: 0 };
  },

  resources({ n }, config) {
    const coarse = coarseOf(n, config);
    const round = roundOf(n, config);
    const refine = refineOf(n, config);
    const { reduction, workgroup } = refine.transform;
    return {
      workgroupBytes: Math.max(
        workgroupBytes(boundsMemory(config)),
        workgroupBytes(config.coarseSides * coarseMemory(coarse), loudMemory(round)),
        workgroupBytes(refineMemory(refine), ...reductionMemory(reduction, workgroup)),
      ),
      invocations: Math.max(config.boundWorkgroup, coarse.shape.threads * config.coarseSides, workgroup),
      scratchBytesPerItem: 4,
      storageBuffers: 7 + Math.max(storageTables(coarse.transform), storageTables(refine.transform)),
      ...subgroupNeeds(coarse, refine),
      looseBuiltins: looseBuiltins(refine.transform),
    };
  },

  plan(problem, config) {
    const buffers: BufferSpec[] = [
      ...commonBuffers(problem, config),
      { name: "worklist", role: "scratch", dtype: "u32", fixedBytes: 0, itemBytes: 4 },
      { name: "counters", role: "counter", dtype: "u32", fixedBytes: COUNTERS_BYTES, itemBytes: 0 },
    ];
    const bounds = boundsStep(problem, config, buffers);
    const inputs = inputsOf(problem.n, config);
    const coarse = bound(buffers, {
      ...inputs.coarse,
      records: "read-write",
      worklist: "read-write",
      counters: "read-write",
    });
    const refine = bound(buffers, {
      ...inputs.refine,
      records: "read-write",
      worklist: "read",
      counters: "read",
      passed: "read-write",
    });
    const refining = { stage: "refine", module: "refine", entry: "main", bindings: refine };
    const needs = this.resources(problem, config);
    const perItem = { groups: 1, items: pairsOf(roundOf(problem.n, config)) };
    return {
      contract: CONTRACT_VERSION,
      operation: "matched-filter",
      algorithm: "two-kernel",
      buffers,
      modules: [
        bounds.module,
        { name: "coarse", wgsl: coarseText(problem, config, coarse) },
        { name: "refine", wgsl: refineText(problem, config, refine) },
      ],
      steps: [
        bounds.step,
        {
          kind: "dispatch",
          stage: "coarse",
          module: "coarse",
          entry: "main",
          bindings: coarse,
          groups: { fixed: 0, perItem },
        },
        config.queue
          ? { kind: "dispatch", ...refining, groups: { fixed: config.queue } }
          : { kind: "indirect", ...refining, arguments: { buffer: "counters", offset: 0 } },
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

const roundOf = (n: number, config: TwoKernelConfig): CoarseRound => ({
  coarse: coarseOf(n, config),
  sides: config.coarseSides,
});

type Bindings = Parameters<typeof bindingDeclarations>[0];

function coarseText(problem: MatchedFilterProblem, config: TwoKernelConfig, bindings: Bindings): string {
  const round = roundOf(problem.n, config);
  const { coarse, sides } = round;
  return lines(
    coarseSubgroups(round) && "enable subgroups;",
    extentsStruct(hierarchicalExtents(problem)),
    bindingDeclarations(bindings, {
      ...typesFor(problem, config, coarse.loads),
      worklist: "array<u32>",
      counters: "array<atomic<u32>, 4>",
    }),
    coarseMemory(coarse) > 0 && coarseStage(coarse, sides, "stage"),
    loudDeclaration(round),
    NO_PEAK_DECLARATION,
    `@compute @workgroup_size(${coarse.shape.threads * sides})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) lane: u32)`,
      `let first = ${linearGroup()} * ${formatU32(pairsOf(round))};`,
      "if (first >= extents.items) { return; }",
      coarseRound(round),
      decided(round, [
        "let slot = atomicAdd(&counters[3], 1u);",
        "worklist[slot] = pair;",
        `atomicMax(&counters[0], min(slot + 1u, ${formatU32(ROW)}));`,
        `if (slot >= ${formatU32(ROW)}) { atomicMax(&counters[1], slot / ${formatU32(ROW)} + 1u); }`,
      ]),
    ),
  );
}

function refineText(problem: MatchedFilterProblem, config: TwoKernelConfig, bindings: Bindings): string {
  const { shape, transform: refine } = refineOf(problem.n, config);
  return lines(
    needsSubgroups(refine) && "enable subgroups;",
    extentsStruct(hierarchicalExtents(problem)),
    bindingDeclarations(bindings, {
      ...typesFor(problem, config, refine.loads),
      worklist: "array<u32>",
      counters: "array<u32, 4>",
    }),
    stageDeclaration(shape, exchangeFor(refine)),
    reductionDeclarations(refine.reduction, refine.workgroup),
    NO_PEAK_DECLARATION,
    `@compute @workgroup_size(${refine.workgroup})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let slot = ${linearGroup()};`,
      "let survivors = counters[3];",
      "if (slot >= survivors) { return; }",
      "if (slot == 0u && t == 0u) { atomicAdd(&passed, survivors); }",
      config.queue
        ? block(
            `for (var turn = 0u; turn * ${formatU32(config.queue)} + slot < survivors; turn += 1u)`,
            `let pair = worklist[turn * ${formatU32(config.queue)} + slot];`,
            pairText(shape, refine, true, true),
          )
        : ["let pair = worklist[slot];", pairText(shape, refine, true)],
    ),
  );
}
