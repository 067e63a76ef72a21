import { type Regret, type StudyResult, type TuningTable, tableFolder } from "@tunelab/contract";
import { type DeviceCosts, regretText, ruleText, studyPath } from "@tunelab/selection";
import { formatRatio, formatTime, NOTHING } from "./format.ts";
import { columns, gridMarkdown } from "./grid.ts";
import { counted, deviceTitle, folderOf, inOrder, type ReportInput } from "./input.ts";
import { codeSpan, escapeMarkdown } from "./markdown.ts";
import { Page } from "./page.ts";
import { pointsOf } from "./points.ts";
import { regrets, summaryOf } from "./regret.ts";

/** A study that chooses something, as the laboratory lists it. */
export interface ChoosingStudy {
  readonly operation: string;
  readonly id: string;
  readonly title: string;
}

/**
 * What the library chooses by on each device, and what that costs: the rules that studies gave, the nearest entry of a tuning table, and
 * what of the two was not measured there.
 */
export async function autoPage(
  input: ReportInput,
  choosing: readonly ChoosingStudy[],
  costs: readonly OperationCosts[] = [],
): Promise<Page> {
  const page = new Page("What the library chooses by");
  page.text(
    "Written by `pnpm tables` from the published evidence. A problem that a table of the device has is answered from there. Else the nearest measured problem decides: an entry of the tuning table lends its best variants; a row of a study lets the rule choose that all rows of the study gave. Without either the defaults of the code run. Figures are the time of what is chosen over the best that was measured; held out: on rows that the rule or the table did not see.",
  );
  const studies = input.studies ?? [];
  const tables = inOrder(input.tables);
  for (const place of placesOf(tables, studies)) {
    page.heading(2, place.title);
    const own = tables.filter((table) => folderOf(table) === place.folder);
    await entriesSection(page, input, own);
    costsSection(page, place.folder, costs);
    rulesSection(
      page,
      place,
      choosing,
      studies.filter((study) => folderOf(study) === place.folder),
    );
  }
  return page;
}

/** What an operation's algorithms cost, by folder of the device. */
export interface OperationCosts {
  readonly operation: string;
  readonly devices: ReadonlyMap<string, DeviceCosts>;
}

interface Place {
  readonly folder: string;
  readonly title: string;
  readonly device: string;
}

/** Devices, compilers and profiles of which anything is published. */
function placesOf(tables: readonly TuningTable[], studies: readonly StudyResult[]): readonly Place[] {
  const places = new Map<string, Place>();
  for (const one of [...tables, ...studies]) {
    const folder = tableFolder(one.device.identity, one.profile);
    const { compiler, backend } = one.device.identity;
    const title = `${deviceTitle(one)}: ${compiler}, ${backend}, ${one.profile}`;
    places.set(folder, { folder, title, device: one.deviceSlug });
  }
  return [...places.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

async function entriesSection(page: Page, input: ReportInput, tables: readonly TuningTable[]): Promise<void> {
  const rows: string[][] = [];
  for (const table of tables) {
    const operation = input.operations.find(({ name }) => name === table.operation);
    if (!operation) continue;
    const found = await regrets(table, operation, pointsOf(table, counted(input)));
    const borrowed = summaryOf(found.map(({ factor }) => factor));
    const defaults = summaryOf(found.map(({ defaultFactor }) => defaultFactor));
    rows.push([
      table.operation,
      String(table.entries.length),
      ...summaryTexts(borrowed),
      ...summaryTexts(defaults),
    ]);
  }
  if (rows.length === 0) return page.text("No tuning table is published.");
  page.text(
    "The nearest entry of the tuning table, each entry left out in turn, and the default beside it (problems: on how many it could be looked up):",
  );
  page.text(
    gridMarkdown({
      columns: columns(
        "operation",
        ">entries",
        ">problems",
        ">median",
        ">worst",
        ">default: problems",
        ">median",
        ">worst",
      ),
      rows,
    }),
  );
}

const summaryTexts = (summary: Regret | undefined): readonly string[] =>
  summary
    ? [String(summary.count), formatRatio(summary.median), formatRatio(summary.worst)]
    : ["0", NOTHING, NOTHING];

/** Models of what a run takes: coefficients in ns, and how far off they are where they have not seen the shape. */
function costsSection(page: Page, folder: string, all: readonly OperationCosts[]): void {
  const ns = (us: number): string => (us === 0 ? "0" : (1000 * us).toPrecision(3));
  const rows = all.flatMap(({ operation, devices }) =>
    Object.entries(devices.get(folder)?.costs ?? {}).map(([algorithm, model]) => [
      ...[operation, algorithm, String(model.runs), formatTime(model.fixedUs)],
      ...[ns(model.serialUs), ns(model.flopUs), ns(model.byteUs)],
      ...[formatRatio(model.medianOff), formatRatio(model.worstOff), formatRatio(model.shortBy)],
    ]),
  );
  if (rows.length === 0) {
    page.text(
      "No run is recorded well enough for a cost model: workgroups and resources of its plan are missing.",
    );
    return;
  }
  const units = all.flatMap(({ devices }) => devices.get(folder)?.computeUnits ?? [])[0];
  page.text(
    `What a run should take: a fixed time, and nanoseconds for each operation of one invocation, for each of all and for each byte that they ask for; fitted to every run that was right, whole shapes left out in turn for how far it is off. Operations that have rules ship their models: there the first run of a kernel is cut by it, times the most that it was short by, and \`auto\` weighs the CPU by it; compute units: ${units ?? "unknown"}.`,
  );
  page.text(
    gridMarkdown({
      columns: columns(
        ...["operation", "algorithm", ">runs", ">fixed", ">ns an invocation's operation", ">ns an operation"],
        ...[">ns a byte", ">off: median", ">worst", ">short by"],
      ),
      rows,
    }),
  );
}

function rulesSection(
  page: Page,
  { device }: Place,
  choosing: readonly ChoosingStudy[],
  studies: readonly StudyResult[],
): void {
  const missing: string[] = [];
  for (const { operation, id, title } of choosing) {
    const study = studies.find((one) => one.operation === operation && one.id === id);
    const name = `${operation}/${id}`;
    if (!study?.auto) {
      missing.push(name);
      continue;
    }
    const { rule, regret, heldOut } = study.auto;
    page.text(
      `[${escapeMarkdown(`${operation}: ${title}`)}](../../tables/${studyPath(study).replace(/json$/, "md")}): ${codeSpan(ruleText(rule))}. ${sentence(regretText(regret))} Held out: ${heldOut ? sentence(regretText(heldOut)) : "nothing could be."}`,
    );
  }
  if (missing.length === 0) return;
  page.text(
    `No rule, because it was not measured here: ${missing.map(codeSpan).join(", ")}. \`pnpm tables --measure --only ${missing[0]} --device ${device}\` measures the first.`,
  );
}

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;
