import {
  type Algorithm,
  type Binding,
  type BufferSpec,
  type Capabilities,
  CONTRACT_VERSION,
  type DispatchStep,
  type Plan,
  requirementsOf,
  type Step,
} from "@tunelab/contract";
import { portBindings, portBuffers, strides } from "../../buffers.ts";
import {
  compulsoryBytes,
  type EighProblem,
  expectedSweeps,
  FLOAT_BYTES,
  MOST_SWEEPS,
} from "../../problem.ts";
import { tournament } from "../../wgsl/pairs.ts";
import { type ScalarConfig, scalarSpace, scalarWorkgroupBytes } from "./space.ts";
import { CHECK_THREADS, STATE_WORDS, scalarCheckText, scalarText } from "./text.ts";

/** Pieces below this leave most devices idle. */
const LEAST_MATRICES = 32;

/** The configuration that keeps as much of a matrix in workgroup memory as fits the limits. */
export function placed(
  problem: EighProblem,
  shape: Pick<ScalarConfig, "threads" | "matrices">,
  limits: Capabilities["limits"],
): ScalarConfig {
  for (const memory of ["both", "matrix"] as const) {
    if (memory === "matrix" && !wanted(problem)) continue;
    const config: ScalarConfig = { ...shape, memory, padding: 0 };
    const bytes = scalarWorkgroupBytes(problem.n, wanted(problem), config);
    if (bytes <= limits.maxComputeWorkgroupStorageSize) return config;
  }
  return { ...shape, memory: "global", padding: 0 };
}

const wanted = ({ vectors }: EighProblem): boolean => vectors === "yes";

/** Sweeps between two looks of the host, where a dispatch is one sweep. */
const SWEEPS_A_CHECK = 2;

/** Buffers besides the ports: what does not fit workgroup memory, and what a matrix has come to between two dispatches. */
function scratchOf(problem: EighProblem, { memory, padding }: ScalarConfig): readonly BufferSpec[] {
  const { size } = tournament(problem.n);
  const matrix = memory === "global" ? size * (size + padding) : 0;
  const basis = wanted(problem) && memory !== "both" ? problem.n ** 2 : 0;
  const scratch = (name: string, dtype: "f32" | "u32", words: number): BufferSpec[] =>
    words > 0 ? [{ name, role: "scratch", dtype, fixedBytes: 0, itemBytes: FLOAT_BYTES * words }] : [];
  return [
    ...scratch("work", "f32", matrix + basis),
    ...scratch("state", "u32", memory === "global" ? STATE_WORDS : 0),
  ];
}

/**
 * Whole-matrix Jacobi, two-sided, cyclic in the order of a round-robin tournament: all n/2 turns of a round are found, then applied to all elements.
 * Eigenvalues of a diagonal matrix are exact. In workgroup memory all sweeps are one dispatch; in global memory each is one.
 */
export const scalar: Algorithm<EighProblem, ScalarConfig> = {
  name: "scalar",
  space: (problem) => scalarSpace(problem.n, wanted(problem)),

  defaultConfig(problem, { limits }) {
    // About six groups of elements a thread, so that workgroups share a compute unit and hide one another's barriers.
    const invocations = Math.min(256, limits.maxComputeInvocationsPerWorkgroup);
    const threads = Math.min(invocations, Math.max(4, 2 ** Math.round(Math.log2(problem.n ** 2 / 12))));
    const matrices = Math.min(16, Math.max(1, 32 / threads));
    return placed(problem, { threads, matrices }, limits);
  },

  resources(problem, config) {
    const scratch = scratchOf(problem, config);
    return {
      workgroupBytes: scalarWorkgroupBytes(problem.n, wanted(problem), config),
      invocations: Math.max(config.threads * config.matrices, config.memory === "global" ? CHECK_THREADS : 0),
      scratchBytesPerItem: scratch.reduce((sum, { itemBytes }) => sum + itemBytes, 0),
      storageBuffers: portBindings(problem).length + scratch.length,
      features: [],
    };
  },

  plan(problem, config) {
    const needs = this.resources(problem, config);
    const scratch = scratchOf(problem, config);
    const global = config.memory === "global";
    const bindings: Binding[] = [
      ...portBindings(problem),
      ...scratch.map(({ name }) => ({ buffer: name, access: "read-write" }) as const),
    ];
    const sweep: DispatchStep = {
      kind: "dispatch",
      stage: "jacobi",
      module: "scalar",
      entry: "main",
      bindings,
      groups: { fixed: 0, perItem: { groups: 1, items: config.matrices } },
    };
    const counting: Binding[] = [
      { buffer: "state", access: "read" },
      { buffer: "left", access: "read-write" },
    ];
    const loop: Step = {
      kind: "loop",
      stage: "sweeps",
      steps: [sweep],
      closing: [
        { kind: "clear", stage: "check", buffer: "left" },
        {
          kind: "dispatch",
          stage: "check",
          module: "check",
          entry: "main",
          bindings: counting,
          groups: { fixed: 0, perItem: { groups: 1, items: CHECK_THREADS } },
        },
      ],
      maximum: MOST_SWEEPS,
      checkEvery: SWEEPS_A_CHECK,
      until: { buffer: "left", offset: 0, equals: 0 },
    };
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "eigh",
      algorithm: "scalar",
      buffers: [
        ...portBuffers(problem),
        ...scratch,
        ...(global
          ? [{ name: "left", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 } as const]
          : []),
      ],
      modules: [
        { name: "scalar", wgsl: scalarText(problem, config, bindings) },
        ...(global ? [{ name: "check", wgsl: scalarCheckText(problem, counting) }] : []),
      ],
      steps: [global ? loop : sweep],
      batch: {
        dimension: "batch",
        items: problem.batch,
        order: "independent",
        quantum: config.matrices,
        minimum: LEAST_MATRICES,
      },
      extents: strides(problem),
      requires: requirementsOf(needs),
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
