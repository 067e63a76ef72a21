import type { Sensitivity } from "../sensitivity.ts";
import { type ChartSpec, factorAxis, LOOK, SERIES, WIDTH } from "./look.ts";

/** One problem's sensitivities, with the words that name the problem. */
export interface SensitivityOf {
  readonly problem: string;
  readonly sensitivities: readonly Sensitivity[];
}

/**
 * What each value of each parameter costs at best, a line of marks a value, a colour a problem. Undefined when no parameter
 * was varied.
 */
export function sensitivityChart(
  title: string,
  subtitle: string,
  of: readonly SensitivityOf[],
): ChartSpec | undefined {
  const values = of.flatMap(({ problem, sensitivities }) =>
    sensitivities.flatMap(({ parameter, values: costs }) =>
      costs.map(({ value, factor }) => ({ problem, row: `${parameter}=${value}`, parameter, factor })),
    ),
  );
  if (values.length === 0) return undefined;
  const parameters = [...new Set(values.map(({ parameter }) => parameter))];
  const rows = parameters.flatMap((parameter) =>
    [...new Set(values.filter((one) => one.parameter === parameter).map(({ row }) => row))].sort(byNumber),
  );
  const { axis, scale } = factorAxis(
    "fastest variant with this value, over the fastest of all",
    values.map(({ factor }) => factor),
  );
  return {
    data: { values },
    title: { text: title, ...(subtitle ? { subtitle } : {}) },
    width: WIDTH,
    height: { step: 15 },
    config: LOOK,
    mark: { type: "point", filled: true, size: 45, opacity: 0.9 },
    encoding: {
      x: { field: "factor", type: "quantitative", axis, scale },
      y: { field: "row", type: "nominal", sort: rows, axis: { title: null, grid: true } },
      color: {
        field: "problem",
        type: "nominal",
        sort: null,
        scale: { range: [...SERIES] },
        title: null,
        legend: { symbolType: "circle", symbolSize: 60 },
      },
    },
  };
}

/** `radix=16` after `radix=8`. */
function byNumber(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => Number(text.slice(text.indexOf("=") + 1)));
  if (Number.isFinite(left) && Number.isFinite(right)) return left! - right!;
  return a < b ? -1 : a > b ? 1 : 0;
}
