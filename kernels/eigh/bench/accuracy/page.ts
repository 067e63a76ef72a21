import { KINDS } from "../../src/suite.ts";
import { FORMS } from "./forms.ts";
import type { FormRecord, Row, Worst } from "./records.ts";

const MEASURES = ["residual", "orthogonality", "value"] as const;
type Measure = (typeof MEASURES)[number];
/** What an error may be at most, in n eps: the operation's bound. */
const BOUND = 10;

/** The page of all forms' errors: the largest of each form, then each order of each. */
export function pageOf(records: readonly FormRecord[], orders: readonly number[]): string {
  const known = Object.keys(FORMS).flatMap((form) => records.find((one) => one.form === form) ?? []);
  return [
    "# How accurate the eigensolver is",
    "",
    "Written by `pnpm --filter @tunelab/kernel-eigh accuracy`; never edited by hand.",
    "",
    `Each form as it is without tuning (the tridiagonal one by either solver, with a workgroup a matrix), on ${known[0]?.device ?? "no device"}, decomposes a batch with one matrix of every kind at each order: ${KINDS.map(({ name }) => name).join(", ")}. ` +
      "Matrices are the same for the same order (the order is the seed); rows are 0 to 2 elements longer than they need be, and upper triangles hold junk that no form may read. " +
      "The errors, each judged in full and in float64, are the residual ‖A V − V diag(w)‖ / ‖A‖ and the orthogonality ‖Vᵀ V − 1‖, both by Frobenius' norm, and the largest error of an eigenvalue over ‖A‖₂, " +
      `in units of n eps (eps = 2⁻²³); the bound is ${BOUND}. A matrix that holds NaN or infinity is right when it is reported and all its results are NaN.`,
    "",
    "| form | orders | matrices right | residual | orthogonality | eigenvalue |",
    "| :-- | :-- | --: | :-- | :-- | :-- |",
    ...known.map(({ form, rows }) => {
      const [right, all] = [sum(rows, "right"), sum(rows, "matrices")];
      const most = MEASURES.map((measure) => mostOf(rows, measure));
      return `| ${form} | ${rangesOf(rows.map(({ n }) => n))} | ${right} of ${all} | ${most.join(" | ")} |`;
    }),
    "",
    ...verdictOf(known, orders),
    ...known.flatMap(({ form, rows }) => [
      "",
      `## ${form}`,
      "",
      "| n | matrices right | residual | of kind | orthogonality | of kind | eigenvalue | of kind | sweeps |",
      "| --: | --: | --: | :-- | --: | :-- | --: | :-- | --: |",
      ...rows.map(
        (row) =>
          `| ${row.n} | ${row.right}/${row.matrices} | ${MEASURES.map((measure) => `${figure(row[measure])} | ${row[measure].kind || "none"}`).join(" | ")} | ${row.sweeps} |`,
      ),
    ]),
    "",
  ].join("\n");
}

const figure = ({ error }: Worst): string => error.toFixed(3);
const sum = (rows: readonly Row[], of: "right" | "matrices"): number =>
  rows.reduce((total, row) => total + row[of], 0);

function mostOf(rows: readonly Row[], measure: Measure): string {
  const worst = rows.toSorted((a, b) => b[measure].error - a[measure].error)[0]!;
  return `${figure(worst[measure])} at n = ${worst.n} (${worst[measure].kind || "none"})`;
}

/** What is over the bound or was not run, or that nothing is. */
function verdictOf(known: readonly FormRecord[], orders: readonly number[]): readonly string[] {
  const over = known.flatMap(({ form, rows }) =>
    rows
      .filter((row) => row.right < row.matrices || MEASURES.some((measure) => !(row[measure].error <= BOUND)))
      .map((row) => `- ${form} at n = ${row.n}: ${row.faults?.join("; ") ?? "over the bound"}`),
  );
  const missing = known.flatMap(({ form, rows }) => {
    const left = orders.filter((n) => rows.every((row) => row.n !== n));
    return left.length === 0 ? [] : [`- ${form}: not at n = ${rangesOf(left)}`];
  });
  return [
    over.length === 0
      ? `Every matrix of every order that was run is right, and every error at most ${BOUND} n eps.`
      : "Not right, or over the bound:",
    ...(over.length === 0 ? [] : ["", ...over]),
    ...(missing.length === 0
      ? []
      : ["", "Orders that a form does not have, or that were not run:", "", ...missing]),
  ];
}

/** 1, 2, 3, 7 as "1 to 3, 7". */
function rangesOf(orders: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const n of orders) {
    const last = ranges.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(", ");
}
