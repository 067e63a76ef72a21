import { type Problem, problemKey, type TableEntry, type TuningTable } from "@tunelab/contract";
import type { TopLevelSpec } from "vega-lite";
import { bestRow, orderedEntries, rowsByRank } from "./summary.ts";

/** What `chartSvg` draws. */
export type ChartSpec = TopLevelSpec;

/** Grey of text and axes: contrast 4.5 to 1 on white and 4.6 to 1 on black. */
const INK = "#767676";

/** Mid tones at 3 to 1 or better on white and on black; blue and orange stay apart for the colour-blind. */
const SERIES = ["#2f7fc8", "#cf6a17", "#2e9958", "#a45fc4", "#c8505f", "#85811c"] as const;
const BEST = SERIES[0];
const DEFAULT = SERIES[1];

/** Explicit colours on a transparent ground: readable on a light page and on a dark one. */
const LOOK = {
  background: "transparent",
  font: "sans-serif",
  title: { color: INK, subtitleColor: INK, fontSize: 13, anchor: "start" },
  axis: {
    labelColor: INK,
    titleColor: INK,
    domainColor: INK,
    tickColor: INK,
    gridColor: INK,
    gridOpacity: 0.25,
    labelFontSize: 11,
    labelLimit: 400,
  },
  legend: { labelColor: INK, titleColor: INK, labelLimit: 400 },
  view: { stroke: null },
} as const;

/** Data are seconds, so that one label serves nanoseconds to minutes: 200ns, 3µs, 40ms. */
function timeAxis(times: readonly number[]): object {
  return {
    title: "time of one run",
    values: timeTicks(Math.min(...times), Math.max(...times)),
    labelExpr: "format(datum.value, '~s') + 's'",
    labelOverlap: true,
  };
}

/** Powers of ten; over less than three of them also twice and five times each. Vega's own choice labels 7µs and 60µs. */
function timeTicks(least: number, most: number): readonly number[] {
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = first; power <= last; power++) {
    for (const step of steps) ticks.push(Number(`${step}e${power}`));
  }
  return ticks;
}

/** Legend symbols as pieces of line. */
const LINE_LEGEND = { symbolType: "stroke", symbolSize: 300, symbolStrokeWidth: 2 } as const;

const seconds = (microseconds: number): number => microseconds / 1e6;

/**
 * The best variant's time and the default's against the dimension that varies most (n when it varies), both scales
 * logarithmic; a line for each combination of the other dimensions. Undefined when no time or no numeric dimension exists.
 */
export function timesChart(table: TuningTable): ChartSpec | undefined {
  const entries = orderedEntries(table).filter((entry) => positive(bestRow(entry)?.minUs));
  const x = leadingDimension(entries);
  if (x === undefined) return undefined;
  const others = entries.map(({ problem }) => restOf(problem, x));
  const several = new Set(others).size > 1;
  const values = entries.flatMap((entry, index) => {
    const common = { x: entry.problem[x] as number, rest: others[index]! };
    return [
      { ...common, what: "best", time: seconds(bestRow(entry)!.minUs) },
      ...(positive(entry.defaultUs) ? [{ ...common, what: "default", time: seconds(entry.defaultUs!) }] : []),
    ];
  });
  return {
    data: { values },
    title: {
      text: `${table.operation}: time against ${x}`,
      ...(several ? { subtitle: "solid: best variant; dashed: default configuration" } : {}),
    },
    width: 480,
    height: 300,
    config: LOOK,
    mark: { type: "line", point: { size: 50 } },
    encoding: {
      x: {
        field: "x",
        type: "quantitative",
        scale: { type: "log", base: 2 },
        axis: {
          title: several ? x : [x, others[0] ?? ""].filter(Boolean).join("; "),
          values: [...new Set(values.map((value) => value.x))],
          format: "d",
          labelOverlap: true,
        },
      },
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

const OTHERS = {
  transform: [{ filter: "datum.what == 'other'" }],
  mark: { type: "tick" as const, thickness: 2, size: 12 },
};

const LEADERS = {
  transform: [{ filter: "datum.what != 'other'" }],
  mark: { type: "point" as const, filled: true, size: 70, opacity: 1 },
};

/**
 * Every candidate's time, a line of marks for each problem on one logarithmic scale: how much there was to win and how
 * crowded the top is. Undefined when there is no time to draw.
 */
export function candidatesChart(table: TuningTable): ChartSpec | undefined {
  const entries = orderedEntries(table);
  const values = entries.flatMap((entry) =>
    rowsByRank(entry)
      .filter(({ minUs }) => positive(minUs))
      .map((row) => ({
        problem: problemKey(entry.problem),
        what: row.rank === 1 ? "best" : row.isDefault ? "default" : "other",
        time: seconds(row.minUs),
      })),
  );
  if (values.length === 0) return undefined;
  return {
    data: { values },
    title: `${table.operation}: time of every candidate`,
    width: 480,
    height: { step: 22 },
    config: LOOK,
    encoding: {
      x: {
        field: "time",
        type: "quantitative",
        scale: { type: "log" },
        axis: timeAxis(values.map(({ time }) => time)),
      },
      y: {
        field: "problem",
        type: "nominal",
        sort: [...new Set(values.map(({ problem }) => problem))],
        axis: { title: null, grid: true },
      },
      color: {
        field: "what",
        type: "nominal",
        scale: { domain: ["best", "default", "other"], range: [BEST, DEFAULT, INK] },
        title: null,
        legend: { symbolType: "circle", symbolSize: 70 },
      },
    },
    // A layer without data would have no extent, which Vega reports as a fault.
    layer: values.some(({ what }) => what === "other") ? [OTHERS, LEADERS] : [LEADERS],
  };
}

const positive = (value: number | undefined): boolean =>
  value !== undefined && Number.isFinite(value) && value > 0;

/** The dimension to read along: n when it varies, else the numeric one with most values (then by name), else n or the first. */
function leadingDimension(entries: readonly TableEntry[]): string | undefined {
  const names = [...new Set(entries.flatMap(({ problem }) => Object.keys(problem)))].sort();
  const numeric = names.filter((name) =>
    entries.every(({ problem }) => typeof problem[name] === "number" && positive(problem[name])),
  );
  const count = (name: string): number => new Set(entries.map(({ problem }) => problem[name])).size;
  const best = Math.max(...numeric.map(count));
  if (numeric.includes("n") && (count("n") > 1 || best === 1)) return "n";
  return numeric.find((name) => count(name) === best);
}

function restOf(problem: Problem, name: string): string {
  return problemKey(Object.fromEntries(Object.entries(problem).filter(([key]) => key !== name)));
}
