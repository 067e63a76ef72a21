import { Fault, type SessionEvidence } from "@tunelab/contract";
import { gridText, spentGrid, verdictsGrid } from "@tunelab/report";
import { EXHAUSTIVE, problemsOf, searchVerdicts, verdictOf } from "@tunelab/selection";
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
  if (strategy !== EXHAUSTIVE)
    throw new Fault(
      "usage",
      `${exhaustive} is of a session with strategy ${strategy}, not exhaustive: give that one first`,
    );
  const searchers = new Map(
    sessions.slice(1).map((session, index) => [session.header.id, { session, path: searches[index]! }]),
  );
  for (const { session, path } of searchers.values()) refuseUnlike(first!, session, path);
  const verdicts = searchVerdicts([first!, ...[...searchers.values()].map(({ session }) => session)]);
  if (flags.json) {
    io.out(JSON.stringify(verdicts, null, 2));
    return;
  }
  io.out(`${gridText(verdictsGrid(verdicts))}\n\n${gridText(spentGrid(verdicts))}`);
}

/** @throws Fault `usage` with why nothing that a session searched can be judged by the exhaustive one. */
function refuseUnlike(exhaustive: SessionEvidence, session: SessionEvidence, path: string): void {
  const { strategy } = session.header.command;
  if (strategy === EXHAUSTIVE)
    throw new Fault(
      "usage",
      `${path} is of an exhaustive session too: give searches with another strategy after the first`,
    );
  const found = problemsOf(exhaustive).map((problem) => verdictOf(exhaustive, session, problem));
  const [reason] = found.filter((one) => typeof one === "string");
  if (found.every((one) => typeof one === "string"))
    throw new Fault(
      "usage",
      `${path} cannot be judged by the exhaustive pass: ${reason ?? "nothing is in that"}`,
    );
}
