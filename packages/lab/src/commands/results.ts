import { join } from "node:path";
import { Fault, type SessionEvidence } from "@tunelab/contract";
import { gridText } from "@tunelab/report";
import { exportReplay } from "@tunelab/tuner";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { keptSession } from "../kept-session.ts";
import { labDir, labDirToRead, requireCheckout, tablesDir } from "../places.ts";
import { generatedTables, loadPublication, TABLES_OWN, writeGenerated } from "../published.ts";
import { writeWhole } from "../session.ts";

interface Flags {
  readonly out?: string;
  readonly json?: boolean;
}

interface ExportFlags extends Flags {
  readonly journal?: string;
  readonly replay?: string;
}

export function register(program: Command, io: Io): void {
  const results = program
    .command("results")
    .description("sessions: list, import, show, export, publish, retract");
  const sub = (name: string, description: string): Command =>
    results
      .command(name)
      .description(description)
      .option("--out <dir>", "folder of sessions (default .lab, or $TUNELAB_LAB_DIR)")
      .option("--json", "print as JSON");

  sub("list", "the sessions of this laboratory")
    .addHelpText("after", "\nExample: pnpm lab results list --json")
    .action((flags: Flags) => list(flags, io));
  sub("show <session>", "one session: header, events and trials, as JSON lines")
    .addHelpText("after", "\nExample: pnpm lab results show 01M8...")
    .action((id: string, flags: Flags) => show(id, flags, io));
  sub("import <journal>", "take in the journal of a packed laboratory; a bad line loses only itself")
    .addHelpText("after", "\nExample: pnpm lab results import h200.jsonl")
    .action((file: string, flags: Flags) => importFile(file, flags, io));
  sub(
    "export <session>",
    "write a session as a journal, or its measured spaces as files that `lab replay` reads",
  )
    .option("--journal <file>", "the whole session as a journal, from which a packed laboratory goes on")
    .option("--replay <dir>", "folder to write spaces to, one file an operation, algorithm and problem")
    .addHelpText(
      "after",
      "\nExample: pnpm lab results export 01JD... --replay spaces/\n         pnpm lab results export 01JD... --journal .gpu/resume/eigh-backends-portable.jsonl",
    )
    .action((id: string, flags: ExportFlags) => exportSession(id, flags, io));
  sub("publish <session>", "add a session to the published evidence and rebuild tables and reports")
    .option("--despite-drift", "take a session whose anchors drifted: its rows rank as on a noisy device")
    .addHelpText("after", "\nExample: pnpm lab results publish 01M8... && pnpm ship")
    .action((id: string, flags: Flags & { despiteDrift?: boolean }) => publish(id, flags, io));
  sub("retract <session>", "withdraw a published session, or one trial of it, with a reason")
    .requiredOption("--reason <text>", "why")
    .option("--trial <id>", "only this trial")
    .addHelpText("after", '\nExample: pnpm lab results retract 01M8... --reason "the fan had stopped"')
    .action((session: string, flags: Flags & { reason: string; trial?: string }) =>
      withdraw(session, flags, io),
    );
}

const store = () => {
  requireCheckout();
  return import("@tunelab/store");
};

async function list(flags: Flags, io: Io): Promise<void> {
  const { sessions, faults } = await (await store()).listSessions(labDirToRead(flags.out, io));
  for (const { message } of faults) io.note(`Left out: ${message}`);
  if (flags.json) {
    io.out(JSON.stringify(sessions, null, 2));
    return;
  }
  if (sessions.length === 0) {
    io.out("No sessions yet: `pnpm tune` makes one.");
    return;
  }
  const left = { align: "left" } as const;
  io.out(
    gridText({
      columns: [
        { title: "session", ...left },
        { title: "started", ...left },
        { title: "device", ...left },
        { title: "profile", ...left },
        { title: "operations", ...left },
        { title: "trials", align: "right" },
        { title: "status", ...left },
      ],
      rows: sessions.map((one) => [
        one.id,
        one.startedAt,
        one.deviceSlug,
        one.profile,
        one.operations.join(", "),
        String(one.trials),
        one.status,
      ]),
    }),
  );
}

async function exportSession(id: string, flags: ExportFlags, io: Io): Promise<void> {
  const { journal, replay } = flags;
  if ((journal === undefined) === (replay === undefined))
    throw new Fault("usage", "results export needs --journal FILE or --replay DIR, one of the two");
  const session = await keptSession(id, flags.out, io);
  if (journal !== undefined) {
    await (await store()).writeJournal(journal, session);
    io.out(
      flags.json
        ? JSON.stringify({ files: [journal] })
        : `${journal}: session ${id}, ${session.trials.length} trials`,
    );
    return;
  }
  await exportSpaces(session, replay!, flags, io);
}

async function exportSpaces(session: SessionEvidence, folder: string, flags: Flags, io: Io): Promise<void> {
  const spaces = exportReplay(session);
  if (spaces.length === 0)
    throw new Fault("usage", `session ${session.header.id} has no trial with a time: nothing to export`);
  const files: string[] = [];
  for (const { name, configurations, text } of spaces) {
    const path = join(folder, `${name}.json`);
    await writeWhole(path, text);
    files.push(path);
    if (!flags.json) io.out(`${path}: ${configurations} configurations`);
  }
  if (flags.json) io.out(JSON.stringify({ files }));
  else io.out(`Next: pnpm lab replay ${folder}/*.json`);
}

async function show(id: string, flags: Flags, io: Io): Promise<void> {
  const found = await keptSession(id, flags.out, io);
  if (flags.json) {
    io.out(JSON.stringify(found, null, 2));
    return;
  }
  for (const record of [found.header, ...found.events, ...found.trials]) io.out(JSON.stringify(record));
}

async function importFile(file: string, flags: Flags, io: Io): Promise<void> {
  const imported = await (await store()).importJournal(labDir(flags.out, io), file);
  for (const { line, message } of imported.problems) io.note(`Line ${line} is lost: ${message}`);
  if (flags.json) {
    io.out(JSON.stringify(imported));
    return;
  }
  io.out(`Session ${imported.session}: ${imported.added} of ${imported.trials} trials are new.`);
  io.out(`Next: pnpm lab results publish ${imported.session}`);
}

async function publish(id: string, flags: Flags & { despiteDrift?: boolean }, io: Io): Promise<void> {
  const { publishSession } = await store();
  const path = await publishSession(labDir(flags.out, io), tablesDir(), id, {
    despiteDrift: flags.despiteDrift === true,
  });
  const files = await rebuild();
  if (flags.json) {
    io.out(JSON.stringify({ evidence: path, files }));
    return;
  }
  io.out(`Published: ${path}`);
  io.out("Next: pnpm ship, then commit tables/, reports/ and packages/runtime/src/generated/");
}

async function withdraw(
  session: string,
  flags: Flags & { reason: string; trial?: string },
  io: Io,
): Promise<void> {
  const { retract } = await store();
  const { reason, trial } = flags;
  await retract(tablesDir(), { session, reason, ...(trial === undefined ? {} : { trial }) });
  const files = await rebuild();
  io.out(
    flags.json
      ? JSON.stringify({ session, trial, reason, files })
      : `Retracted ${trial ?? session}: ${reason}`,
  );
}

async function rebuild(): Promise<readonly string[]> {
  const root = requireCheckout();
  const files = await generatedTables(root, await loadPublication(root));
  await writeGenerated(root, files, TABLES_OWN);
  return [...files.keys()];
}
