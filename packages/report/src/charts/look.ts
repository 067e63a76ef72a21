import type { Config, TopLevelSpec } from "vega-lite";

/** What `chartSvg` draws. */
export type ChartSpec = TopLevelSpec;

/** Grey of text and axes: contrast 4.5 to 1 on white and 4.6 to 1 on black. */
export const INK: string = "#767676";

/** Mid tones at 3 to 1 or better on white and on black; blue and orange stay apart for the colour-blind. */
export const SERIES: readonly string[] = ["#2f7fc8", "#cf6a17", "#2e9958", "#a45fc4", "#c8505f", "#85811c"];
export const BEST: string = SERIES[0]!;
export const DEFAULT: string = SERIES[1]!;

/** Explicit colours on a transparent ground: readable on a light page and on a dark one. */
export const LOOK: Config = {
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
  // Below the picture: names of problems and devices are long, and a page is narrow.
  legend: { labelColor: INK, titleColor: INK, labelLimit: 600, orient: "bottom", direction: "vertical" },
  header: { labelColor: INK, titleColor: INK },
  view: { stroke: null },
};

/** Legend symbols as pieces of line. */
export const LINE_LEGEND = { symbolType: "stroke", symbolSize: 300, symbolStrokeWidth: 2 } as const;

/** Strokes of the first series that have a colour each, then of those that have it again, and again. */
const DASHES: readonly (readonly number[])[] = [
  [1, 0],
  [6, 3],
  [2, 2],
];

/** Legend entries in a row, at most. */
const LEGEND_COLUMNS = 4;

/**
 * Colour and stroke of lines by a field's values, told apart beyond the colours there are. A legend in columns fills its rows: Vega
 * orders the entries by the number of rows and lays them out by the number of columns, which then must agree.
 */
export function lineSeries(field: string, names: readonly string[], inColumns: boolean = false): object {
  const rows = Math.ceil(names.length / LEGEND_COLUMNS);
  const legend = inColumns ? { ...LINE_LEGEND, columns: Math.ceil(names.length / rows) } : LINE_LEGEND;
  const about = { field, type: "nominal", sort: null, title: null, legend } as const;
  const dashed = names.length > SERIES.length;
  return {
    color: {
      ...about,
      scale: { domain: names, range: names.map((_, index) => SERIES[index % SERIES.length]!) },
    },
    ...(dashed
      ? {
          strokeDash: {
            ...about,
            scale: {
              domain: names,
              range: names.map((_, index) => DASHES[Math.floor(index / SERIES.length) % DASHES.length]!),
            },
          },
        }
      : {}),
  };
}

/** Every chart is this wide, in px, beside its axis labels: two fit under one another on a page. */
export const WIDTH: number = 480;

/** Times in charts are seconds, so that one label serves nanoseconds to minutes: 200ns, 3µs, 40ms. */
export const seconds = (microseconds: number): number => microseconds / 1e6;

/** Whether a value has a place on a logarithmic axis. */
export const positive = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value > 0;

/** A logarithmic axis with round steps whose labels carry an SI prefix and the unit: 20GFLOP/s. */
export function unitAxis(title: string, unit: string, values: readonly number[]): object {
  return {
    title,
    values: decadeTicks(Math.min(...values), Math.max(...values)),
    labelExpr: `format(datum.value, '~s') + '${unit}'`,
    labelOverlap: true,
  };
}

export const timeAxis = (values: readonly number[], title = "time of one run"): object =>
  unitAxis(title, "s", values);

/** Powers of ten; over less than three of them also twice and five times each. Vega's own choice labels 7µs and 60µs. */
function decadeTicks(least: number, most: number): readonly number[] {
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = first; power <= last; power++) {
    for (const step of steps) ticks.push(Number(`${step}e${power}`));
  }
  return ticks;
}

/** Factors over one, read as `1.2x`: their axis is logarithmic and never narrower than a tenth. */
export function factorAxis(title: string, values: readonly number[]): { axis: object; scale: object } {
  const most = Math.max(1.1, ...values);
  const steps = most <= 1.5 ? [1, 1.1, 1.2, 1.3, 1.4, 1.5] : [1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000];
  return {
    axis: { title, values: steps.filter((step) => step <= most * 1.001), labelExpr: "datum.label + 'x'" },
    scale: { type: "log", domain: [1, most] },
  };
}
