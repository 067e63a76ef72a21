import type { Study, StudyPoint } from "@tunelab/contract";
import { BEST, type ChartSpec, DEFAULT, INK, LOOK, positive, timeAxis, WIDTH } from "./look.ts";

/** Least and median time of one repeat in seconds. */
function times({ timing }: StudyPoint): { least: number; median: number } | undefined {
  if (!timing || timing.samplesNs.length === 0) return undefined;
  const sorted = timing.samplesNs.map((ns) => ns / timing.repeats / 1e9).sort((a, b) => a - b);
  const least = sorted[0]!;
  return positive(least) ? { least, median: sorted[Math.floor(sorted.length / 2)]! } : undefined;
}

/** A vertical line where something was found, with its text. */
const mark = (x: number, text: string) => ({
  data: { values: [{ x, text }] },
  encoding: { x: { field: "x", type: "quantitative" as const } },
  layer: [
    { mark: { type: "rule" as const, color: INK, strokeWidth: 1.5, strokeDash: [4, 3] } },
    {
      mark: { type: "text" as const, color: INK, align: "left" as const, dx: 5, y: 8, fontSize: 11 },
      encoding: { text: { field: "text" } },
    },
  ],
});

/**
 * Time per item against the number of workgroups, both logarithmic: points under the plateau in another colour, a line where it
 * begins. Undefined without a timed point.
 */
export function saturationChart({ operation, points, findings }: Study): ChartSpec | undefined {
  const { plateauWorkgroups, beyond } = findings;
  const values = points.flatMap((point) => {
    const found = times(point);
    if (!found || !positive(point.workgroups) || !positive(point.items)) return [];
    const what =
      plateauWorkgroups === undefined
        ? "no plateau found"
        : point.workgroups >= plateauWorkgroups
          ? "filled"
          : "under-filled";
    return [{ x: point.workgroups, time: found.least / point.items, what }];
  });
  if (values.length === 0) return undefined;
  const line = {
    data: { values },
    encoding: {
      x: {
        field: "x",
        type: "quantitative" as const,
        scale: { type: "log" as const, base: 2 },
        axis: { title: "workgroups", format: "d", labelOverlap: true },
      },
      y: {
        field: "time",
        type: "quantitative" as const,
        scale: { type: "log" as const },
        axis: timeAxis(
          values.map(({ time }) => time),
          "time of one item",
        ),
      },
    },
    layer: [
      { mark: { type: "line" as const, color: INK, strokeWidth: 1, strokeOpacity: 0.6 } },
      {
        mark: { type: "point" as const, filled: true, size: 60, opacity: 1 },
        encoding: {
          color: {
            field: "what",
            type: "nominal" as const,
            scale:
              plateauWorkgroups === undefined
                ? { domain: ["no plateau found"], range: [INK] }
                : { domain: ["filled", "under-filled"], range: [BEST, DEFAULT] },
            title: null,
          },
        },
      },
    ],
  };
  const found = plateauWorkgroups !== undefined && (beyond ?? 0) > 0;
  return {
    title: { text: `${operation}: time of one item against workgroups`, subtitle: subtitle(findings) },
    width: WIDTH,
    height: 260,
    config: LOOK,
    layer: found ? [line, mark(plateauWorkgroups, `filled from ${plateauWorkgroups}`)] : [line],
  };
}

function subtitle({ computeUnits }: Study["findings"]): string {
  return computeUnits === undefined ? "compute units unknown" : `compute units: ${computeUnits}`;
}

/**
 * Time of one run against the workgroup memory that a workgroup holds, padding included: least and median of the samples,
 * a line where padding begins to cost. Undefined without a timed point.
 */
export function paddingChart({ operation, points, findings }: Study): ChartSpec | undefined {
  const { declaredBytes = 0, costsFromBytes } = findings;
  const values = points.flatMap((point) => {
    const found = times(point);
    if (!found) return [];
    const kib = (point.x + declaredBytes) / 1024;
    return [
      { x: kib, what: "least", time: found.least },
      { x: kib, what: "median", time: found.median },
    ];
  });
  if (values.length === 0) return undefined;
  const line = {
    data: { values },
    mark: { type: "line" as const, point: { size: 40 } },
    encoding: {
      x: {
        field: "x",
        type: "quantitative" as const,
        axis: { title: "workgroup memory of a workgroup, KiB" },
      },
      y: {
        field: "time",
        type: "quantitative" as const,
        scale: { zero: true },
        axis: { title: "time of one run", labelExpr: "format(datum.value, '~s') + 's'" },
      },
      color: {
        field: "what",
        type: "nominal" as const,
        scale: { domain: ["least", "median"], range: [BEST, DEFAULT] },
        title: null,
      },
    },
  };
  return {
    title: `${operation}: time against padding of workgroup memory`,
    width: WIDTH,
    height: 260,
    config: LOOK,
    layer:
      costsFromBytes === undefined
        ? [line]
        : [line, mark((costsFromBytes + declaredBytes) / 1024, "costs from here")],
  };
}
