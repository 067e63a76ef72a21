import { Fault } from "@tunelab/contract";
import { gridText, spentGrid, verdictsGrid } from "@tunelab/report";
import { searchVerdicts } from "@tunelab/selection";
import { readJournal } from "@tunelab/store/journal";
import type { Command } from "commander";
import type { Io } from "../io.ts";

interface Flags {
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  program
    .command("regret <exhaustive> <searches...>")
    .description(
      "how far from the best of an exhaustive pass searches of the same variants ended, from journals; no device is touched",
    )
    .option("--json", "print the verdicts as JSON")
    .addHelpText(
      "after",
      `
The first journal is of a session with --strategy exhaustive, the others of sessions with another strategy on the same device, profile, problem and
part of the space (--where). What a search chose is judged by its time in the exhaustive session. \`pnpm lab results export SESSION --journal FILE\`
writes the journal of a session.

Example: pnpm lab regret exhaustive-4096.jsonl default-4096.jsonl`,
    )
    .action((exhaustive: string, searches: readonly string[], flags: Flags) =>
      regret(exhaustive, searches, flags, io),
    );
}

async function regret(exhaustive: string, searches: readonly string[], flags: Flags, io: Io): Promise<void> {
  const paths = [exhaustive, ...searches];
  const sessions = await Promise.all(
    paths.map(async (path) => {
      const { evidence, problems } = await readJournal(path);
      if (problems.length > 0)
        io.note(`${path}: ${problems.length} lines left out, the first: ${problems[0]!.message}`);
      return evidence;
    }),
  );
  const [first] = sessions;
  const { strategy } = first!.header.command;
  if (strategy !== "exhaustive")
    throw new Fault(
      "usage",
      `${exhaustive} is of a session with strategy ${strategy}, not exhaustive: give that one first`,
    );
  const verdicts = searchVerdicts(sessions);
  for (const [index, { header }] of sessions.entries())
    if (index > 0 && !verdicts.some(({ search }) => search.session === header.id))
      throw new Fault(
        "usage",
        `${paths[index]} searched nothing that ${exhaustive} measured: give sessions of one device, profile, problem and part of the space`,
      );
  if (flags.json) {
    io.out(JSON.stringify(verdicts, null, 2));
    return;
  }
  io.out(`${gridText(verdictsGrid(verdicts))}\n\n${gridText(spentGrid(verdicts))}`);
}
