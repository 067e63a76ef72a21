import { type Algorithm, type Binding, CONTRACT_VERSION, type Plan } from "@tunelab/contract";
import { portBindings, portBuffers, strides } from "../../buffers.ts";
import { compulsoryBytes, type EighProblem, expectedSweeps, FLOAT_BYTES } from "../../problem.ts";
import { tournament } from "../../wgsl/pairs.ts";
import { type ScalarConfig, scalarSpace, scalarWorkgroupBytes } from "./space.ts";
import { scalarText } from "./text.ts";

/** Pieces below this leave most devices idle. */
const LEAST_MATRICES = 32;

const wanted = ({ vectors }: EighProblem): boolean => vectors === "yes";

/** Bytes of global memory that a matrix needs besides the ports. */
function workBytes(problem: EighProblem, { memory, padding }: ScalarConfig): number {
  const { size } = tournament(problem.n);
  const matrix = memory === "global" ? size * (size + padding) : 0;
  const basis = wanted(problem) && memory !== "both" ? problem.n ** 2 : 0;
  return FLOAT_BYTES * (matrix + basis);
}

/**
 * Whole-matrix Jacobi, two-sided, cyclic in the order of a round-robin tournament: all n/2 turns of a round are found, then applied to all elements.
 * Eigenvalues of a diagonal matrix are exact.
 */
export const scalar: Algorithm<EighProblem, ScalarConfig> = {
  name: "scalar",
  space: (problem) => scalarSpace(problem.n, wanted(problem)),

  defaultConfig(problem, { limits }) {
    const { n } = problem;
    // About six groups of elements a thread, so that workgroups share a compute unit and hide one another's barriers.
    const invocations = Math.min(256, limits.maxComputeInvocationsPerWorkgroup);
    const threads = Math.min(invocations, Math.max(4, 2 ** Math.round(Math.log2(n ** 2 / 12))));
    const matrices = Math.min(16, Math.max(1, 32 / threads));
    const common = { threads, matrices, padding: 0 } as const;
    for (const memory of ["both", "matrix"] as const) {
      if (memory === "matrix" && !wanted(problem)) continue;
      const config: ScalarConfig = { ...common, memory };
      if (scalarWorkgroupBytes(n, wanted(problem), config) <= limits.maxComputeWorkgroupStorageSize) {
        return config;
      }
    }
    return { ...common, memory: "global" };
  },

  resources(problem, config) {
    const scratchBytesPerItem = workBytes(problem, config);
    return {
      workgroupBytes: scalarWorkgroupBytes(problem.n, wanted(problem), config),
      invocations: config.threads * config.matrices,
      scratchBytesPerItem,
      storageBuffers: portBindings(problem).length + (scratchBytesPerItem > 0 ? 1 : 0),
      features: [],
    };
  },

  plan(problem, config) {
    const needs = this.resources(problem, config);
    const work = needs.scratchBytesPerItem;
    const bindings: Binding[] = [
      ...portBindings(problem),
      ...(work > 0 ? [{ buffer: "work", access: "read-write" } as const] : []),
    ];
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "eigh",
      algorithm: "scalar",
      buffers: [
        ...portBuffers(problem),
        ...(work > 0
          ? [{ name: "work", role: "scratch", dtype: "f32", fixedBytes: 0, itemBytes: work } as const]
          : []),
      ],
      modules: [{ name: "scalar", wgsl: scalarText(problem, config, bindings) }],
      steps: [
        {
          kind: "dispatch",
          stage: "jacobi",
          module: "scalar",
          entry: "main",
          bindings,
          groups: { fixed: 0, perItem: { groups: 1, items: config.matrices } },
        },
      ],
      batch: {
        dimension: "batch",
        items: problem.batch,
        order: "independent",
        quantum: config.matrices,
        minimum: LEAST_MATRICES,
      },
      extents: strides(problem),
      requires: {
        features: [],
        limits: {
          maxComputeWorkgroupStorageSize: needs.workgroupBytes,
          maxComputeInvocationsPerWorkgroup: needs.invocations,
        },
      },
    };
    return plan;
  },

  cost(problem, config) {
    const { n, batch } = problem;
    const { pairs, rounds } = tournament(n);
    const turns = batch * expectedSweeps(n) * rounds;
    // Eight operations to turn two elements; half of the matrix from both sides, the vectors from one.
    const elements = (pairs * (pairs - 1)) / 2;
    const flops = turns * (32 * elements + (wanted(problem) ? 8 * n * pairs : 0) + 20 * pairs);
    const moved = turns * FLOAT_BYTES * (8 * elements + (wanted(problem) ? 4 * n * pairs : 0));
    const inside = config.memory === "both" ? 1 : config.memory === "matrix" ? 0.5 : 0;
    const compulsory = batch * compulsoryBytes(problem);
    return {
      flops,
      requestedBytes: compulsory + (1 - inside) * moved,
      compulsoryBytes: compulsory,
      workgroupBytes: inside * moved,
    };
  },
};
