import {
  type Algorithm,
  type Binding,
  CONTRACT_VERSION,
  type DispatchStep,
  type Plan,
  requirementsOf,
} from "@tunelab/contract";
import { portBindings, portBuffers, strides } from "../../buffers.ts";
import {
  compulsoryBytes,
  type EighProblem,
  expectedSweeps,
  FLOAT_BYTES,
  MOST_SWEEPS,
} from "../../problem.ts";
import { talkBytes, WIDEST_SUBGROUP } from "../../wgsl/lanes.ts";
import { CHECK_THREADS, checkText, END_THREADS, finishText, startText } from "./ends.ts";
import { roundText } from "./round.ts";
import { type BlockConfig, blockSpace, blocksOf, lanesFor } from "./space.ts";
import { STATE } from "./state.ts";

/** Workgroups below which most devices are not filled: what a piece of the batch holds at least. */
const LEAST_TASKS = 32;

/** Bytes of `var<workgroup>` of the kernel after the rounds: a line, lengths and places. */
const finishBytes = (n: number): number => 4 * END_THREADS + 2 * Math.ceil((4 * n) / 16) * 16;

/**
 * One-sided Jacobi by blocks of columns, for matrices that no workgroup holds: columns stay in global memory, and a dispatch turns the columns of
 * every two blocks that meet in a round. The host reads back after whole sweeps whether a matrix goes on.
 */
export const block: Algorithm<EighProblem, BlockConfig> = {
  name: "block",
  space: ({ n }) => blockSpace(n),

  defaultConfig({ n }) {
    // 16 elements of a column a thread at most, and no more threads a pair than have rows.
    const size = n > 16 ? 8 : n > 8 ? 4 : 2;
    const split = Math.min(32, 2 ** Math.ceil(Math.log2(Math.max(1, n / 16))));
    const workgroup = Math.max(64, lanesFor(n, { block: size, split }).lanes);
    return {
      block: size,
      inner: 1,
      workgroup,
      split,
      exchange: "memory",
      chunk: workgroup > 128 ? 2 : 4,
      check: 2,
    };
  },

  resources(problem, config) {
    const shape = lanesFor(problem.n, config);
    const bySubgroup = config.exchange === "subgroup";
    return {
      workgroupBytes: Math.max(talkBytes(shape, config), finishBytes(problem.n)),
      invocations: Math.max(config.workgroup, END_THREADS),
      scratchBytesPerItem: FLOAT_BYTES * (problem.n ** 2 + STATE.words),
      storageBuffers: portBindings(problem).length - 1 + 2,
      features: bySubgroup ? ["subgroups"] : [],
      ...(bySubgroup
        ? { subgroup: { minimum: shape.lanes, maximum: Math.min(WIDEST_SUBGROUP, config.workgroup) } }
        : {}),
    };
  },

  plan(problem, config) {
    const { n } = problem;
    const needs = this.resources(problem, config);
    const blocks = blocksOf(n, config.block);
    const tasks = config.workgroup / lanesFor(n, config).lanes;
    const columns: Binding = { buffer: "basis", access: "read-write" };
    const state: Binding = { buffer: "state", access: "read-write" };
    const step = (
      name: string,
      bindings: readonly Binding[],
      groups: DispatchStep["groups"],
    ): DispatchStep => ({
      kind: "dispatch",
      stage: name,
      module: name,
      entry: "main",
      bindings,
      groups,
    });
    const aMatrix = { fixed: 0, perItem: { groups: 1, items: 1 } };
    const start = step("start", [{ buffer: "matrices", access: "read" }, columns, state], aMatrix);
    // A piece of `items` matrices has items * pairs tasks: whole workgroups for each matrix, the last of a piece perhaps idle in part.
    const round = step("round", [columns, state], roundGroups(blocks.pairs, tasks));
    const check = step("check", [state, { buffer: "left", access: "read-write" }], {
      fixed: 0,
      perItem: { groups: 1, items: CHECK_THREADS },
    });
    const [, ...outputs] = portBindings(problem);
    const finish = step("finish", [...outputs, columns, state], aMatrix);
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "eigh",
      algorithm: "block",
      buffers: [
        ...portBuffers(problem),
        { name: "basis", role: "scratch", dtype: "f32", fixedBytes: 0, itemBytes: FLOAT_BYTES * n * n },
        { name: "state", role: "scratch", dtype: "u32", fixedBytes: 0, itemBytes: 4 * STATE.words },
        { name: "left", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 },
      ],
      modules: [
        { name: "start", wgsl: startText(problem, start.bindings) },
        { name: "round", wgsl: roundText(problem, config, round.bindings) },
        { name: "check", wgsl: checkText(problem, config.block, check.bindings) },
        { name: "finish", wgsl: finishText(problem, finish.bindings) },
      ],
      steps: [
        start,
        {
          kind: "loop",
          stage: "sweeps",
          steps: [round],
          closing: [{ kind: "clear", stage: "check", buffer: "left" }, check],
          maximum: blocks.rounds * MOST_SWEEPS,
          checkEvery: blocks.rounds * config.check,
          until: { buffer: "left", offset: 0, equals: 0 },
        },
        finish,
      ],
      batch: {
        dimension: "batch",
        items: problem.batch,
        order: "independent",
        quantum: 1,
        minimum: Math.ceil((LEAST_TASKS * tasks) / blocks.pairs),
      },
      extents: strides(problem),
      requires: requirementsOf(needs),
    };
    return plan;
  },

  cost(problem, config) {
    const { n, batch } = problem;
    const { lanes, playing, quads } = lanesFor(n, config);
    const { pairs, rounds } = blocksOf(n, config.block);
    const meetings = batch * expectedSweeps(n) * rounds * pairs;
    const turns = meetings * 2 * playing * config.inner;
    const compulsory = batch * compulsoryBytes(problem);
    return {
      flops: turns * lanes * (40 * quads + 40),
      requestedBytes: compulsory + meetings * 2 * FLOAT_BYTES * 2 * config.block * n,
      compulsoryBytes: compulsory,
      workgroupBytes: config.exchange === "memory" ? turns * lanes * (32 * quads + 8) : 0,
    };
  },
};

/** Workgroups that hold `pairs` tasks a matrix, `tasks` a workgroup: exact where one divides the other, else rounded up a matrix. */
function roundGroups(pairs: number, tasks: number): DispatchStep["groups"] {
  if (tasks % pairs === 0) return { fixed: 0, perItem: { groups: 1, items: tasks / pairs } };
  return { fixed: 0, perItem: { groups: Math.ceil(pairs / tasks), items: 1 } };
}
