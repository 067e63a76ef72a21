import type { StrategyScore } from "@tunelab/contract";
import { type ChartSpec, LINE_LEGEND, LOOK, SERIES, WIDTH } from "./look.ts";

/** Mean fraction of the optimum over evaluations (logarithmic), a line a strategy; colours in the order given. */
export function fractionsOverEvaluationsChart(scores: readonly StrategyScore[]): ChartSpec {
  const values = scores.flatMap(({ strategy, fractionOfOptimum }) =>
    Object.entries(fractionOfOptimum).map(([evaluations, fraction]) => ({
      strategy,
      evaluations: Number(evaluations),
      fraction,
    })),
  );
  return {
    data: { values },
    title: {
      text: "Fraction of the optimum found",
      subtitle: `mean over ${scores[0]?.spaces.length ?? 0} spaces and ${scores[0]?.runs ?? 0} runs each`,
    },
    width: WIDTH,
    height: 300,
    config: LOOK,
    mark: { type: "line", point: { size: 30 } },
    encoding: {
      x: {
        field: "evaluations",
        type: "quantitative",
        scale: { type: "log" },
        axis: {
          title: "variants evaluated",
          values: [...new Set(values.map(({ evaluations }) => evaluations))].sort((a, b) => a - b),
          format: "d",
          labelOverlap: true,
        },
      },
      y: {
        field: "fraction",
        type: "quantitative",
        scale: { domain: [Math.floor(Math.min(...values.map(({ fraction }) => fraction)) * 10) / 10, 1] },
        axis: { title: "optimum / best found", format: ".1f" },
      },
      color: {
        field: "strategy",
        type: "nominal",
        scale: { domain: scores.map(({ strategy }) => strategy), range: [...SERIES] },
        title: null,
        legend: LINE_LEGEND,
      },
    },
  };
}
