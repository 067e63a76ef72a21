import { type ChartSpec, LINE_LEGEND, LOOK, SERIES, WIDTH } from "./look.ts";

/** A line: how near to the optimum the best of the first `evaluations` variants was. */
export interface FoundLine {
  /** Tells lines apart that look the same: two sessions' of one problem. */
  readonly id: string;
  readonly problem: string;
  readonly by: string;
  readonly points: readonly { readonly evaluations: number; readonly fraction: number }[];
}

/** Fraction of the optimum over variants tried (logarithmic): colour by problem, stroke by who searched. */
export function foundChart(lines: readonly FoundLine[]): ChartSpec | undefined {
  const values = lines.flatMap(({ id, problem, by, points }) =>
    points.map((point) => ({ id, problem, by, ...point })),
  );
  if (values.length === 0) return undefined;
  const names = (field: "problem" | "by"): string[] => [...new Set(values.map((value) => value[field]))];
  const least = Math.min(...values.map(({ fraction }) => fraction));
  return {
    data: { values },
    title: {
      text: "Fraction of the optimum found",
      subtitle: "by the times of the exhaustive pass",
    },
    width: WIDTH,
    height: 300,
    config: LOOK,
    mark: { type: "line", interpolate: "step-after" },
    encoding: {
      detail: { field: "id", type: "nominal" },
      x: {
        field: "evaluations",
        type: "quantitative",
        scale: { type: "log" },
        axis: { title: "variants tried", format: "d", labelOverlap: true },
      },
      y: {
        field: "fraction",
        type: "quantitative",
        scale: { domain: [Math.floor(least * 10) / 10, 1] },
        axis: { title: "optimum / best found", format: ".1f" },
      },
      color: {
        field: "problem",
        type: "nominal",
        scale: { domain: names("problem"), range: [...SERIES] },
        title: null,
        legend: LINE_LEGEND,
      },
      strokeDash: {
        field: "by",
        type: "nominal",
        scale: {
          domain: names("by"),
          range: names("by").map((_, index) => STROKES[index % STROKES.length]!),
        },
        title: null,
        legend: LINE_LEGEND,
      },
    },
  };
}

/** Mutable numbers, as Vega-Lite's types want them. */
const STROKES: readonly number[][] = [
  [1, 0],
  [2, 3],
  [6, 3],
];
