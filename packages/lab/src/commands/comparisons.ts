import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { COMPARISON_SCHEMA, type Comparison, Fault } from "@tunelab/contract";
import {
  chartSvg,
  comparisonMarkdown,
  comparisonText,
  comparisonTitle,
  forestChart,
  verdictCounts,
} from "@tunelab/report";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { labDir, labDirToRead, requireCheckout, tablesDir } from "../places.ts";
import { generatedTables, loadPublication, TABLES_OWN, writeGenerated } from "../published.ts";
import { writeWhole } from "../session.ts";

interface Flags {
  readonly out?: string;
  readonly json?: boolean;
}

interface ShowFlags extends Flags {
  readonly markdown?: boolean;
  readonly svg?: string;
}

export function register(program: Command, io: Io): void {
  const comparisons = program
    .command("comparisons")
    .description("stored comparisons: list, show, publish, retract, import");
  const sub = (name: string, description: string): Command =>
    comparisons
      .command(name)
      .description(description)
      .option("--out <dir>", "folder of results (default .lab, or $TUNELAB_LAB_DIR)")
      .option("--json", "print as JSON");
  sub("list", "the comparisons of this laboratory, oldest first")
    .addHelpText("after", "\nExample: pnpm lab comparisons list --json")
    .action((flags: Flags) => list(flags, io));
  sub("show <id>", "one comparison, as it was printed")
    .option("--markdown", "print as Markdown")
    .option("--svg <file>", "write the forest plot")
    .addHelpText("after", "\nExample: pnpm lab comparisons show 01M8NQTV831Y6P974973STSG9N --markdown")
    .action((id: string, flags: ShowFlags) => show(id, flags, io));
  sub("publish <id>", "add a comparison's record to the published evidence and write its page")
    .addHelpText("after", "\nExample: pnpm lab comparisons publish 01M8NQTV831Y6P974973STSG9N")
    .action((id: string, flags: Flags) => publish(id, flags, io));
  sub("retract <id>", "withdraw a published comparison with a reason; it stays, struck through")
    .requiredOption("--reason <text>", "why")
    .addHelpText(
      "after",
      '\nExample: pnpm lab comparisons retract 01M8NQTV831Y6P974973STSG9N --reason "the machine was busy"',
    )
    .action((id: string, flags: Flags & { readonly reason: string }) => withdraw(id, flags, io));
  sub("import <record>", "take in the record of a packed comparison (`compare --record FILE`)")
    .addHelpText("after", "\nExample: pnpm lab comparisons import record.json")
    .action((file: string, flags: Flags) => importRecord(file, flags, io));
}

const store = () => {
  requireCheckout();
  return import("@tunelab/store");
};

async function list(flags: Flags, io: Io): Promise<void> {
  const { listComparisons, readComparison } = await store();
  const folder = labDirToRead(flags.out, io);
  const found: Comparison[] = [];
  for (const id of await listComparisons(folder)) {
    await readComparison(folder, id).then(
      (comparison) => found.push(comparison),
      (error: Error) => io.note(`Left out: ${error.message}`),
    );
  }
  if (flags.json) {
    io.out(
      JSON.stringify(
        found.map(({ rows, ...rest }) => ({ ...rest, verdicts: verdictCounts({ rows }) })),
        null,
        2,
      ),
    );
    return;
  }
  if (found.length === 0) io.out("No comparisons yet: `pnpm compare BASE CANDIDATE` makes one.");
  for (const one of found)
    io.out(`${one.id}  ${one.startedAt}  ${comparisonTitle(one)}: ${verdictCounts(one)}`);
}

async function show(id: string, flags: ShowFlags, io: Io): Promise<void> {
  const { readComparison } = await store();
  const comparison = await readComparison(labDirToRead(flags.out, io), id);
  if (flags.svg !== undefined) {
    const chart = forestChart(comparison);
    if (!chart) throw new Fault("usage", `no row of ${id} has a ratio to draw`);
    await writeWhole(flags.svg, await chartSvg(chart));
  }
  if (flags.json) io.out(JSON.stringify(comparison, null, 2));
  else io.out(flags.markdown ? comparisonMarkdown(comparison, flags.svg) : comparisonText(comparison));
}

async function publish(id: string, flags: Flags, io: Io): Promise<void> {
  const { publishComparison } = await store();
  const path = await publishComparison(labDirToRead(flags.out, io), tablesDir(), id);
  await rebuild();
  io.out(
    flags.json ? JSON.stringify({ record: path }) : `Published: ${path}\nNext: commit tables/ and reports/`,
  );
}

async function withdraw(id: string, flags: Flags & { readonly reason: string }, io: Io): Promise<void> {
  const { reason } = flags;
  await (await store()).retractComparison(tablesDir(), id, reason);
  await rebuild();
  io.out(flags.json ? JSON.stringify({ comparison: id, reason }) : `Retracted ${id}: ${reason}`);
}

async function rebuild(): Promise<void> {
  const root = requireCheckout();
  await writeGenerated(root, await generatedTables(root, await loadPublication(root)), TABLES_OWN);
}

async function importRecord(file: string, flags: Flags, io: Io): Promise<void> {
  const { createComparison, decodeComparison } = await store();
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Fault("usage", `${resolve(file)} cannot be read: ${error.message}`);
  });
  const comparison = decodeComparison(text, file);
  if (comparison.schema > COMPARISON_SCHEMA)
    throw new Fault(
      "data",
      `${file} was written by a newer tunelab (schema ${comparison.schema}): update first`,
    );
  const { rows: _rows, control: _control, stopped: _stopped, ...header } = comparison;
  const sink = await createComparison(labDir(flags.out, io), header);
  await sink.finish(comparison);
  io.out(flags.json ? JSON.stringify({ id: comparison.id, path: sink.path }) : `Imported: ${sink.path}`);
  if (!flags.json) io.out(`Next:     pnpm lab comparisons show ${comparison.id}`);
}
