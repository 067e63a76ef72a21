import type { TuningTable } from "@tunelab/contract";
import { problemLabels } from "../labels.ts";
import { orderedEntries, rowsByRank } from "../summary.ts";
import { BEST, type ChartSpec, DEFAULT, INK, LOOK, positive, seconds, timeAxis, WIDTH } from "./look.ts";

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
  const { label, common } = problemLabels(entries.map(({ problem }) => problem));
  const values = entries.flatMap((entry) =>
    rowsByRank(entry)
      .filter(({ minUs }) => positive(minUs))
      .map((row) => ({
        problem: label(entry.problem),
        what: row.rank === 1 ? "best" : row.isDefault ? "default" : "other",
        time: seconds(row.minUs),
      })),
  );
  if (values.length === 0) return undefined;
  return {
    data: { values },
    title: {
      text: `${table.operation}: time of every candidate`,
      ...(common ? { subtitle: common } : {}),
    },
    width: WIDTH,
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
