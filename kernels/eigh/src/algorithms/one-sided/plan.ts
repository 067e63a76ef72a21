import { type Algorithm, CONTRACT_VERSION, type Plan, requirementsOf } from "@tunelab/contract";
import { portBindings, portBuffers, strides } from "../../buffers.ts";
import { compulsoryBytes, type EighProblem, expectedSweeps } from "../../problem.ts";
import { talkBytes, WIDEST_SUBGROUP } from "../../wgsl/lanes.ts";
import { lanesFor, type OneSidedConfig, oneSidedSpace } from "./space.ts";
import { oneSidedText } from "./text.ts";

/** Pieces below this leave most devices idle. */
const LEAST_MATRICES = 32;

/**
 * One-sided Jacobi in registers, n to 64: a thread keeps two columns, so that a turn needs no memory, and no vectors are gathered. Half of the two-sided form's
 * arithmetic. Values are exact to eps times the norm, also those of graded matrices that are smaller.
 */
export const oneSided: Algorithm<EighProblem, OneSidedConfig> = {
  name: "one-sided",
  space: ({ n }) => oneSidedSpace(n),

  defaultConfig({ n }) {
    // 32 elements of a column a thread, so that threads have company on a compute unit; and 4 or 8 KB for the columns on the way.
    const split = n <= 32 ? 1 : n <= 64 ? 2 : 4;
    return {
      workgroup: Math.max(64, lanesFor(n, split).lanes),
      split,
      exchange: "memory",
      chunk: n <= 64 ? 4 : 2,
    };
  },

  resources(problem, config) {
    const bySubgroup = config.exchange === "subgroup";
    return {
      workgroupBytes: talkBytes(lanesFor(problem.n, config.split), config),
      invocations: config.workgroup,
      scratchBytesPerItem: 0,
      storageBuffers: portBindings(problem).length,
      features: bySubgroup ? ["subgroups"] : [],
      ...(bySubgroup
        ? {
            subgroup: {
              minimum: lanesFor(problem.n, config.split).lanes,
              maximum: Math.min(WIDEST_SUBGROUP, config.workgroup),
            },
          }
        : {}),
    };
  },

  plan(problem, config) {
    const needs = this.resources(problem, config);
    const bindings = portBindings(problem);
    const matrices = config.workgroup / lanesFor(problem.n, config.split).lanes;
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "eigh",
      algorithm: "one-sided",
      buffers: portBuffers(problem),
      modules: [{ name: "one-sided", wgsl: oneSidedText(problem, config, bindings) }],
      steps: [
        {
          kind: "dispatch",
          stage: "jacobi",
          module: "one-sided",
          entry: "main",
          bindings,
          groups: { fixed: 0, perItem: { groups: 1, items: matrices } },
        },
      ],
      batch: {
        dimension: "batch",
        items: problem.batch,
        order: "independent",
        quantum: matrices,
        minimum: LEAST_MATRICES,
      },
      extents: strides(problem),
      requires: requirementsOf(needs),
    };
    return plan;
  },

  cost(problem, config) {
    const { n, batch } = problem;
    const { lanes, playing, quads } = lanesFor(n, config.split);
    // Rounds of a sweep: every thread's dot product and turn, 10 operations an element, and 40 to find the turn.
    const rounds = batch * expectedSweeps(n) * 2 * playing;
    const compulsory = batch * compulsoryBytes(problem);
    return {
      flops: rounds * lanes * (40 * quads + 40),
      requestedBytes: compulsory,
      compulsoryBytes: compulsory,
      workgroupBytes: config.exchange === "memory" ? rounds * lanes * (32 * quads + 8) : 0,
    };
  },
};
