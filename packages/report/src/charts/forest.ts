import type { Comparison, ComparisonRow, RowVerdict } from "@tunelab/contract";
import { problemLabels, variantLabels } from "../labels.ts";
import { type ChartSpec, INK, LOOK, positive, SERIES, WIDTH } from "./look.ts";

/** Colour of each verdict that a ratio can have; slower is the orange that stays apart from faster's blue. */
const COLOURS: Readonly<Record<Exclude<RowVerdict, "invalid">, string>> = {
  faster: SERIES[0]!,
  slower: SERIES[1]!,
  same: SERIES[2]!,
  identical: SERIES[3]!,
  unresolved: INK,
};

type Shown = ComparisonRow & { readonly judgement: NonNullable<ComparisonRow["judgement"]> };

const shown = (row: ComparisonRow): row is Shown =>
  row.verdict !== "invalid" &&
  positive(row.judgement?.ratio) &&
  positive(row.judgement?.low) &&
  positive(row.judgement?.high);

const variantOf = ({ routes: { base } }: ComparisonRow): string =>
  "variant" in base ? base.variant : "none";

/** Room for a row's name: an operation, a problem and a variant. */
const LABEL_PIXELS = 480;

/** Least factor to either side of 1 that the axis spans. */
const LEAST_SPAN = 1.02;

/**
 * Each row's ratio (candidate over base) with its interval on a logarithmic axis, the gate as a band around 1. Undefined when
 * no row has a ratio with an interval.
 */
export function forestChart({ rows, rules, names, method }: Comparison): ChartSpec | undefined {
  const told = rows.filter(shown);
  if (told.length === 0) return undefined;
  const { label, common } = problemLabels(told.map(({ problem }) => problem));
  const name = ({ operation, problem }: ComparisonRow): string => `${operation} ${label(problem)}`;
  const variants = variantLabels(told.map(variantOf));
  const several = new Set(told.map(name)).size < told.length;
  const values = told.map((row) => ({
    row: several ? `${name(row)} ${variants(variantOf(row))}` : name(row),
    ratio: row.judgement.ratio,
    low: row.judgement.low,
    high: row.judgement.high,
    verdict: row.verdict,
  }));
  const most = Math.max(LEAST_SPAN, ...values.flatMap(({ low, high }) => [high, 1 / low])) * 1.005;
  const present = Object.entries(COLOURS).filter(([verdict]) =>
    values.some((value) => value.verdict === verdict),
  );
  const color = {
    field: "verdict",
    type: "nominal",
    scale: { domain: present.map(([verdict]) => verdict), range: present.map(([, colour]) => colour) },
    title: null,
    legend: { symbolType: "circle", symbolSize: 70, direction: "horizontal" },
  } as const;
  const x = {
    type: "quantitative" as const,
    scale: { type: "log" as const, domain: [1 / most, most] },
    axis: {
      title: `candidate / base${method === "reference" ? ", each by its own reference" : ""}: left is faster`,
      values: [...ratioTicks(most)],
      format: "~g",
      labelOverlap: true,
    },
  };
  const y = {
    field: "row",
    type: "nominal",
    sort: values.map(({ row }) => row),
    axis: { title: null, grid: true, labelLimit: LABEL_PIXELS },
  } as const;
  return {
    title: {
      text: `${names.base.text} to ${names.candidate.text}`,
      subtitle: [...(common ? [common] : []), `band: the gate of ${rules.gate * 100}%`],
    },
    width: WIDTH,
    height: { step: 24 },
    config: LOOK,
    layer: [
      {
        data: { values: [{ from: 1 / (1 + rules.gate), to: 1 + rules.gate }] },
        mark: { type: "rect", color: INK, opacity: 0.2 },
        encoding: { x: { ...x, field: "from" }, x2: { field: "to" } },
      },
      {
        data: { values: [{ one: 1 }] },
        mark: { type: "rule", color: INK },
        encoding: { x: { ...x, field: "one" } },
      },
      {
        data: { values },
        mark: { type: "rule", strokeWidth: 2 },
        encoding: { x: { ...x, field: "low" }, x2: { field: "high" }, y, color },
      },
      {
        data: { values },
        mark: { type: "point", filled: true, size: 70, opacity: 1 },
        encoding: { x: { ...x, field: "ratio" }, y, color },
      },
    ],
  };
}

/** Round factors to either side of 1 that lie within the axis; finer ones on a narrow axis. */
export function ratioTicks(most: number): readonly number[] {
  const steps =
    most < 1.06
      ? [1.01, 1.02, 1.03, 1.04, 1.05]
      : most < 1.3
        ? [1.05, 1.1, 1.2]
        : [1.25, 1.5, 2, 3, 5, 10, 100];
  const within = steps.filter((step) => step <= most);
  return [...within.map((step) => Number((1 / step).toPrecision(3))).reverse(), 1, ...within];
}
