import { existsSync } from "node:fs";
import { join } from "node:path";
import { problemKey, type TuningTable } from "@tunelab/contract";
import { codeSpan, columns, formatPercent, gridMarkdown, Page } from "@tunelab/report";
import {
  DATA,
  type DataRow,
  isSampled,
  PAGE,
  readData,
  type SpirvData,
  type Stay,
  shippingKernels,
} from "./data.ts";
import { KNOWN } from "./known.ts";
import { PROFILES_COMPARED, type Shared, sharedTimes } from "./times.ts";
import { readToggleTimes, type ToggleTimes, toggleSection } from "./toggle-times.ts";

const sum = (rows: readonly DataRow[], figure: (row: DataRow) => number): number =>
  rows.reduce((total, row) => total + figure(row), 0);

/** The page beside its committed figures, with the tables of now; none where no figures are committed. */
export async function generatedSpirv(
  root: string,
  tables: readonly TuningTable[],
): Promise<ReadonlyMap<string, string>> {
  if (!existsSync(join(root, DATA))) return new Map();
  return new Map([[PAGE, spirvPage(await readData(root), tables, await readToggleTimes(root)).markdown()]]);
}

/** The published page. Figures come from the compiler alone, times from the published tables. */
export function spirvPage(
  data: SpirvData,
  tables: readonly TuningTable[],
  toggles: readonly ToggleTimes[] = [],
): Page {
  const { rows, device, implementation, sample } = data;
  const [shipped, sampled] = [rows.filter((row) => !isSampled(row)), rows.filter(isSampled)];
  const ship = shippingKernels(rows);
  const ours = rows.filter(({ kernel }) => ship.has(kernel));
  const out = new Page("What portable pays over native");
  out.text(
    `SPIR-V that ${implementation} hands to the driver of ${device}, of every variant that ships (rows of the shipped tables, the portfolio at their ` +
      `lengths, the defaults that run without a table) and of a sample of ${sample.count} over all algorithms and lengths (seed ${sample.seed}). ` +
      "`portable` is default toggles, `native` without robustness and workgroup zero-initialisation. Written by `pnpm lab spirv --report`; " +
      "`pnpm lab spirv --report --check` makes the figures again, `pnpm tables` the page. Nothing here was timed but the last two sections.",
  );
  out.heading(2, "In all");
  out.text(
    totals([
      ["what ships", shipped],
      ["the sample of kernels that ship", sampled.filter(({ kernel }) => ship.has(kernel))],
      ["the sample of kernels that do not ship yet", sampled.filter(({ kernel }) => !ship.has(kernel))],
    ]),
  );
  out.heading(2, "What stays, and why");
  out.text(reasons(ours));
  out.text(stays(rows));
  out.heading(2, "Variants that ship");
  out.text(NOTE);
  out.text(rowsGrid(shipped, true));
  out.heading(2, "The sample");
  out.text(rowsGrid(sampled, false));
  out.heading(2, "Times");
  out.text(timesText(sharedTimes(tables)));
  out.heading(2, "Times of each toggle");
  out.text(toggleSection(toggles));
  return out;
}

const NOTE =
  "Instructions of all functions of a text, under either profile. Texts marked * are larger than the device: one with the same ranges of indexes " +
  "stood in, with one addition and one remainder more. *Runtime arrays*: clamps of storage arrays of unknown length, four instructions each, which " +
  "Tint leaves out where the driver bounds buffers itself. *Memory indexes*: the index was read from memory. *Avoidable*: another form of the index would spare the clamp; of kernels that ship these are the ledger's. *Zeroed*: bytes of " +
  "workgroup memory that the driver sets to zero.";

function totals(groups: readonly (readonly [string, readonly DataRow[]])[]): string {
  const row = (what: string, rows: readonly DataRow[]): string[] => {
    const [portable, native] = [
      sum(rows, (one) => one.portable.instructions),
      sum(rows, (one) => one.native.instructions),
    ];
    return [
      what,
      `${new Set(rows.map(({ kernel, problem, variant }) => `${kernel} ${problemKey(problem)} ${variant}`)).size}`,
      ...[rows.length, portable, native].map(String),
      formatPercent(portable / native - 1),
      `${sum(rows, (one) => one.portable.runtime)}`,
      `${sum(rows, (one) => one.portable.data)}`,
      `${sum(rows, (one) => one.portable.avoidable)}`,
      `${sum(rows, (one) => one.portable.guardedLoops + one.portable.checkedDivisions)}`,
      `${sum(rows, (one) => Math.abs(one.unnamed))}`,
    ];
  };
  return gridMarkdown({
    columns: columns(
      ...["of", ">variants", ">texts", ">portable", ">native", ">more", ">runtime arrays", ">memory indexes"],
      ...[">avoidable", ">guards", ">unnamed"],
    ),
    rows: groups.filter(([, rows]) => rows.length > 0).map(([what, rows]) => row(what, rows)),
  });
}

/** Each thing that portable has and native has not, with what becomes of it. */
function reasons(rows: readonly DataRow[]): string {
  const touched = (stay: Stay["kind"]): number =>
    rows.filter((row) => row.stays.some(({ kind }) => kind === stay)).length;
  const zeroed = rows.filter(({ portable }) => portable.zeroedBytes > 0).length;
  const none = rows.filter(({ portable }) => portable.avoidable + portable.data === 0).length;
  return [
    `- **Indexes of workgroup memory, registers and arrays of declared length**: ${none} of ${rows.length} texts have no clamp on one. An index is a sum of products, \`/\` and \`%\` by ` +
      "constants over the invocation's number, which Tint's range analysis bounds; a clamp that another form would spare fails the check.",
    ...KNOWN.map(
      ({ kernel, arrays, why }) =>
        `- **The ledger**: ${kernel}, ${arrays.map(codeSpan).join(" and ")}: ${why}.`,
    ),
    `- **Indexes read from memory** (${touched("data")} texts): no analysis bounds them; one minimum each.`,
    `- **Storage arrays of unknown length** (${touched("runtime")} texts): a spectrum's or an item's number is held against \`arrayLength\`. Tint writes that where the driver lacks ` +
      "robustBufferAccess2, as this device does; where the driver has it, the profile leaves the bound to the driver's own buffer access, on every load and store.",
    `- **Workgroup memory set to zero** (${zeroed} texts): the driver's own initialiser (VK_KHR_zero_initialize_workgroup_memory), no instruction of the text; where a driver lacks it, stores and a barrier.`,
    `- **Loops with a counter of their rounds, divisions checked for zero**: ${sum(rows, (row) => row.portable.guardedLoops)} and ${sum(rows, (row) => row.portable.checkedDivisions)}. Loops step by one and divisors are constants, but for those of the ledger.`,
    `- **Lanes of shuffles held within the subgroup** (${rows.filter(({ portable }) => portable.shuffleGuards > 0).length} texts): five instructions a shuffle (load the lane, xor, load the last lane, compare, select) and three to five once.`,
  ].join("\n");
}

function stays(rows: readonly DataRow[]): string {
  const ship = shippingKernels(rows);
  const found = new Map<string, { stay: Stay; kernel: string; texts: number; count: number }>();
  for (const { kernel, stays: list } of rows) {
    for (const stay of list) {
      const key = `${kernel} ${stay.kind} ${stay.space} ${stay.array}`;
      const known = found.get(key) ?? { stay, kernel, texts: 0, count: 0 };
      found.set(key, { ...known, texts: known.texts + 1, count: known.count + stay.count });
    }
  }
  return gridMarkdown({
    columns: columns("kernel", "what", "array", ">texts", ">clamps", "`for instance`"),
    rows: [...found.values()].map(({ stay, kernel, texts, count }) => [
      kernel,
      {
        avoidable: ship.has(kernel) ? "ledger" : "avoidable",
        data: "index from memory",
        runtime: "unknown length",
      }[stay.kind],
      `${stay.space} ${stay.array}`,
      ...[texts, count].map(String),
      stay.line ?? "",
    ]),
  });
}

function rowsGrid(rows: readonly DataRow[], withSources: boolean): string {
  return gridMarkdown({
    columns: columns(
      ...[
        "kernel",
        "problem",
        "`variant`",
        "stage",
        ">portable",
        ">native",
        ">runtime arrays",
        ">memory indexes",
      ],
      ...[">avoidable", ">zeroed", ...(withSources ? ["ships as"] : [])],
    ),
    rows: rows.map((row) => [
      ...[row.kernel, shapeText(row), row.variant, `${row.stage}${row.stoodIn ? " *" : ""}`],
      ...[row.portable.instructions, row.native.instructions, row.portable.runtime, row.portable.data].map(
        String,
      ),
      ...[row.portable.avoidable, row.portable.zeroedBytes].map(String),
      ...(withSources ? [row.sources.join(", ")] : []),
    ]),
  });
}

/** The problem without its counts of items: they change no text. */
const shapeText = ({ problem }: DataRow): string =>
  problemKey(
    Object.fromEntries(Object.entries(problem).filter(([name]) => name === "n" || name === "direction")),
  );

function timesText(shared: readonly Shared[]): string {
  if (shared.length === 0) return "No published device has a table of both profiles.";
  const grid = gridMarkdown({
    columns: columns(
      "device",
      "kernel",
      "problem",
      ">variants in both",
      ">least",
      ">median",
      ">most",
      "`of the fastest`",
    ),
    rows: shared.map(({ device, kernel, problem, ratios, fastest }) => [
      ...[device, kernel, problemKey(problem), `${ratios.length}`],
      ...[ratios[0]!, ratios[Math.floor((ratios.length - 1) / 2)]!, ratios.at(-1)!].map((ratio) =>
        ratio.toFixed(3),
      ),
      `${fastest.ratio.toFixed(3)} ${fastest.variant}`,
    ]),
  });
  return (
    `Least time under ${PROFILES_COMPARED[0]} over least time under ${PROFILES_COMPARED[1]}, of variants that both tables of a device hold. The two were measured in sessions of their own, ` +
    `so a percent either way says nothing.\n\n${grid}`
  );
}
