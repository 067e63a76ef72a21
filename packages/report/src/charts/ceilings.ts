import { problemKey, type TuningTable } from "@tunelab/contract";
import { problemLabels } from "../labels.ts";
import type { Point } from "../points.ts";
import { bestRow, orderedEntries } from "../summary.ts";
import { BEST, type ChartSpec, DEFAULT, INK, LOOK, positive, SERIES, unitAxis, WIDTH } from "./look.ts";

/**
 * The best variant's share of the arithmetic and of the copy ceiling, two marks a problem. Undefined when the session measured
 * no ceiling. Shares over one are drawn where they fall: traffic that a cache served is legitimate.
 */
export function fractionsChart(tables: readonly TuningTable[]): ChartSpec | undefined {
  const { label, common } = problemLabels(
    tables.flatMap(({ entries }) => entries).map(({ problem }) => problem),
  );
  const values = tables.flatMap((table) =>
    orderedEntries(table).flatMap((entry) => {
      const best = bestRow(entry);
      const row = `${table.operation} ${label(entry.problem)}`;
      const share = (of: string, value: number | undefined): object[] =>
        positive(value) ? [{ row, of, share: value }] : [];
      return [
        ...share("arithmetic (FMA)", best?.fractionOfFma),
        ...share("memory (copy)", best?.fractionOfCopy),
      ];
    }),
  ) as { row: string; of: string; share: number }[];
  if (values.length === 0) return undefined;
  const most = Math.max(1, ...values.map(({ share }) => share));
  return {
    data: { values },
    title: {
      text: "share of the measured ceilings that the best variant reaches",
      ...(common ? { subtitle: common } : {}),
    },
    width: WIDTH,
    height: { step: 22 },
    config: LOOK,
    mark: { type: "point", filled: true, size: 70, opacity: 1 },
    encoding: {
      x: {
        field: "share",
        type: "quantitative",
        scale: { domain: [0, most] },
        axis: { title: "share of the ceiling (%)", format: ".0%", tickCount: 6 },
      },
      y: {
        field: "row",
        type: "nominal",
        sort: [...new Set(values.map(({ row }) => row))],
        axis: { title: null, grid: true },
      },
      color: {
        field: "of",
        type: "nominal",
        scale: { domain: ["arithmetic (FMA)", "memory (copy)"], range: [BEST, DEFAULT] },
        title: null,
      },
    },
  };
}

/**
 * Roofline: arithmetic rate against intensity (FLOPs a byte that must move), under the roof min(FMA, copy * intensity). The
 * problem's own FLOPs and bytes count, not a variant's detours. Undefined without both ceilings or without a point.
 */
export function rooflineChart(table: TuningTable, points: readonly Point[]): ChartSpec | undefined {
  const { fmaFlopsPerSecond: fma, copyBytesPerSecond: copy } = table.ceilings;
  if (!positive(fma) || !positive(copy)) return undefined;
  const works = new Map(points.map((point) => [point.key, point]));
  const values = orderedEntries(table).flatMap((entry) => {
    const best = bestRow(entry);
    const work = works.get(problemKey(entry.problem));
    if (!best || !work || !positive(work.flops) || !positive(work.bytes)) return [];
    const at = { problem: problemKey(entry.problem), intensity: work.flops / work.bytes };
    const rate = (us: number | undefined, what: string): object[] =>
      positive(us) ? [{ ...at, what, rate: work.flops / (us * 1e-6) }] : [];
    return [...rate(best.minUs, "best"), ...rate(entry.defaultUs, "default")];
  }) as { problem: string; intensity: number; what: string; rate: number }[];
  if (values.length === 0) return undefined;
  const ridge = fma / copy;
  const intensities = values.map(({ intensity }) => intensity);
  const ends = [Math.min(ridge, ...intensities) / 2, Math.max(ridge, ...intensities) * 2];
  const roof = [ends[0]!, ridge, ends[1]!].map((intensity) => ({
    intensity,
    rate: Math.min(fma, copy * intensity),
    what: "ceiling",
  }));
  const rates = [...values, ...roof].map(({ rate }) => rate);
  return {
    title: `${table.operation}: rate against the roof`,
    width: WIDTH,
    height: 300,
    config: LOOK,
    encoding: {
      x: {
        field: "intensity",
        type: "quantitative",
        scale: { type: "log", domain: ends as [number, number], nice: false },
        axis: unitAxis("intensity: FLOPs a byte that must move (FLOP/B)", "", ends),
      },
      y: {
        field: "rate",
        type: "quantitative",
        scale: { type: "log" },
        axis: unitAxis("arithmetic rate", "FLOP/s", rates),
      },
      color: {
        field: "what",
        type: "nominal",
        scale: { domain: ["best", "default", "ceiling"], range: [BEST, DEFAULT, INK] },
        title: null,
        legend: { symbolType: "circle", symbolSize: 70 },
      },
    },
    layer: [
      { data: { values: roof }, mark: { type: "line", strokeWidth: 2 } },
      { data: { values }, mark: { type: "point", filled: true, size: 60, opacity: 1 } },
    ],
  };
}

/**
 * Repeated timings of one kernel in the order they were taken: what the device's noise looks like. Undefined without a sample.
 */
export function noiseChart(kernel: string, samplesNs: readonly number[]): ChartSpec | undefined {
  const values = samplesNs.filter(positive).map((ns, index) => ({ index: index + 1, time: ns * 1e-9 }));
  if (values.length === 0) return undefined;
  return {
    data: { values },
    title: `noise: the same kernel (${kernel}), ${values.length} times`,
    width: WIDTH,
    height: 160,
    config: LOOK,
    mark: { type: "line", point: { filled: true, size: 40 }, color: SERIES[0]! },
    encoding: {
      x: {
        field: "index",
        type: "quantitative",
        axis: { title: "timing (in order)", format: "d", tickMinStep: 1 },
      },
      y: {
        field: "time",
        type: "quantitative",
        scale: { zero: false, nice: true },
        axis: { title: "time of one run", labelExpr: "format(datum.value, '.6~s') + 's'", tickCount: 5 },
      },
    },
  };
}
