import {
  deviceSlug,
  Fault,
  type SessionEvent,
  type SessionEvidence,
  slug,
  type TuningTable,
  tableFolder,
} from "@tunelab/contract";
import { sessionDay } from "@tunelab/selection";
import { fractionsChart, noiseChart, rooflineChart } from "./charts/ceilings.ts";
import { timesChart } from "./charts/times.ts";
import { choiceLink, choiceSection, choiceWords, hasChoices } from "./choice-section.ts";
import { facts, sectionName } from "./facts.ts";
import { formatPercent, formatTime } from "./format.ts";
import { columns, type Grid, gridMarkdown } from "./grid.ts";
import {
  counted,
  deviceTitle,
  folderOf,
  inOrder,
  type ReportInput,
  studyLink,
  tableLink,
  wordsOf,
} from "./input.ts";
import { codeSpan, escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";
import { completing, pointsOf } from "./points.ts";
import { summaryTable } from "./summary.ts";
import { cautions } from "./table.ts";
import { unprovenOf } from "./unproven.ts";

type NoiseEvent = Extract<SessionEvent, { readonly kind: "noise" }>;

/**
 * One device's page: who it is, its ceilings and noise, the best variants, what to choose and what the other choices cost, shares
 * of the ceilings, the roofline, and every session with what was withdrawn struck through. Throws a usage Fault for a device of
 * which nothing is published.
 */
export async function devicePage(input: ReportInput, device: string): Promise<Page> {
  const tables = inOrder(input.tables).filter((table) => deviceSlug(table.device.identity) === device);
  const sessions = input.evidence.filter(({ header }) => deviceSlug(header.device.identity) === device);
  const named = tables[0] ?? sessions[0]?.header;
  if (!named) throw new Fault("usage", `nothing is published of a device ${device}`);
  const page = new Page(deviceTitle(named));
  page.text(
    "Generated from the published evidence; never edited by hand. Times are minima over the samples of one run; each stands beside its verification.",
  );
  const decided = tables.filter(hasChoices);
  if (decided.length > 0)
    page.text(
      `What to choose, how sure that is and what the other choices cost: ${decided.map((table) => choiceLink(table, choiceWords(table))).join("; ")}.`,
    );
  const folders = new Set([
    ...tables.map((table) => tableFolder(table.device.identity, table.profile)),
    ...sessions.map(({ header }) => tableFolder(header.device.identity, header.profile)),
  ]);
  for (const folder of [...folders].sort()) {
    const own = tables.filter((table) => tableFolder(table.device.identity, table.profile) === folder);
    const measured = sessions.filter(
      ({ header }) => tableFolder(header.device.identity, header.profile) === folder,
    );
    await section(page, input, folder, own, measured);
  }
  return page;
}

async function section(
  page: Page,
  input: ReportInput,
  folder: string,
  tables: readonly TuningTable[],
  sessions: readonly SessionEvidence[],
): Promise<void> {
  page.heading(2, sectionName(tables[0] ?? sessions[0]!.header));
  const name = slug(folder.slice(folder.indexOf("/") + 1));
  if (tables[0]) page.text(gridMarkdown(facts(tables[0])));
  noise(
    page,
    name,
    sessions.filter((one) => counted(input).some(({ header }) => header.id === one.header.id)),
  );
  if (tables.length > 0) {
    page.heading(3, "Best variants");
    for (const table of tables) best(page, input, name, table);
    for (const table of tables) {
      const complete = await completing(input.operations.find((one) => one.name === table.operation));
      const points = pointsOf(table, counted(input));
      choiceSection(
        page,
        table,
        points.map((point) => ({ ...point, config: complete(point) })),
      );
    }
    page.heading(3, "Shares of the ceilings");
    page.text(
      "Arithmetic: the FLOPs quoted for the problem over the measured FMA ceiling. Memory: the bytes that must move over the measured copy ceiling; a small share of both means that something else binds (instructions, workgroup memory, latency).",
    );
    page.chart(`${name}-ceilings`, "shares of the measured ceilings", fractionsChart(tables));
    for (const table of tables) {
      const points = pointsOf(table, counted(input));
      const title = `${table.operation}: rate against the roof`;
      page.chart(`${name}-${slug(table.operation)}-roofline`, title, rooflineChart(table, points));
    }
  }
  const studies = (input.studies ?? []).filter((one) => folderOf(one) === folder);
  if (studies.length > 0) {
    page.heading(3, "Studies");
    page.text(studies.map((one) => `- ${studyLink(one, 2, `${one.operation}: ${one.title}`)}`).join("\n"));
  }
  page.heading(3, "Sessions");
  page.text(gridMarkdown(sessionGrid(sessions, input)));
  const trials = withdrawnTrials(sessions, input);
  if (trials.rows.length > 0) page.text(gridMarkdown(trials));
}

function best(page: Page, input: ReportInput, name: string, table: TuningTable): void {
  const operationSlug = slug(table.operation);
  page.text(
    `${escapeMarkdown(table.operation)}: [every candidate](${tableLink(table)}), [the operation on every device](../../operations/${operationSlug}/README.md).`,
  );
  for (const line of cautions(table, input.isStale)) page.text(line);
  page.text(gridMarkdown(summaryTable(table, input.isStale, [], unprovenOf(table, counted(input)))));
  const operation = input.operations.find((one) => one.name === table.operation);
  page.chart(
    `${name}-${operationSlug}-times`,
    `${table.operation}: best variant and default against problem size`,
    timesChart(table, wordsOf(operation)),
  );
}

/** The newest session that probed its noise speaks for the device. */
function noise(page: Page, name: string, sessions: readonly SessionEvidence[]): void {
  const probe = sessions
    .flatMap(({ events }) => events.filter((event): event is NoiseEvent => event.kind === "noise"))
    .at(-1)?.noise;
  page.heading(3, "Noise");
  if (!probe || probe.samplesNs.length === 0) {
    page.text("No session probed it.");
    return;
  }
  const [least, most] = [Math.min(...probe.samplesNs), Math.max(...probe.samplesNs)];
  const reach = probe.gateReachable
    ? "the certification gate (2% spread) can be met"
    : "the certification gate (2% spread) cannot be met: entries rank as ties unless far apart";
  page.text(
    `${codeSpan(probe.kernel)} timed ${probe.samplesNs.length} times before the newest session: ${formatTime(least / 1000)} to ${formatTime(most / 1000)}, coefficient of variation ${formatPercent(probe.cv)}; ${reach}.`,
  );
  page.chart(`${name}-noise`, "repeated timings of one kernel", noiseChart(probe.kernel, probe.samplesNs));
}

function sessionGrid(sessions: readonly SessionEvidence[], { retracted }: ReportInput): Grid {
  const whole = new Map(
    retracted.flatMap((one) => (one.trial === undefined ? [[one.session, one.reason]] : [])),
  );
  return {
    columns: columns("`session`", "day", "operations", "workload", ">trials", "`commit`", "standing"),
    rows: sessions.map(({ header, trials }) => {
      const reason = whole.get(header.id);
      return [
        header.id,
        sessionDay(header.id),
        [...new Set(trials.map(({ operation }) => operation))].sort().join(", "),
        header.command.workload,
        String(trials.length),
        header.commit.slice(0, 12) + (header.dirty ? "+dirty" : ""),
        reason === undefined ? "counts" : `retracted: ${reason}`,
      ];
    }),
    struck: sessions.flatMap(({ header }, index) => (whole.has(header.id) ? [index] : [])),
  };
}

function withdrawnTrials(sessions: readonly SessionEvidence[], { retracted }: ReportInput): Grid {
  const rows = retracted.flatMap(({ trial: id, reason }) => {
    const trial = sessions.flatMap(({ trials }) => trials).find((one) => id !== undefined && one.id === id);
    if (!trial) return [];
    const times = trial.timing?.samplesNs.map((ns) => ns / trial.timing!.repeats / 1000) ?? [];
    return [[trial.id, trial.variant, formatTime(times.length > 0 ? Math.min(...times) : undefined), reason]];
  });
  return {
    columns: columns("`retracted trial`", "`variant`", ">time", "reason"),
    rows,
    struck: rows.map((_, index) => index),
  };
}
