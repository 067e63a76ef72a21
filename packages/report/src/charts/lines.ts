import { problemKey, type TuningTable } from "@tunelab/contract";
import { fastest, type Point } from "../points.ts";
import { type ChartSpec, LOOK, lineSeries, positive, seconds, timeAxis, WIDTH } from "./look.ts";
import { type DimensionWords, dimensionTitle, leadingDimension, restOf, sizeAxis } from "./times.ts";

/** One line of a chart over sizes: a device, an algorithm. */
export interface Line {
  readonly name: string;
  readonly table: TuningTable;
  /** Microseconds of each problem that has one. */
  readonly times: ReadonlyMap<string, number>;
}

/** The fastest variant of each algorithm on each problem of a table. */
export function algorithmLines(table: TuningTable, points: readonly Point[]): readonly Line[] {
  const names = [...new Set(points.map(({ algorithm }) => algorithm))].sort();
  return names.map((name) => {
    const times = new Map<string, number>();
    for (const { problem } of table.entries) {
      const key = problemKey(problem);
      const best = fastest(points.filter((point) => point.algorithm === name && point.key === key));
      if (best) times.set(key, best.us);
    }
    return { name, table, times };
  });
}

/**
 * Time against the dimension that varies most, a line each; other dimensions that differ become lines of their own. Undefined
 * when nothing has a time or a size.
 */
export function linesChart(
  title: string,
  lines: readonly Line[],
  words: DimensionWords = {},
): ChartSpec | undefined {
  const entries = lines.flatMap(({ table, times }) =>
    table.entries.filter(({ problem }) => positive(times.get(problemKey(problem)))),
  );
  const x = leadingDimension(entries);
  if (x === undefined) return undefined;
  const rests = new Set(entries.map(({ problem }) => restOf(problem, x)));
  const values = lines.flatMap(({ name, table, times }) =>
    table.entries.flatMap(({ problem }) => {
      const us = times.get(problemKey(problem));
      if (!positive(us)) return [];
      const rest = restOf(problem, x);
      const line = rests.size > 1 && rest ? `${name}; ${rest}` : name;
      return [{ x: problem[x] as number, line, time: seconds(us) }];
    }),
  );
  const axisTitle = dimensionTitle(x, words);
  const only = rests.size === 1 ? [...rests][0]! : "";
  return {
    data: { values },
    title,
    width: WIDTH,
    height: 300,
    config: LOOK,
    mark: { type: "line", point: { size: 50 } },
    encoding: {
      x: sizeAxis(
        [axisTitle, only].filter(Boolean).join("; "),
        values.map((value) => value.x),
      ),
      y: {
        field: "time",
        type: "quantitative",
        scale: { type: "log" },
        axis: timeAxis(values.map(({ time }) => time)),
      },
      ...lineSeries("line", [...new Set(values.map(({ line }) => line))]),
    },
  };
}
