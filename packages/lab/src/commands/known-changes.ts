import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@tunelab/contract";
import { columns, gridText } from "@tunelab/report";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import type { Io } from "../io.ts";
import {
  KNOWN_CHANGES_DATA,
  knownChangeOf,
  knownChangesText,
  readKnownChanges,
  verdictsOf,
  withKnownChanges,
} from "../known-changes.ts";
import { requireCheckout } from "../places.ts";
import { writeWhole } from "../session.ts";

interface Flags {
  readonly device?: string;
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  program
    .command("known-changes [records...]")
    .description(
      "changes of known size that comparisons looked for: list the published ones, or publish records of examples/compare-power's measure.mjs",
    )
    .option("--device <slug>", "device of records that do not name theirs, e.g. nvidia-h200")
    .option("--json", "print as JSON")
    .addHelpText(
      "after",
      "\nExample: pnpm lab known-changes one-percent.json --device nvidia-h200 && pnpm tables",
    )
    .action((records: readonly string[], flags: Flags) => knownChanges(records, flags, io));
}

async function knownChanges(records: readonly string[], flags: Flags, io: Io): Promise<void> {
  const root = requireCheckout();
  // Every record is read before anything is written: a bad one loses nothing.
  const added = await Promise.all(
    records.map(async (path) => knownChangeOf(await textOf(path), path, flags.device)),
  );
  const changes = withKnownChanges(await readKnownChanges(root), added);
  if (added.length > 0) {
    await writeWhole(join(root, KNOWN_CHANGES_DATA), knownChangesText(changes));
    io.note(`written: ${KNOWN_CHANGES_DATA}; next: ${commandLine("tables")} writes the page`);
  }
  if (flags.json) {
    io.out(JSON.stringify(changes, null, 2));
    return;
  }
  io.out(
    gridText({
      columns: columns("device", "profile", "kernel", "problem", "change", "called"),
      rows: changes.map(({ device, profile, kernel, problem, name, runs }) => [
        ...[device, profile, kernel, problem, name],
        verdictsOf(runs),
      ]),
    }),
  );
}

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => {
    throw new Fault("usage", `${path} cannot be read: give a file that measure.mjs wrote with --out`);
  });
}
