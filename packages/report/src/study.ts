import type {
  DerivedColumn,
  DerivedValue,
  RulePick,
  StudyAuto,
  StudyCell,
  StudyChoice,
  StudyReference,
  StudyResult,
} from "@tunelab/contract";
import { derivedOf, referenceAuto, regretText, ruleText } from "@tunelab/selection";
import { studyChart } from "./charts/study-table.ts";
import { sectionName } from "./facts.ts";
import { formatError, formatPercent, formatRatio, formatTime, NOTHING } from "./format.ts";
import { columns, type Grid, gridMarkdown } from "./grid.ts";
import { codeSpan, escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";

/** What stands around a study: why it is stale (empty when it is not), and somebody else's figures for its rows. */
export interface StudyContext {
  readonly stale: readonly string[];
  readonly reference?: StudyReference;
  /** What the study chooses, for the rule that the document's figures give. */
  readonly chooses?: StudyChoice;
}

/** A published study to read: its table with derived columns and verification, what could not be run and why, a picture, and the figures of the document it repeats. */
export function studyPage(
  study: StudyResult,
  { stale, reference, chooses }: StudyContext,
  picture: string,
): Page {
  const { identity } = study.device;
  const device = identity.description || identity.device || study.deviceSlug;
  const page = new Page(`${study.operation}: ${study.title}, on ${device}`);
  page.text(
    `${escapeMarkdown(sectionName(study))}. Generated from the published evidence; never edited by hand.`,
  );
  page.text(escapeMarkdown(study.doc));
  for (const reason of stale)
    page.text(
      `**Stale:** ${escapeMarkdown(reason)}; measure it again with \`pnpm tables --measure --only ${study.operation}/${study.id} --device ${study.deviceSlug}\`.`,
    );
  page.text(gridMarkdown(studyGrid(study)));
  if (study.auto) page.text(autoText(study, study.auto));
  page.text(legend(study));
  const reasons = missing(study);
  if (reasons.length > 0) page.text(reasons.map((line) => `- ${escapeMarkdown(line)}`).join("\n"));
  page.chart(picture, `${study.title}: time by setting`, studyChart(study));
  page.text(
    gridMarkdown({
      columns: columns("column", "what it is"),
      rows: study.columns.map(({ name, doc }) => [name, doc]),
    }),
  );
  if (reference) {
    page.heading(2, `The same table in the document, on ${reference.device}`);
    page.text(
      `Theirs, for comparison, and not measured here: ${escapeMarkdown(reference.source)}, on ${escapeMarkdown(reference.device)}.`,
    );
    page.text(gridMarkdown(referenceGrid(study, reference)));
    const auto = chooses && referenceAuto(reference, chooses, study.dimensions);
    if (auto) page.text(autoText(study, auto));
  }
  page.text(
    `Session ${codeSpan(study.session)}, commit ${codeSpan(study.commit || "unknown")}, protocol ${study.protocol}, epoch ${study.epoch}.${originText(study)}`,
  );
  return page;
}

/** Where a study's session went on from others: whose rows it took over whole, and which it measured itself. */
function originText({ takenOver = [], rows, dimensions }: StudyResult): string {
  if (takenOver.length === 0) return "";
  const all = takenOver.flatMap(({ rows: places }) => places);
  const own = rows.filter(
    ({ cells }, row) => !all.includes(row) && cells.some(({ status }) => status !== "unmeasured"),
  );
  const named = own.map(({ problem }) => dimensions.map((name) => `${name}=${problem[name]}`).join(","));
  const from = takenOver.map(
    ({ session, commit, rows: places }) =>
      `${places.length} from session ${codeSpan(session)} (commit ${codeSpan(commit || "unknown")})`,
  );
  const rest = named.length > 0 ? escapeMarkdown(named.join("; ")) : "none";
  return ` Of its ${rows.length} rows it took over, each whole, ${from.join(" and ")}; measured in this session: ${rest}.`;
}

/** Rows by their dimensions, a column a setting, the derived ones, and the verification of all times in the row. */
export function studyGrid(study: StudyResult): Grid {
  const { dimensions, rows, derived, shows, auto } = study;
  return {
    columns: columns(
      ...dimensions.map((name) => `>${name}`),
      ...study.columns.map(({ name }) => `>${name}`),
      ...derived.map(derivedTitle),
      ...(auto ? AUTO_TITLES : []),
      ">verified",
      ">max error",
    ),
    rows: rows.map(({ problem, cells, derived: values }, row) => {
      const timed = cells.filter(({ us }) => us !== undefined);
      const sum = (field: "matched" | "total"): number =>
        timed.reduce((all, cell) => all + (cell[field] ?? 0), 0);
      return [
        ...dimensions.map((name) => String(problem[name] ?? NOTHING)),
        ...cells.map((cell) => cellText(cell, shows !== undefined)),
        ...derived.map((column, index) => derivedText(column, values[index] ?? {})),
        ...(auto ? autoTexts(auto.rows[row]) : []),
        timed.length > 0 ? `${sum("matched")}/${sum("total")}` : NOTHING,
        timed.length > 0 ? formatError(Math.max(...timed.map(({ maxError }) => maxError ?? 0))) : NOTHING,
      ];
    }),
  };
}

/** What the rule takes and what that costs: columns that no run of their own measured. */
const AUTO_TITLES = [">auto", ">auto over the best"] as const;

const autoTexts = ({ option, ratio }: RulePick = {}): readonly string[] => [
  option ?? NOTHING,
  formatRatio(ratio),
];

/** The rule that the library takes from the table, and what it costs. */
function autoText(study: Pick<StudyResult, "dimensions">, { rule, regret, heldOut }: StudyAuto): string {
  const unseen = heldOut
    ? ` Each ${study.dimensions[0]} left out of the fit in turn: ${regretText(heldOut)}.`
    : " There is one value alone, so nothing could be left out of the fit.";
  return `\`auto\`, the rule that these times give: ${codeSpan(ruleText(rule))}. It costs over the best of each row: ${regretText(regret)}.${unseen}`;
}

/** `14.7 ms (6)`; `--` where nothing was timed, and nothing where the column has nothing. */
function cellText({ status, us, shown }: StudyCell, shows: boolean): string {
  if (status === "absent") return "";
  if (us === undefined) return NOTHING;
  return shows && shown !== undefined ? `${formatTime(us)} (${shown})` : formatTime(us);
}

const derivedTitle = ({ kind, name }: DerivedColumn): string => (kind === "ratio" ? `>${name}` : name);

/** `block 1.35x`; `1.35x`; `block, tied (1.02x)`; `tied (1.02x)`. */
export function derivedText({ kind }: DerivedColumn, { fastest, ratio, tied, us }: DerivedValue): string {
  if (kind === "call") return us === undefined ? NOTHING : `${fastest} ${formatTime(us)}`;
  if (kind === "ratio") return tied ? `tied (${formatRatio(ratio)})` : formatRatio(ratio);
  if (fastest === undefined) return NOTHING;
  if (ratio === undefined) return `${fastest} only`;
  return tied ? `${fastest}, tied (${formatRatio(ratio)})` : `${fastest} ${formatRatio(ratio)}`;
}

function legend({ statistic, budgetMs, shows, rows, derived, floor, trip }: StudyResult): string {
  const samples = rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.samples ?? []));
  const [least, most] = [Math.min(...samples), Math.max(...samples)];
  const counts = samples.length === 0 ? "no" : least === most ? `${least}` : `${least} to ${most}`;
  const parentheses = shows === undefined ? "" : ` In parentheses the probe ${codeSpan(shows)}.`;
  const ties =
    derived.length === 0
      ? ""
      : ` Tied: within ${formatPercent(floor)}, which this device does not tell apart, or with samples that overlap.`;
  const beside = trip
    ? ` Times on the device are the kernel's; a whole call, and with it the choice against the CPU, adds a round trip of ${formatTime(1000 * trip.roundTripMs)} and ${formatTime(1e9 * trip.msPerByte)} a megabyte of transfer.`
    : "";
  return `The ${statistic} of one run over ${counts} samples.${parentheses}${ties} ${NOTHING}: not timed, of which the list below says why; nothing runs that should take over ${budgetMs} ms.${beside}`;
}

/**
 * Cells without a time, grouped by why: settings that have none in any row, and for each other row its settings, unless no setting
 * has a time there.
 */
function missing({ rows, columns: all, dimensions }: StudyResult): readonly string[] {
  const whyOf = ({ status, reason, us }: StudyCell): string | undefined => {
    if (us !== undefined || status === "absent") return undefined;
    return `${status}${reason ? `: ${reason.replace(/it should take \d+ ms/, "it should take longer")}` : ""}`;
  };
  // Of a column that never ran for one reason.
  const never = all.map((_, column) => {
    const reasons = rows.flatMap(({ cells }) => {
      const cell = cells[column]!;
      return cell.status === "absent" ? [] : [whyOf(cell)];
    });
    return new Set(reasons).size === 1 ? reasons[0] : undefined;
  });
  const groups = new Map<string, string[]>();
  const add = (why: string, what: string): void => void groups.set(why, [...(groups.get(why) ?? []), what]);
  for (const [column, why] of never.entries())
    if (why !== undefined) add(why, `${all[column]!.name} in every row`);
  for (const { problem, cells } of rows) {
    const where = dimensions.map((name) => `${name}=${problem[name]}`).join(",");
    const lacking = new Map<string, string[]>();
    let others = 0;
    for (const [column, cell] of cells.entries()) {
      if (cell.status === "absent" || never[column] !== undefined) continue;
      others++;
      const why = whyOf(cell);
      if (why !== undefined) lacking.set(why, [...(lacking.get(why) ?? []), all[column]!.name]);
    }
    for (const [why, names] of lacking)
      add(why, names.length === others ? where : `${where}: ${names.join(", ")}`);
  }
  return [...groups].map(([why, cells]) => `${why} (${cells.join("; ")})`);
}

/** The document's figures in its rows: the study's columns, and behind the derived ones those that it has and the study has not. */
function referenceGrid(study: StudyResult, { rows }: StudyReference): Grid {
  const { dimensions, columns: all, derived } = study;
  const figure = (value: number | string | undefined): string =>
    typeof value === "number" ? formatTime(value) : (value ?? "");
  const theirs = new Set(rows.flatMap(({ figures }) => Object.keys(figures)));
  const names = all.map(({ name }) => name).filter((name) => theirs.has(name));
  const others = [...theirs].filter((name) => !names.includes(name));
  const told = derived.filter((column) =>
    (column.kind === "ratio" ? [column.of] : column.of).some((name) => theirs.has(name)),
  );
  return {
    columns: columns(
      ...dimensions.map((name) => `>${name}`),
      ...names.map((name) => `>${name}`),
      ...told.map(derivedTitle),
      ...others.map((name) => `>their ${name}`),
    ),
    rows: rows.map(({ problem, figures }) => {
      const times = new Map(
        names.map((name) => {
          const value = figures[name];
          return [name, typeof value === "number" ? { us: value } : {}] as const;
        }),
      );
      return [
        ...dimensions.map((name) => String(problem[name] ?? NOTHING)),
        ...names.map((name) => figure(figures[name])),
        ...told.map((column) => derivedText(column, derivedOf(column, times))),
        ...others.map((name) => figure(figures[name])),
      ];
    }),
  };
}
