import { type Problem, problemKey, type TableEntry, type TuningTable } from "@tunelab/contract";
import { bestRow, orderedEntries } from "../summary.ts";
import {
  BEST,
  type ChartSpec,
  DEFAULT,
  LINE_LEGEND,
  LOOK,
  positive,
  SERIES,
  seconds,
  timeAxis,
  WIDTH,
} from "./look.ts";

/** What a dimension counts, by its name: `n` gives `points of a spectrum`. */
export type DimensionWords = Readonly<Record<string, string>>;

/** `n: points of a spectrum`, or the bare name where nothing is known of it. */
export const dimensionTitle = (name: string, words: DimensionWords): string =>
  words[name] ? `${name}: ${words[name]}` : name;

/**
 * The best variant's time and the default's against the dimension that varies most (n when it varies), both scales
 * logarithmic; a line for each combination of the other dimensions. Undefined when no time or no numeric dimension exists.
 */
export function timesChart(table: TuningTable, words: DimensionWords = {}): ChartSpec | undefined {
  const entries = orderedEntries(table).filter((entry) => positive(bestRow(entry)?.minUs));
  const x = leadingDimension(entries);
  if (x === undefined) return undefined;
  const others = entries.map(({ problem }) => restOf(problem, x));
  const several = new Set(others).size > 1;
  const values = entries.flatMap((entry, index) => {
    const common = { x: entry.problem[x] as number, rest: others[index]! };
    return [
      { ...common, what: "best", time: seconds(bestRow(entry)!.minUs) },
      ...(positive(entry.defaultUs) ? [{ ...common, what: "default", time: seconds(entry.defaultUs) }] : []),
    ];
  });
  const title = dimensionTitle(x, words);
  return {
    data: { values },
    title: {
      text: `${table.operation}: time against ${x}`,
      ...(several ? { subtitle: "solid: best variant; dashed: default configuration" } : {}),
    },
    width: WIDTH,
    height: 300,
    config: LOOK,
    mark: { type: "line", point: { size: 50 } },
    encoding: {
      x: sizeAxis(
        several ? title : [title, others[0] ?? ""].filter(Boolean).join("; "),
        values.map((value) => value.x),
      ),
      y: {
        field: "time",
        type: "quantitative",
        scale: { type: "log" },
        axis: timeAxis(values.map(({ time }) => time)),
      },
      color: several
        ? {
            field: "rest",
            type: "nominal",
            scale: { range: [...SERIES] },
            title: null,
            sort: null,
            legend: LINE_LEGEND,
          }
        : {
            field: "what",
            type: "nominal",
            scale: { domain: ["best", "default"], range: [BEST, DEFAULT] },
            title: null,
            legend: LINE_LEGEND,
          },
      strokeDash: {
        field: "what",
        type: "nominal",
        scale: {
          domain: ["best", "default"],
          range: [
            [1, 0],
            [4, 3],
          ],
        },
        title: null,
        legend: several ? null : LINE_LEGEND,
      },
    },
  };
}

/** Data field `x`, a size on a scale of doublings, labelled at the sizes that were measured. */
export function sizeAxis(
  title: string,
  sizes: readonly number[],
): { field: "x"; type: "quantitative"; scale: object; axis: object } {
  return {
    field: "x",
    type: "quantitative",
    scale: { type: "log", base: 2 },
    axis: { title, values: [...new Set(sizes)], format: "d", labelOverlap: true },
  };
}

/** The dimension to read along: n when it varies, else the numeric one with most values (then by name), else n or the first. */
export function leadingDimension(entries: readonly Pick<TableEntry, "problem">[]): string | undefined {
  const names = [...new Set(entries.flatMap(({ problem }) => Object.keys(problem)))].sort();
  const numeric = names.filter((name) =>
    entries.every(({ problem }) => typeof problem[name] === "number" && positive(problem[name])),
  );
  const count = (name: string): number => new Set(entries.map(({ problem }) => problem[name])).size;
  const best = Math.max(...numeric.map(count));
  if (numeric.includes("n") && (count("n") > 1 || best === 1)) return "n";
  return numeric.find((name) => count(name) === best);
}

/** The problem's other dimensions as text. */
export function restOf(problem: Problem, name: string): string {
  return problemKey(Object.fromEntries(Object.entries(problem).filter(([key]) => key !== name)));
}
