import { Fault, problemKey, type TuningTable, tableFolder } from "@tunelab/contract";
import { chooseDevice } from "@tunelab/devices";
import type { Io } from "./io.ts";
import { parseProfile } from "./options.ts";
import type { MeasureFlags } from "./study-run.ts";

/** Runs a command line in this process; rejects as the command fails. */
export type RunLine = (words: readonly string[], io: Io) => Promise<void>;

/**
 * Measures the rows of a published tuning table again: its problems, with the variants that it ranks tried first and nothing else
 * sought. Gives the session, or the journal that was asked for. @throws Fault `usage` when the device has no such table.
 */
export async function remeasureTable(
  operation: string,
  tables: readonly TuningTable[],
  flags: MeasureFlags,
  io: Io,
  runLine: RunLine,
): Promise<string> {
  const profile = parseProfile(flags.profile);
  const target = await chooseDevice(flags.device);
  const folder = tableFolder(target.info.identity, profile);
  const own = tables.filter((table) => table.operation === operation);
  const table = own.find((one) => tableFolder(one.device.identity, one.profile) === folder);
  if (!table) {
    const known = own.map((one) => tableFolder(one.device.identity, one.profile)).join(", ");
    throw new Fault(
      "usage",
      `${folder} has no published table of ${operation} to measure again: ${known || "no device"} has; \`pnpm tune\` makes one`,
    );
  }
  const told: string[] = [];
  await runLine(tuneWords(table, target.id, flags), {
    ...io,
    out: (text) => void told.push(text),
  });
  const { session } = JSON.parse(told.join("\n")) as { readonly session: string };
  return session;
}

/** The command line of `tune` that measures a table's rows on its problems. */
export function tuneWords(table: TuningTable, device: string, flags: MeasureFlags): readonly string[] {
  const entries = table.entries.filter(({ rows }) => rows.length > 0);
  const variants = new Set(entries.flatMap(({ rows }) => rows.map(({ variant }) => variant)));
  return [
    ...["tune", "--json", "--device", device, "--profile", table.profile, "--kernel", table.operation],
    ...entries.flatMap(({ problem }) => ["--problem", problemKey(problem)]),
    ...[...variants].flatMap((variant) => ["--start", variant]),
    // A variant of one length may fit another too: every problem has room for all of them, and for no search beyond.
    ...["--trials", String(entries.length * variants.size), "--no-transfer", "--strategy", "random"],
    ...(flags.out ? ["--out", flags.out] : []),
    ...(flags.journal ? ["--journal", flags.journal] : []),
  ];
}
