import {
  type Comparison,
  type ComparisonRow,
  type PairedSeries,
  type PerSide,
  problemKey,
  type Route,
  SIDES,
  type Side,
} from "@tunelab/contract";
import { byReferenceText, referenceRemarks } from "./by-reference.ts";
import { forestChart } from "./charts/forest.ts";
import { formatError, formatPercent, formatTime, NOTHING } from "./format.ts";
import { type Grid, gridMarkdown, gridText } from "./grid.ts";
import { variantLabels } from "./labels.ts";
import { codeSpan, escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";

/** One operation's rows as a table: its stages, then the total, base -> candidate (ratio), interval, verdict, parity. */
export interface ComparisonTable {
  readonly operation: string;
  readonly grid: Grid;
}

/** Ratios are told to four digits: the gate is 0.5%. */
const ratioText = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(4) : NOTHING);

/** `11.9 ms -> 11.8 ms (0.9959)`; both times in full, so that units may differ. */
function pairText(ns: PerSide<number> | undefined, ratio: number | undefined): string {
  if (!ns || ratio === undefined) return NOTHING;
  return `${formatTime(ns.base / 1_000)} -> ${formatTime(ns.candidate / 1_000)} (${ratioText(ratio)})`;
}

function intervalText({ judgement }: ComparisonRow): string {
  if (!judgement || !(judgement.low > 0) || !Number.isFinite(judgement.high)) return NOTHING;
  return `${ratioText(judgement.low)} to ${ratioText(judgement.high)}`;
}

/** The verdict, with what could have been seen where nothing was resolved. */
export function verdictText({ verdict, judgement }: ComparisonRow): string {
  if (verdict !== "unresolved" || !judgement || !Number.isFinite(judgement.mde)) return verdict;
  return `unresolved (sees ${formatPercent(judgement.mde)})`;
}

/** `3 buffers equal, 5 shapes`; or what differs, and how far each side is from the float64 oracle. */
export function parityText(row: ComparisonRow): string {
  const { outcomes, accuracy, verdict } = row;
  const [first] = outcomes;
  if (first?.references) return errorsText(row);
  if (first?.identical && first.shapes.length === 0) return "one plan";
  const compared = first?.shapes.filter(({ skipped }) => skipped === undefined) ?? [];
  if (compared.length === 0) return verdict === "invalid" ? NOTHING : "not compared";
  const buffers = compared.flatMap((shape) => shape.buffers);
  const differing = buffers.filter((buffer) => buffer.differing > 0);
  const names = new Set(buffers.filter(({ skipped }) => skipped === undefined).map(({ name }) => name));
  const shapes = `${compared.length} ${compared.length === 1 ? "shape" : "shapes"}`;
  if (differing.length === 0)
    return `${names.size} ${names.size === 1 ? "buffer" : "buffers"} equal, ${shapes}`;
  const told = [...new Set(differing.map(({ name }) => name))].map((name) => {
    const own = differing.filter((buffer) => buffer.name === name);
    const [words, all] = [
      sum(own, "differing"),
      sum(
        buffers.filter((one) => one.name === name),
        "words",
      ),
    ];
    return `${name} ${words}/${all} words${own.some(({ unstable }) => unstable > 0) ? " (unstable)" : ""}`;
  });
  const worst = (side: Side): number => Math.max(...compared.map(({ maxError }) => maxError[side]));
  const within = SIDES.every((side) => worst(side) <= accuracy.bound) ? "within" : "over";
  return `differ: ${told.join(", ")}; errors ${formatError(worst("base"))} -> ${formatError(worst("candidate"))}, ${within} ${formatError(accuracy.bound)}`;
}

/** Sides that share no process: no bits to compare, but each was verified by itself. */
function errorsText({ outcomes, accuracy }: ComparisonRow): string {
  const worst = (side: Side): number =>
    Math.max(...outcomes.map(({ sides }) => sides[side]?.verdict?.maxError ?? Number.NaN));
  const [base, candidate] = SIDES.map(worst);
  const within = Math.max(base!, candidate!) <= accuracy.bound ? "within" : "not within";
  return `no bits compared; errors ${formatError(base!)} -> ${formatError(candidate!)}, ${within} ${formatError(accuracy.bound)}`;
}

const sum = <K extends string>(list: readonly Readonly<Record<K, number>>[], key: K): number =>
  list.reduce((total, one) => total + one[key], 0);

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Median times by side of a series, ns; the first quad warmed up. */
function seriesNs({ quads }: PairedSeries): PerSide<number> {
  const of = (outer: "A" | "B"): number =>
    median(quads.slice(1).flatMap(({ first, slotsNs: [a, b, c, d] }) => (first === outer ? [a, d] : [b, c])));
  return { base: of("A"), candidate: of("B") };
}

function stageText(row: ComparisonRow, stage: string): string {
  const [first] = row.outcomes;
  const series = first?.stages[stage];
  if (series) return pairText(seriesNs(series), series.ratio);
  const lone = SIDES.find((side) => first?.lone[side].includes(stage));
  return lone ? `${lone} only` : NOTHING;
}

/** Stages of an operation's rows in the order in which they appear, those of one side included. */
function stagesOf(rows: readonly ComparisonRow[]): readonly string[] {
  const names = rows.flatMap(({ outcomes: [first] }) => [
    ...Object.keys(first?.stages ?? {}),
    ...(first?.lone.base ?? []),
    ...(first?.lone.candidate ?? []),
  ]);
  return [...new Set(names)];
}

const routeName = (route: Route): string => ("refused" in route ? `none (${route.refused})` : route.variant);

const nameOf = ({ routes }: ComparisonRow): string => routeName(routes.base);
const keyOf = ({ operation, problem }: ComparisonRow): string => `${operation} ${problemKey(problem)}`;

/** Tables of a comparison, one an operation. */
export function comparisonTables({
  rows,
  method,
}: Pick<Comparison, "rows" | "method">): readonly ComparisonTable[] {
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  return operations.map((operation) => {
    const own = rows.filter((row) => row.operation === operation);
    const stages = stagesOf(own);
    const left = { align: "left" } as const;
    const several = new Set(own.map(({ problem }) => problemKey(problem))).size < own.length;
    const label = variantLabels(own.map(nameOf));
    const grid: Grid = {
      columns: [
        { title: "problem", ...left, code: true },
        ...(several ? [{ title: "variant", ...left, code: true }] : []),
        ...stages.map((stage) => ({ title: stage, ...left })),
        {
          title: `total, base -> candidate (${method === "reference" ? "ratio of ratios" : "ratio"})`,
          ...left,
        },
        { title: "interval", ...left },
        { title: "verdict", ...left },
        { title: "parity", ...left },
      ],
      rows: own.map((row) => [
        problemKey(row.problem),
        ...(several ? [label(nameOf(row))] : []),
        ...stages.map((stage) => stageText(row, stage)),
        pairText(row.ns, row.judgement?.ratio),
        intervalText(row),
        verdictText(row),
        parityText(row),
      ]),
    };
    return { operation, grid };
  });
}

const routeFrom = (route: Route): string => ("refused" in route ? "" : ` [${route.from}]`);

/** One line for each row whose sides do not run the same variant, and one for each that is invalid or withdrawn. */
export function comparisonRemarks({
  rows,
  extras,
  control,
  names,
  stopped,
  method,
}: Comparison): readonly string[] {
  const lines: string[] = [];
  for (const row of rows) {
    const { base, candidate } = row.routes;
    const kin = rows.filter((one) => keyOf(one) === keyOf(row));
    const label = variantLabels(rows.filter(({ operation }) => operation === row.operation).map(nameOf));
    const where = kin.length > 1 ? `${keyOf(row)} ${label(nameOf(row))}` : keyOf(row);
    if (routeName(base) !== routeName(candidate)) {
      const kind = row.verdict === "identical" ? "renamed, one plan" : "route change";
      lines.push(
        `${where}: ${kind}: ${routeName(base)}${routeFrom(base)} -> ${routeName(candidate)}${routeFrom(candidate)}`,
      );
    }
    if (row.reason !== undefined) lines.push(`${where}: ${row.verdict}: ${row.reason}`);
    for (const note of new Set(row.outcomes.flatMap(({ notes }) => notes))) lines.push(`${where}: ${note}`);
    lines.push(...referenceRemarks(row).map((line) => `${where}: ${line}`));
    const blocks = row.outcomes.some(({ total }) => total?.mode === "blocks");
    if (blocks) lines.push(`${where}: interleaving biased the times: each side was timed in blocks`);
  }
  for (const side of SIDES) {
    const { operations, problems, faults } = extras[side];
    const text = names[side].text;
    for (const { package: name, reason } of faults)
      lines.push(`${side} ${text}: ${name} gives no operation: ${reason}`);
    if (operations.length > 0) lines.push(`only ${side} (${text}) has ${operations.join(", ")}`);
    for (const { operation, problem } of problems)
      lines.push(`only ${side} (${text}) has ${operation} ${problemKey(problem)}`);
  }
  if (control) {
    const { ratio, verdict, operation, problem } = control;
    const itself =
      method === "reference" ? "the base's odd processes against its even ones" : "base against itself";
    lines.push(`control: ${itself}, ${operation} ${problemKey(problem)}: ${ratioText(ratio)}, ${verdict}`);
  }
  const forced = rows.flatMap(({ verdict, judgement }) =>
    verdict === "identical" && judgement ? [judgement.verdict] : [],
  );
  const count = (verdict: string): string => `${forced.filter((one) => one === verdict).length} ${verdict}`;
  if (forced.length > 0)
    lines.push(
      `one plan against itself, timing forced, ${forced.length} ${forced.length === 1 ? "time" : "times"}: ${["same", "unresolved", "changed"].map(count).join(", ")}`,
    );
  if (stopped !== undefined) lines.push(`stopped: ${stopped}`);
  return lines;
}

/** Counts of verdicts in words: `3 identical, 1 slower`. */
export function verdictCounts({ rows }: Pick<Comparison, "rows">): string {
  const order = ["invalid", "slower", "faster", "same", "identical", "unresolved"] as const;
  const parts = order.flatMap((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return count > 0 ? [`${count} ${verdict}`] : [];
  });
  return parts.join(", ") || "nothing compared";
}

const sideText = ({ text, commit, dirty }: Comparison["names"]["base"]): string =>
  `${text}${commit ? ` (${commit.slice(0, 12)}${dirty ? ", uncommitted changes" : ""})` : ""}`;

/** `HEAD~1 (abc) -> HEAD (def) on swiftshader, portable`; both places where they are two. */
export function comparisonTitle({
  names,
  deviceSlug,
  profile,
  candidatePlace,
}: Pick<Comparison, "names" | "deviceSlug" | "profile" | "candidatePlace">): string {
  const place = `${deviceSlug}, ${profile}`;
  const other = candidatePlace ? `${candidatePlace.deviceSlug}, ${candidatePlace.profile}` : place;
  if (place === other) return `${sideText(names.base)} -> ${sideText(names.candidate)} on ${place}`;
  return `${sideText(names.base)} on ${place} -> ${sideText(names.candidate)} on ${other}`;
}

/** The procedure in a sentence: what the figures are. */
export function comparisonMethod({
  rules,
  executor,
  method,
  rows,
}: Pick<Comparison, "rules" | "executor" | "method" | "rows">): string {
  const looks = rules.processes > 1 ? 1 : rules.looks.length;
  // Three digits would round 99.97% to certainty.
  const confidence = `${(100 - (100 * rules.alpha) / looks).toFixed(2)}%`;
  const said = method === "reference" ? byReferenceText(rules) : `Paired quads (${quadsText(rules)})`;
  const own = executor === "own" ? " Each side ran on its own executor." : "";
  return `${said}, intervals at ${confidence}, gate ${formatPercent(rules.gate)}, equivalence ${formatPercent(rules.equivalence)}.${own}${placedText(rows)}`;
}

/** Where rows stand for further placements, how many and at which level. */
function placedText(rows: Comparison["rows"]): string {
  const placed = rows.find(({ outcomes }) => outcomes.some(({ total }) => total?.placements));
  if (!placed?.judgement) return "";
  const { count, confidence } = placed.judgement;
  return ` What a look called changed is told by ${count} further placements of code and buffers, at ${(100 * confidence).toFixed(0)}%.`;
}

const quadsText = ({ processes, looks }: Comparison["rules"]): string =>
  processes > 1
    ? `${processes} processes of ${looks[0]} quads`
    : `1 process, looks after ${looks.join(", ")} quads`;

/** The comparison for a terminal. */
export function comparisonText(comparison: Comparison): string {
  const tables = comparisonTables(comparison).map(
    ({ operation, grid }) => `${operation}\n\n${gridText(grid)}`,
  );
  const remarks = comparisonRemarks(comparison);
  return [
    comparisonTitle(comparison),
    ...tables,
    ...(remarks.length > 0 ? [remarks.join("\n")] : []),
    `${verdictCounts(comparison)}. ${comparisonMethod(comparison)}`,
  ].join("\n\n");
}

/** The comparison as a Markdown section; `picture` names its forest plot. */
export function comparisonMarkdown(comparison: Comparison, picture?: string): string {
  return [
    `## ${escapeMarkdown(comparisonTitle(comparison))}`,
    ...comparisonParts(comparison, picture),
    "",
  ].join("\n\n");
}

/** A published comparison's page with its forest plot; one that was withdrawn says so first, with the reason. */
export function comparisonPage(comparison: Comparison, retracted?: string): Page {
  const { base, candidate } = comparison.names;
  const page = new Page(`${base.text} against ${candidate.text}`);
  const title = escapeMarkdown(`${comparisonTitle(comparison)}.`);
  page.text(retracted === undefined ? title : `~~${title}~~`);
  if (retracted !== undefined) page.text(`**Retracted:** ${escapeMarkdown(retracted)}.`);
  page.text("Generated from the published record; never edited by hand.");
  if (comparison.machine?.busy) page.text("Measured on a busy machine: intervals are wider for it.");
  page.chart("ratios", "Ratios with their intervals", forestChart(comparison));
  for (const part of comparisonParts(comparison)) page.text(part);
  return page;
}

function comparisonParts(comparison: Comparison, picture?: string): readonly string[] {
  const tables = comparisonTables(comparison).map(
    ({ operation, grid }) => `### ${escapeMarkdown(operation)}\n\n${gridMarkdown(grid)}`,
  );
  const remarks = comparisonRemarks(comparison).map((line) => `- ${escapeMarkdown(line)}`);
  return [
    `**${verdictCounts(comparison)}.** ${comparisonMethod(comparison)}`,
    ...(picture === undefined ? [] : [`![Ratios with their intervals](${encodeURI(picture)})`]),
    ...tables,
    ...(remarks.length > 0 ? [remarks.join("\n")] : []),
    `Comparison ${codeSpan(comparison.id)}, tunelab ${codeSpan(comparison.toolVersion)}.`,
  ];
}
