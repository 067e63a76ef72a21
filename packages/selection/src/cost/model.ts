import type { CostModel } from "@tunelab/contract";
import { ERROR_DIGITS, median, round } from "../rules.ts";

/** One run as a cost model sees it, whatever the operation. */
export interface Load {
  /** Operations of the whole batch, and bytes that they ask of global memory, by the algorithm's own count. */
  readonly flops: number;
  readonly requestedBytes: number;
  /** Invocations of the plan's largest dispatch: what shares the operations. */
  readonly invocations: number;
}

/** A run that was timed. `group` names runs that are alike: they are left out of the fit together. */
export interface TimedLoad extends Load {
  readonly us: number;
  readonly group: string | number;
}

/** Digits of coefficients: finer than any of them is known. */
const DIGITS = 4;

/** Fewer runs than this say nothing of four coefficients. */
const FEWEST = 8;

/** What each coefficient counts: a run, operations of one invocation, operations of all, bytes of all. */
const termsOf = ({ flops, requestedBytes, invocations }: Load): readonly number[] => [
  1,
  flops / invocations,
  flops,
  requestedBytes,
];

/**
 * Microseconds that a run should take: b + s flops / invocations + g flops + m bytes. The second term is the time of one invocation's
 * own instructions, however many run beside it; the third what a full device gets through; so that twice the threads halve the one and
 * twice the batch doubles the other.
 */
export function expectedUs({ fixedUs, serialUs, flopUs, byteUs }: CostModel, load: Load): number {
  const [one, serial, flops, bytes] = termsOf(load) as [number, number, number, number];
  return fixedUs * one + serialUs * serial + flopUs * flops + byteUs * bytes;
}

/** The same with the factor by which the model was ever short: what a budget is held against. */
export const boundUs = (model: CostModel, load: Load): number => model.shortBy * expectedUs(model, load);

/**
 * The model of the least squared relative error whose coefficients are none of them negative, so that more work never costs less; with the
 * factor by which it is off, each group of runs left out of the fit in turn. Undefined for too few runs. Pure.
 */
export function fitCost(runs: readonly TimedLoad[]): CostModel | undefined {
  if (runs.length < FEWEST) return undefined;
  const fitted = coefficients(runs);
  const groups = [...new Set(runs.map(({ group }) => group))];
  const judged =
    groups.length < 2
      ? runs.map((run) => offBy(fitted, run))
      : groups.flatMap((group) => {
          const others = coefficients(runs.filter((run) => run.group !== group));
          return runs.filter((run) => run.group === group).map((run) => offBy(others, run));
        });
  const apart = judged.map((factor) => Math.max(factor, 1 / factor));
  return {
    ...fitted,
    runs: runs.length,
    medianOff: round(median(apart), ERROR_DIGITS),
    worstOff: round(Math.max(...apart), ERROR_DIGITS),
    shortBy: round(Math.max(1, ...judged), ERROR_DIGITS),
  };
}

type Coefficients = Pick<CostModel, "fixedUs" | "serialUs" | "flopUs" | "byteUs">;

/** Time over what the model says. */
const offBy = (fitted: Coefficients, run: TimedLoad): number =>
  run.us / expectedUs({ ...fitted, runs: 0, medianOff: 1, worstOff: 1, shortBy: 1 }, run);

function coefficients(runs: readonly TimedLoad[]): Coefficients {
  // Relative errors: every equation over its own time.
  const rows = runs.map((run) => termsOf(run).map((term) => term / run.us));
  const scales = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!)) || 1);
  const scaled = rows.map((row) => row.map((term, column) => term / scales[column]!));
  const found = nonNegative(scaled).map((value, column) => round(value / scales[column]!, DIGITS));
  const [fixedUs, serialUs, flopUs, byteUs] = found as [number, number, number, number];
  return { fixedUs, serialUs, flopUs, byteUs };
}

/** Non-negative x of the least |A x - 1|^2: the best of all supports whose own least squares are positive. */
function nonNegative(rows: readonly (readonly number[])[]): readonly number[] {
  const width = rows[0]!.length;
  const lossOf = (x: readonly number[]): number =>
    rows.reduce((sum, row) => sum + (row.reduce((dot, term, at) => dot + term * x[at]!, 0) - 1) ** 2, 0);
  let best: readonly number[] = Array(width).fill(0);
  let least = lossOf(best);
  for (let support = 1; support < 2 ** width; support++) {
    const columns = Array.from({ length: width }, (_, column) => column).filter(
      (column) => Math.floor(support / 2 ** column) % 2 === 1,
    );
    const solved = leastSquares(rows, columns);
    if (!solved?.every((value) => value > 0)) continue;
    const x = Array.from({ length: width }, (_, column) => solved[columns.indexOf(column)] ?? 0);
    const loss = lossOf(x);
    if (loss < least) [best, least] = [x, loss];
  }
  return best;
}

/** Normal equations of some columns by elimination with pivots; undefined where they are not independent. */
function leastSquares(
  rows: readonly (readonly number[])[],
  columns: readonly number[],
): readonly number[] | undefined {
  const size = columns.length;
  const system = columns.map((a) => [
    ...columns.map((b) => rows.reduce((sum, row) => sum + row[a]! * row[b]!, 0)),
    rows.reduce((sum, row) => sum + row[a]!, 0),
  ]);
  for (let at = 0; at < size; at++) {
    const pivot = system
      .slice(at)
      .reduce(
        (most, row, index) => (Math.abs(row[at]!) > Math.abs(system[at + most]![at]!) ? index : most),
        0,
      );
    [system[at], system[at + pivot]] = [system[at + pivot]!, system[at]!];
    const lead = system[at]![at]!;
    if (!(Math.abs(lead) > SINGULAR)) return undefined;
    for (let row = 0; row < size; row++) {
      if (row === at) continue;
      const factor = system[row]![at]! / lead;
      for (let column = at; column <= size; column++) system[row]![column]! -= factor * system[at]![column]!;
    }
  }
  return system.map((row, at) => row[size]! / row[at]!);
}

/** Columns scaled to at most 1 a run: a pivot under this is one column seen twice. */
const SINGULAR = 1e-12;
