import type { StudyResult } from "@tunelab/contract";
import { type ChartSpec, LOOK, lineSeries, positive, seconds, timeAxis, WIDTH } from "./look.ts";
import { leadingDimension, sizeAxis } from "./times.ts";

/** Panels side by side. */
const PANELS = 2;

/**
 * Time against the dimension that varies most, a line a setting, a panel for each combination of the other dimensions that name a
 * row. Undefined without a time or a numeric dimension.
 */
export function studyChart({ title, dimensions, columns, rows }: StudyResult): ChartSpec | undefined {
  const x = leadingDimension(
    rows.map(({ problem }) => ({
      problem: Object.fromEntries(dimensions.map((name) => [name, problem[name] ?? ""])),
    })),
  );
  if (x === undefined) return undefined;
  const others = dimensions.filter((name) => name !== x);
  const values = rows.flatMap(({ problem, cells }) =>
    cells.flatMap(({ us }, column) =>
      positive(us)
        ? [
            {
              x: problem[x] as number,
              panel: others.map((name) => `${name}=${problem[name]}`).join(","),
              setting: columns[column]!.name,
              time: seconds(us),
            },
          ]
        : [],
    ),
  );
  if (values.length === 0) return undefined;
  const panels = [...new Set(values.map(({ panel }) => panel))];
  const several = panels.length > 1;
  const shown = columns
    .map(({ name }) => name)
    .filter((name) => values.some(({ setting }) => setting === name));
  return {
    data: { values },
    title,
    config: LOOK,
    width: several ? WIDTH / PANELS - 40 : WIDTH,
    height: several ? 180 : 300,
    mark: { type: "line", point: { size: 40 } },
    encoding: {
      ...(several
        ? { facet: { field: "panel", type: "nominal", columns: PANELS, sort: panels, title: null } as const }
        : {}),
      x: sizeAxis(
        several ? x : [x, panels[0]].filter(Boolean).join("; "),
        values.map((value) => value.x),
      ),
      y: {
        field: "time",
        type: "quantitative",
        scale: { type: "log" },
        axis: timeAxis(values.map(({ time }) => time)),
      },
      ...lineSeries("setting", shown, true),
    },
  };
}
