import {
  type Algorithm,
  type Binding,
  type BufferSpec,
  CONTRACT_VERSION,
  Fault,
  type GroupCount,
  type Step as PlanStep,
  requirementsOf,
} from "@tunelab/contract";
import {
  type BetweenOptions,
  defaultSteps,
  exchangedBytes,
  exchangeMemory,
  FOUR_STEP_N,
  leastItems,
  looseBuiltins,
  paired,
  readsStorage,
  readsTable,
  type Shape,
  type Step,
  shapeFor,
  stepConfig,
  stepLengths,
  stepTables,
  tableAccess,
  transformFor,
  turnBuffer,
  workgroupBytes,
} from "@tunelab/kernel-fft";
import { wholeBuffers } from "../../buffers.ts";
import {
  COMPLEX_BYTES,
  INVERSE,
  type MatchedFilterProblem,
  PAIR_BYTES,
  pairFlops,
  RECORD_BYTES,
  thresholdExtents,
} from "../../problem.ts";
import { reductionMemory } from "../../wgsl/peak.ts";
import { type FourStepConfig, fourStepSpace } from "./space.ts";
import { columnsText, finishText, finishThreads, rowsText } from "./text.ts";

/** Invocations that the default fills with short rows: a subgroup of the widest devices. */
const DEFAULT_FILL = 64;

/**
 * Spectra too long for one workgroup, n = n1 n2, in three dispatches (Bailey 1990, "FFTs in external or hierarchical memory"): products
 * and transforms of the columns of an n1 x n2 matrix, times w^(column k1); transforms of its rows with the peak of every few; the peak of
 * those. The correlation goes through n complex numbers of scratch a pair once, half-way, and is never stored itself.
 */
export const fourStep: Algorithm<MatchedFilterProblem, FourStepConfig> = {
  name: "four-step",
  space: ({ n }) => fourStepSpace(n),

  defaultConfig: ({ n }, { limits }) =>
    defaultSteps(
      n,
      limits,
      (steps): FourStepConfig => {
        const rows = Math.min(16, Math.max(1, (DEFAULT_FILL * steps.points * steps.split) / n));
        return { ...steps, rows, reduction: "tree", loads: "scalar" };
      },
      (config) => memoryOf(n, config),
    ),

  resources({ n }, config) {
    const { side, rows, points, between, twiddles, reduction } = config;
    const lengths = stepLengths(n, config);
    const tables = lengths.map((length) => Number(readsStorage(twiddles) && readsTable(length, config)));
    return {
      workgroupBytes: memoryOf(n, config),
      invocations: Math.max(
        (side * lengths[0]) / points,
        (rows * lengths[1]) / points,
        finishThreads(tilesOf(config)),
      ),
      scratchBytesPerItem: n * COMPLEX_BYTES + tilesOf(config) * RECORD_BYTES,
      storageBuffers: 4 + tables[0]! + (between === "direct" ? 0 : 1),
      features: reduction === "subgroup" ? ["subgroups"] : [],
      looseBuiltins: between === "direct" ? ["cos", "sin"] : looseBuiltins(config),
    };
  },

  plan(problem, config) {
    const { n, pairs } = problem;
    if (n < FOUR_STEP_N) {
      throw new Fault(
        "unsupported",
        `${n} points are too few to split, ${FOUR_STEP_N} at least: choose fused`,
      );
    }
    const [columns, rows] = stepLengths(n, config);
    const [columnTable, rowTable] = stepTables(n, config, INVERSE);
    const between: BetweenOptions = { n, sign: INVERSE, between: config.between };
    const turns = turnBuffer(between);
    const read = (buffer: string): Binding => ({ buffer, access: "read" });
    const written = (buffer: string): Binding => ({ buffer, access: "read-write" });
    const tabled = (table: BufferSpec | undefined): Binding[] =>
      table ? [{ buffer: table.name, access: tableAccess(config.twiddles) }] : [];
    const first: Step = {
      ...{ n, name: "column", threads: "across", side: config.side },
      shape: shapeFor(columns, stepConfig(columns, config)),
      options: optionsOf(columns, config, columnTable),
      bindings: [
        ...["data", "templates", "pairs"].map(read),
        ...tabled(columnTable),
        ...(turns ? [read(turns.name)] : []),
        written("scratch"),
      ],
    };
    const second: Step = {
      ...{ n, name: "row", threads: "along", side: config.rows },
      shape: rowShape(n, config),
      options: optionsOf(rows, config, rowTable),
      bindings: [read("scratch"), ...tabled(rowTable), written("partials")],
    };
    const finish = [read("partials"), written("records")];
    const partials = tilesOf(config);
    const dispatch = (stage: string, bindings: readonly Binding[], groups: number): PlanStep => ({
      ...{ kind: "dispatch", stage, module: stage, entry: "main", bindings },
      groups: { fixed: 0, perItem: { groups, items: 1 } } satisfies GroupCount,
    });
    const { inputs, records } = wholeBuffers(problem);
    const tables = [columnTable, rowTable, turns].filter((buffer) => buffer !== undefined);
    const scratch = (name: string, dtype: "f32" | "u32", itemBytes: number): BufferSpec => ({
      ...{ name, role: "scratch", dtype, fixedBytes: 0, itemBytes },
    });
    return {
      contract: CONTRACT_VERSION,
      operation: "matched-filter",
      algorithm: "four-step",
      buffers: [
        ...inputs,
        // Steps of one length read one table.
        ...new Map(tables.map((buffer) => [buffer.name, buffer])).values(),
        scratch("scratch", "f32", n * COMPLEX_BYTES),
        scratch("partials", "u32", partials * RECORD_BYTES),
        records,
      ],
      modules: [
        { name: "columns", wgsl: columnsText(first, between) },
        { name: "rows", wgsl: rowsText(second, config) },
        { name: "finish", wgsl: finishText(problem, partials, config.reduction, finish) },
      ],
      steps: [
        dispatch("columns", first.bindings, n / columns / config.side),
        dispatch("rows", second.bindings, partials),
        dispatch("finish", finish, 1),
      ],
      batch: { dimension: "pairs", items: pairs, order: "independent", quantum: 1, minimum: leastItems(n) },
      extents: thresholdExtents(problem),
      requires: requirementsOf(this.resources(problem, config)),
    };
  },

  cost({ n, data, templates, pairs }, config) {
    const exchanged = stepLengths(n, config).reduce(
      (sum, length) => sum + (n / length) * exchangedBytes(length, stepConfig(length, config)),
      0,
    );
    const scratch = 2 * (n * COMPLEX_BYTES + tilesOf(config) * RECORD_BYTES);
    return {
      flops: pairs * pairFlops(n),
      requestedBytes: pairs * (2 * n * COMPLEX_BYTES + scratch + PAIR_BYTES + RECORD_BYTES),
      compulsoryBytes: (data + templates) * n * COMPLEX_BYTES + pairs * (PAIR_BYTES + RECORD_BYTES),
      workgroupBytes: pairs * exchanged,
    };
  },
};

/** Tiles of rows of a pair, a partial peak each. */
const tilesOf = ({ split, rows }: FourStepConfig): number => split / rows;

const optionsOf = (
  length: number,
  config: FourStepConfig,
  table: BufferSpec | undefined,
): Step["options"] => ({
  ...transformFor(stepConfig(length, config), INVERSE),
  ...(table ? { table: table.name } : {}),
});

/** How the threads of a row hold it. */
function rowShape(n: number, config: FourStepConfig): Shape {
  const [, length] = stepLengths(n, config);
  const shape = shapeFor(length, stepConfig(length, config));
  return config.loads === "vector" ? paired(shape) : shape;
}

/** Bytes of workgroup memory of the hungriest step. */
function memoryOf(n: number, config: FourStepConfig): number {
  const { side, rows, points, reduction } = config;
  const [columns, length] = stepLengths(n, config);
  const exchange = (of: number): number => exchangeMemory(of, stepConfig(of, config));
  return Math.max(
    workgroupBytes(side * exchange(columns)),
    workgroupBytes(rows * exchange(length), ...reductionMemory(reduction, (rows * length) / points)),
    workgroupBytes(...reductionMemory(reduction, finishThreads(tilesOf(config)))),
  );
}
