import { Fault } from "@tunelab/contract";
import { gridText, studyGrid } from "@tunelab/report";
import { foldStudies, studyPlanOf, studyResult } from "@tunelab/selection";
import { Command } from "commander";
import { packed } from "../build.ts";
import { historyOf, uncheckedLine, unreachable } from "../history.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { labDir, requireCheckout, tablesDir } from "../places.ts";
import {
  citedByPublication,
  differences,
  type Generated,
  generatedTables,
  loadPublication,
  type Publication,
  TABLES_OWN,
  writeGenerated,
} from "../published.ts";
import { remeasureTable } from "../remeasure.ts";
import { measureStudy } from "../study-run.ts";
import { listedStudies, studyName, studyNamed } from "../study-tables.ts";
import { register as tune } from "./tune.ts";

interface Flags {
  readonly check?: boolean;
  readonly only?: string;
  readonly measure?: boolean;
  readonly device: string;
  readonly profile: string;
  readonly resume?: string;
  readonly publish: boolean;
  readonly journal?: string;
  readonly out?: string;
  readonly list?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  program
    .command("tables")
    .description("rebuild published tables, studies and reports from the committed evidence; needs no GPU")
    .option("--check", "write nothing; exit 1 and say where each file differs")
    .option("--strict", "with --check: exit 1 also where evidence names a commit that is not in this history")
    .option("--only <id>", "one table (matched-filter) or study (matched-filter/staging) alone")
    .option("--list", "print the studies that can be measured")
    .option("--measure", "measure the table or study that --only names again, publish it and rebuild")
    .option("--device <id>", "device to measure on, as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option(
      "--resume <from>",
      "go on from a cut-off session of that study, or its journal: rows that are whole there are taken over",
    )
    .option("--no-publish", "keep what was measured as a session and print it, without publishing it")
    .option("--journal <file>", "write a journal instead of a session file, and publish nothing")
    .option("--out <dir>", "folder for the session (default .lab, or $TUNELAB_LAB_DIR)")
    .option("--json", "print as JSON")
    .addHelpText(
      "after",
      `
--resume needs the same device, driver, profile and toggles (exit 2 names what differs) and writes a new session with all rows, which replaces the
older one when it is published. Times drift between sessions and the cells of a row compare with each other, so only whole rows are taken over: a
row that lacks a cell, or of which a kernel, a setting or the epoch changed, is measured again as a whole. Cells of the CPU stand for the commit
that measured them alone. A packed laboratory takes a journal: \`pnpm lab results export SESSION --journal FILE\` writes one.

Example: pnpm tables --check
         pnpm tables --measure --only matched-filter/staging --device swiftshader
         pnpm tables --measure --only eigh/backends --device nvidia-h200 --resume 01M8Q64DYSFYDKY26P24REVB0B`,
    )
    .action((flags: Flags) => tables(flags, io));
}

async function tables(flags: Flags, io: Io): Promise<void> {
  if (flags.strict && !flags.check) throw new Fault("usage", "--strict goes with --check");
  if (flags.resume !== undefined && !(flags.measure && flags.only?.includes("/")))
    throw new Fault("usage", "--resume goes with --measure --only OPERATION/STUDY");
  if (flags.list) return list(flags, io);
  if (flags.measure) return measure(flags, io);
  return rebuild(flags, io);
}

async function list(flags: Flags, io: Io): Promise<void> {
  const all = (await listedStudies()).map((one) => ({ id: studyName(one), title: one.study.title }));
  if (flags.json) io.out(JSON.stringify(all, null, 2));
  else if (all.length === 0) io.out("No suite lists a study.");
  else for (const { id, title } of all) io.out(`${id}  ${title}`);
}

async function measure(flags: Flags, io: Io): Promise<void> {
  if (flags.check) throw new Fault("usage", "--check writes nothing and --measure does: give one of the two");
  if (flags.only === undefined)
    throw new Fault("usage", "--measure needs --only ID: `pnpm tables --list` shows what can be measured");
  if (!flags.only.includes("/")) return remeasure(flags.only, flags, io);
  const { evidence, journal, folder, whole } = await measureStudy(await studyNamed(flags.only), flags, io);
  const result = studyResult(evidence, studyPlanOf(evidence)!);
  const published = whole && flags.publish && !journal && !packed;
  if (published) await publish(folder, result.session);
  if (flags.json) io.out(JSON.stringify({ ...result, ...(journal ? { journal } : {}), published }, null, 2));
  else {
    io.out(gridText(studyGrid(result)));
    if (whole) io.out(`\n${nextStep(result.session, journal, published)}`);
  }
  if (io.signal.aborted) throw new ExitWith(EXIT.interrupted);
}

async function publish(folder: string, session: string): Promise<void> {
  const { publishSession } = await import("@tunelab/store");
  await publishSession(folder, tablesDir(), session);
  const root = requireCheckout();
  await writeGenerated(root, await generatedTables(root, await loadPublication(root)), TABLES_OWN);
}

/** Runs a line of `tune` in this process. */
async function tuneLine(words: readonly string[], io: Io): Promise<void> {
  const program = new Command();
  tune(program, io);
  await program.parseAsync([...words], { from: "user" });
}

/** A tuning table's rows, measured again in a session of their own. */
async function remeasure(operation: string, flags: Flags, io: Io): Promise<void> {
  const { tables } = await loadPublication(requireCheckout());
  const session = await remeasureTable(operation, tables, flags, io, tuneLine);
  const published = flags.publish && !flags.journal;
  if (published) await publish(labDir(flags.out, io), session);
  io.out(
    flags.json
      ? JSON.stringify({ session, ...(flags.journal ? { journal: flags.journal } : {}), published })
      : nextStep(session, flags.journal, published),
  );
}

function nextStep(session: string, journal: string | undefined, published: boolean): string {
  if (journal)
    return `Journal: ${journal}\nNext:    pnpm lab results import ${journal}, in a checkout, then results publish ${session}`;
  if (published) return "Published. Next: commit tables/ and reports/";
  return `Session: ${session}\nNext:    pnpm lab results publish ${session} publishes it`;
}

async function rebuild(flags: Flags, io: Io): Promise<void> {
  const root = requireCheckout();
  const publication = await loadPublication(root);
  if (flags.only !== undefined) requirePublished(publication, flags.only);
  const all = await generatedTables(root, publication);
  const files = flags.only === undefined ? all : only(all, flags.only);
  // One table alone leaves everything else as it is, left-over files too.
  const owned = flags.only === undefined ? TABLES_OWN : [];
  const wrong = await differences(root, files, owned);
  if (!flags.check) await writeGenerated(root, files, owned);
  const stale = staleCounts(publication.stale.map(({ table }) => table));
  const history = await historyOf(root);
  const gone = unreachable(history, citedByPublication(publication));
  const unchecked = uncheckedLine(history);
  if (flags.json) {
    const paths = wrong.map(({ path }) => path);
    io.out(
      JSON.stringify({
        files: [...files.keys()],
        [flags.check ? "differing" : "written"]: paths,
        stale,
        unreachable: gone,
        ...(unchecked === undefined ? {} : { unchecked }),
      }),
    );
  } else if (wrong.length === 0) {
    io.out(`${files.size} files of tables and reports are what the evidence gives.`);
  } else {
    for (const { path, why } of wrong) io.out(flags.check ? `differs: ${why}` : `written: ${path}`);
  }
  for (const [table, rows] of Object.entries(stale)) {
    io.note(`tables/${table} is stale: ${rows} rows were measured with another plan or epoch; measure again`);
  }
  if (!flags.check) return;
  for (const line of [...gone, ...(unchecked === undefined ? [] : [unchecked])]) io.note(line);
  if (wrong.length > 0)
    io.note("tunelab: `pnpm tables` writes what the evidence gives; tables are never edited by hand");
  else if (gone.length === 0 || !flags.strict) return;
  throw new ExitWith(EXIT.failed);
}

/** @throws Fault `usage` naming what is published, when nothing of that name is. */
function requirePublished({ tables, evidence, retracted }: Publication, id: string): void {
  const studies = foldStudies(evidence, retracted).map((one) => `${one.operation}/${one.id}`);
  const known = [...new Set([...tables.map(({ operation }) => operation), ...studies])];
  if (!known.includes(id))
    throw new Fault(
      "usage",
      `nothing is published of "${id}": there is ${known.join(", ") || "nothing yet"}`,
    );
}

/** Files of one table or study on every device: what follows the device and the profile in their paths is its name. */
function only(files: Generated, id: string): Generated {
  const name = id.includes("/") ? `studies/${id.replace("/", "-")}` : id;
  const nameOf = (path: string): string =>
    path
      .split("/")
      .slice(3)
      .join("/")
      .replace(/\.\w+$/, "");
  return new Map([...files].filter(([path]) => path.startsWith("tables/") && nameOf(path) === name));
}

function staleCounts(tables: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = (counts[table] ?? 0) + 1;
  return counts;
}
