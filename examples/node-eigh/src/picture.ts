import { type ChartSpec, LOOK, SERIES } from "@tunelab/report";
import type { Cloud } from "./clouds.ts";

/** A principal axis: its direction as a unit vector, and the standard deviation of the cloud along it. */
export interface Axis {
  readonly x: number;
  readonly y: number;
  readonly deviation: number;
}

/** Axes reach two standard deviations either way, where 95 of 100 points lie. */
const REACH = 2;

/** Hundredths: finer than a pixel, and the same on every device. */
const hundredths = (value: number): number => Math.round(value * 100) / 100;

const panelOf = ({ degrees }: Cloud): string => `planted at ${degrees} degrees`;

/** Every cloud in a panel of its own, its points and its two axes. */
export function picture(clouds: readonly Cloud[], axes: readonly (readonly Axis[])[]): ChartSpec {
  const values = clouds.flatMap(({ points }, index) => {
    const panel = panelOf(clouds[index]!);
    const dots = Array.from({ length: points.length / 2 }, (_, point) => ({
      panel,
      kind: "point",
      x: hundredths(points[2 * point]!),
      y: hundredths(points[2 * point + 1]!),
    }));
    const lines = axes[index]!.map(({ x, y, deviation }, which) => {
      const [dx, dy] = [hundredths(REACH * deviation * x), hundredths(REACH * deviation * y)];
      return { panel, kind: which === 0 ? "short axis" : "long axis", x: -dx, y: -dy, x2: dx, y2: dy };
    });
    return [...dots, ...lines];
  });
  const scale = { domain: [-9, 9] };
  const [x, y] = [
    { field: "x", type: "quantitative", scale, title: null },
    { field: "y", type: "quantitative", scale, title: null },
  ] as const;
  return {
    config: LOOK,
    data: { values },
    facet: { field: "panel", type: "nominal", sort: clouds.map(panelOf), title: null },
    columns: 3,
    spec: {
      width: 180,
      height: 180,
      layer: [
        {
          transform: [{ filter: "datum.kind === 'point'" }],
          mark: { type: "circle", size: 6, opacity: 0.5, color: SERIES[0]!, aria: false, clip: true },
          encoding: { x, y },
        },
        {
          transform: [{ filter: "datum.kind !== 'point'" }],
          mark: { type: "rule", strokeWidth: 2.5 },
          encoding: {
            x,
            y,
            x2: { field: "x2" },
            y2: { field: "y2" },
            color: {
              field: "kind",
              type: "nominal",
              scale: { domain: ["long axis", "short axis"], range: [SERIES[1]!, SERIES[2]!] },
              title: null,
            },
          },
        },
      ],
    },
  };
}
