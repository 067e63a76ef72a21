import {
  type Algorithm,
  type Binding,
  CONTRACT_VERSION,
  Fault,
  type GroupCount,
  requirementsOf,
} from "@tunelab/contract";
import { pointsBuffer } from "../../buffers.ts";
import {
  COMPLEX_BYTES,
  type FftProblem,
  FOUR_STEP_N,
  leastItems,
  signOf,
  transformFlops,
} from "../../problem.ts";
import {
  exchangedBytes,
  exchangeMemory,
  looseBuiltins,
  shapeFor,
  transformFor,
  workgroupBytes,
} from "../../transform-space.ts";
import type { BetweenOptions } from "./between.ts";
import { defaultSteps } from "./default.ts";
import { type FourStepConfig, fourStepSpace, stepConfig, stepLengths } from "./space.ts";
import { readsTable, stepTables, turnBuffer } from "./tables.ts";
import { columnsText, rowsText, type StepText } from "./text.ts";

/**
 * n = n1 n2 in two dispatches (Bailey 1990, "FFTs in external or hierarchical memory"; the transpositions are in the
 * addresses): transforms of the columns of an n1 x n2 matrix, factors w^(column k1), transforms of its rows, written by columns. Every
 * point goes through scratch once: twice the traffic of one workgroup, and no limit on n but memory.
 */
export const fourStep: Algorithm<FftProblem, FourStepConfig> = {
  name: "four-step",
  space: ({ n }) => fourStepSpace(n),

  defaultConfig: ({ n }, { limits }) =>
    defaultSteps(
      n,
      limits,
      (steps): FourStepConfig => ({ ...steps, layout: "rows" }),
      (config) => stepMemory(n, config),
    ),

  resources({ n }, config) {
    const [columns, rows] = stepLengths(n, config).map((length) => Number(readsTable(length, config)));
    return {
      workgroupBytes: stepMemory(n, config),
      invocations: (config.side * Math.max(...stepLengths(n, config))) / config.points,
      scratchBytesPerItem: n * COMPLEX_BYTES,
      storageBuffers: Math.max(2 + columns! + (config.between === "direct" ? 0 : 1), 2 + rows!),
      features: [],
      looseBuiltins: config.between === "direct" ? ["cos", "sin"] : looseBuiltins(config),
    };
  },

  plan(problem, config) {
    const { n, batch, direction } = problem;
    if (n < FOUR_STEP_N) {
      throw new Fault(
        "unsupported",
        `${n} points are too few to split, ${FOUR_STEP_N} at least: choose one-workgroup`,
      );
    }
    const sign = signOf(direction);
    const { side, layout } = config;
    const [columns, rows] = stepLengths(n, config);
    const [columnTable, rowTable] = stepTables(n, config, sign);
    const between: BetweenOptions = { n, sign, between: config.between };
    const turns = turnBuffer(between);
    const bind = (from: string, to: string, ...constants: (string | undefined)[]): Binding[] => [
      { buffer: from, access: "read" },
      ...constants.flatMap((buffer) => (buffer ? [{ buffer, access: "read" } as const] : [])),
      { buffer: to, access: "read-write" },
    ];
    const step = (
      name: StepText["name"],
      length: number,
      table: string | undefined,
      bindings: readonly Binding[],
    ): StepText => ({
      ...{ n, name, threads: "across" },
      shape: shapeFor(length, stepConfig(length, config)),
      options: { ...transformFor(stepConfig(length, config), sign), ...(table ? { table } : {}) },
      side,
      layout,
      bindings,
    });
    const first = step(
      "column",
      columns,
      columnTable?.name,
      bind("input", "scratch", columnTable?.name, turns?.name),
    );
    const second = step("row", rows, rowTable?.name, bind("scratch", "output", rowTable?.name));
    const groups = (length: number): GroupCount => ({
      fixed: 0,
      perItem: { groups: n / length / side, items: 1 },
    });
    const needs = this.resources(problem, config);
    const tables = [columnTable, rowTable, turns].filter((buffer) => buffer !== undefined);
    return {
      contract: CONTRACT_VERSION,
      operation: "fft",
      algorithm: "four-step",
      buffers: [
        pointsBuffer("input", "in", n),
        // Steps of one length read one table.
        ...new Map(tables.map((buffer) => [buffer.name, buffer])).values(),
        pointsBuffer("scratch", "scratch", n),
        pointsBuffer("output", "out", n),
      ],
      modules: [
        { name: "columns", wgsl: columnsText(first, between) },
        { name: "rows", wgsl: rowsText(second) },
      ],
      steps: [
        {
          kind: "dispatch",
          stage: "columns",
          module: "columns",
          entry: "main",
          bindings: first.bindings,
          groups: groups(columns),
        },
        {
          kind: "dispatch",
          stage: "rows",
          module: "rows",
          entry: "main",
          bindings: second.bindings,
          groups: groups(rows),
        },
      ],
      batch: { dimension: "batch", items: batch, order: "independent", quantum: 1, minimum: leastItems(n) },
      extents: {},
      requires: requirementsOf(needs),
    };
  },

  cost({ n, batch }, config) {
    const bytes = 2 * batch * n * COMPLEX_BYTES;
    const exchanged = stepLengths(n, config).reduce(
      (sum, length) => sum + (n / length) * exchangedBytes(length, stepConfig(length, config)),
      0,
    );
    return {
      flops: batch * transformFlops(n),
      requestedBytes: 2 * bytes,
      compulsoryBytes: bytes,
      workgroupBytes: batch * exchanged,
    };
  },

  parityClass: (_problem, { split, radix, butterfly, twiddles, between, points }) =>
    // A walk's roundings depend on how far it goes.
    [split, radix, butterfly, twiddles, between, between === "walk" ? points : ""].join("/"),
};

/** Bytes of workgroup memory of the hungrier step. */
const stepMemory = (n: number, config: FourStepConfig): number =>
  Math.max(
    ...stepLengths(n, config).map((length) =>
      workgroupBytes(config.side * exchangeMemory(length, stepConfig(length, config))),
    ),
  );
