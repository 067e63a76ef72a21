import { BEST, type ChartSpec, INK, LOOK, WIDTH } from "./look.ts";

/** Bars of a histogram over this many samples or fewer would hold one sample each. */
const FEW = 30;

/**
 * Timings of one kernel as a histogram, time on the axis, with the median marked. `samplesNs` of one repeat each, in ns.
 * Undefined without a sample.
 */
export function timingsChart(kernel: string, samplesNs: readonly number[]): ChartSpec | undefined {
  const times = samplesNs.filter((ns) => Number.isFinite(ns) && ns > 0).map((ns) => ns / 1e9);
  if (times.length === 0) return undefined;
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)]!;
  const axis = { title: "time of one run", labelExpr: "format(datum.value, '~s') + 's'", labelOverlap: true };
  return {
    title: { text: `${times.length} timings of ${kernel}`, subtitle: "the line is the median" },
    width: WIDTH,
    height: 200,
    config: LOOK,
    layer: [
      {
        data: { values: times.map((time) => ({ time })) },
        mark: { type: "bar", color: BEST, tooltip: false },
        encoding: {
          x: { field: "time", type: "quantitative", bin: { maxbins: times.length > FEW ? 40 : 10 }, axis },
          y: { aggregate: "count", type: "quantitative", axis: { title: "timings", tickMinStep: 1 } },
        },
      },
      {
        data: { values: [{ time: middle }] },
        mark: { type: "rule", color: INK, strokeWidth: 2, strokeDash: [4, 3] },
        encoding: { x: { field: "time", type: "quantitative" } },
      },
    ],
  };
}
