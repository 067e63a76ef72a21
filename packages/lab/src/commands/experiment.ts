import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault, type SessionEvidence } from "@tunelab/contract";
import { intervalText, judgeRun, type NamedExperiment, overall, ROUNDS, runsOf } from "@tunelab/experiment";
import { columns, formatRatio, gridText } from "@tunelab/report";
import { readJournal } from "@tunelab/store/journal";
import type { Command } from "commander";
import { commandLine, packed } from "../build.ts";
import { dueExperiments } from "../experiment-due.ts";
import { type RunFlags, runExperiments, runPlace } from "../experiment-run.ts";
import {
  chosen,
  citedByExperiments,
  EXPERIMENTS_OWN,
  experimentNames,
  generatedExperiments,
  keepRuns,
  loadExperiments,
  mismatchesOf,
  readResult,
  retractRun,
} from "../experiments.ts";
import { historyOf, uncheckedLine, unreachable } from "../history.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { differences, writeGenerated } from "../published.ts";

interface JsonFlag {
  readonly json?: boolean;
}

interface CheckFlags extends JsonFlag {
  readonly write?: boolean;
  readonly strict?: boolean;
}

export function register(program: Command, io: Io): void {
  const experiment = program
    .command("experiment")
    .description("questions with a prediction: new, run, list, check, import, retract")
    .addHelpText("after", "\nExample: pnpm lab experiment list --json");
  const sub = (name: string, description: string): Command =>
    experiment.command(name).description(description).option("--json", "print as JSON");

  sub("list", "every experiment with its verdict on each device")
    .addHelpText("after", "\nExample: pnpm lab experiment list --json")
    .action((flags: JsonFlag) => list(flags, io));
  sub("new <slug>", "make the folder of a new experiment, its definition to be filled in")
    .addHelpText("after", "\nExample: pnpm lab experiment new wider-loads")
    .action((slug: string, flags: JsonFlag) => create(slug, flags, io));
  sub("run [names...]", "measure experiments on a device, and write their results and pages")
    .option("--all", "every experiment")
    .option("--due", "only those whose run on this device is missing, stale or of a commit that is gone")
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--scale <name>", "the problems for software or for hardware (default: by the device)")
    .option("--rounds <n>", "rounds of each experiment; at least 6 for an interval", String(ROUNDS))
    .option("--journal <file>", "write a journal instead of a session file")
    .option("--out <dir>", "folder for sessions (default .lab, or $TUNELAB_LAB_DIR)")
    .addHelpText(
      "after",
      "\nResults are written experiment by experiment: after an interruption --due goes on.\n\nExample: pnpm lab experiment run radix-ladder --device swiftshader\n         pnpm lab experiment run --due --device swiftshader",
    )
    .action((names: readonly string[], flags: RunFlags) => run(names, flags, io));
  sub("import <journal>", "take in what a packed laboratory measured")
    .addHelpText("after", "\nExample: pnpm lab experiment import h200.jsonl")
    .action((file: string, flags: JsonFlag) => take(file, flags, io));
  sub("retract <name> <session>", "withdraw the run of one session, with a reason; it stays, struck through")
    .requiredOption("--reason <text>", "why")
    .addHelpText(
      "after",
      '\nExample: pnpm lab experiment retract radix-ladder 01M8... --reason "the fan had stopped"',
    )
    .action((name: string, session: string, flags: JsonFlag & { readonly reason: string }) =>
      withdraw(name, session, flags, io),
    );
  sub(
    "check",
    "definitions are valid, results are theirs and every page is what its result gives; exit 1 otherwise",
  )
    .option("--write", "write what differs")
    .option("--strict", "exit 1 also where a result names a commit that is not in this history")
    .addHelpText("after", "\nExample: pnpm lab experiment check --strict")
    .action((flags: CheckFlags) => check(flags, io));
}

async function list(flags: JsonFlag, io: Io): Promise<void> {
  const all = await loadExperiments();
  const rows = await Promise.all(
    all.map(async ({ name, experiment }) => {
      const result = packed ? undefined : await readResult(requireCheckout(), name);
      const verdicts = (result?.runs ?? []).map((one) => ({
        device: one.deviceSlug,
        profile: one.profile,
        verdict: overall(judgeRun(experiment, one)),
      }));
      return { name, question: experiment.question, verdicts };
    }),
  );
  if (flags.json) {
    io.out(JSON.stringify(rows, null, 2));
    return;
  }
  if (rows.length === 0)
    io.out(`No experiments yet: ${commandLine("experiment new some-question")} makes one.`);
  else
    io.out(
      gridText({
        columns: columns("experiment", "verdicts"),
        rows: rows.map(({ name, verdicts }) => [
          name,
          verdicts.map(({ device, profile, verdict }) => `${device} ${profile}: ${verdict}`).join("; ") ||
            "not measured",
        ]),
      }),
    );
}

async function create(slug: string, flags: JsonFlag, io: Io): Promise<void> {
  const root = requireCheckout();
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    throw new Fault(
      "usage",
      `"${slug}" is no name for an experiment: write lowercase words joined by dashes`,
    );
  const taken = (await experimentNames(root)).find((name) => name.slice("yyyy-mm-dd-".length) === slug);
  if (taken) throw new Fault("usage", `experiments/${taken} exists already: choose another name`);
  const folder = `experiments/${new Date().toISOString().slice(0, 10)}-${slug}`;
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, "experiment.ts"), template(slug), { flag: "wx" });
  io.out(
    flags.json
      ? JSON.stringify({ folder })
      : `Made ${folder}/experiment.ts: fill it in, then ${commandLine(`experiment run ${slug}`)}`,
  );
}

const template = (slug: string): string => `import type { Experiment } from "@tunelab/experiment";

const experiment: Experiment = {
  question: "What does ${slug.replaceAll("-", " ")} cost?",
  hypothesis: "Say what you expect and why.",
  varies: "one parameter, everything else fixed",
  operation: "matched-filter",
  problems: {
    software: { n: 256, data: 4, templates: 16, pairs: 64 },
    hardware: { n: 4096, data: 64, templates: 512, pairs: 32_768 },
  },
  arms: () => [
    { name: "tree", algorithm: "fused", config: { reduction: "tree" } },
    { name: "subgroup", algorithm: "fused", config: { reduction: "subgroup" } },
  ],
  claims: [{ text: "the tree takes a tenth longer", figure: "time", of: "tree", over: "subgroup", predicted: 1.1 }],
};

export default experiment;
`;

async function run(names: readonly string[], flags: RunFlags, io: Io): Promise<void> {
  const all = await loadExperiments();
  if (names.length === 0 && !flags.all && !flags.due)
    throw new Fault(
      "usage",
      `name the experiments to run, or --all, or --due: there is ${all.map(({ name }) => name).join(", ") || "none"}`,
    );
  if (names.length > 0 && flags.all)
    throw new Fault(
      "usage",
      `--all runs every experiment, not only ${names.join(", ")}: give one of the two`,
    );
  const named = names.length > 0 ? chosen(all, names) : all;
  const place = await runPlace(flags);
  const wanted = flags.due ? await dueExperiments(named, place, io) : named;
  if (wanted.length === 0) {
    io.out(
      flags.json
        ? JSON.stringify({ found: [], folders: [] })
        : `Nothing is due: all ${named.length} experiments have runs on ${place.target.id}, ${place.profile}, that still stand.`,
    );
    return;
  }
  const keep = async (sofar: SessionEvidence): Promise<void> => {
    await keepRuns(requireCheckout(), wanted, runsOf(sofar, wanted));
  };
  const { evidence, journal } = await runExperiments(wanted, place, flags, io, keep);
  if (packed || flags.journal) {
    const text = `Journal: ${journal}\nNext:    pnpm lab experiment import ${journal}, in a checkout, takes it in`;
    io.out(flags.json ? JSON.stringify({ journal, session: evidence.header.id }) : text);
  } else await tell(evidence, wanted, flags, io);
  if (io.signal.aborted) throw new ExitWith(EXIT.interrupted);
}

async function take(file: string, flags: JsonFlag, io: Io): Promise<void> {
  requireCheckout();
  const { evidence, problems } = await readJournal(file);
  for (const { line, message } of problems) io.note(`Line ${line} is lost: ${message}`);
  const experiments = await loadExperiments();
  if (runsOf(evidence, experiments).size === 0)
    throw new Fault(
      "data",
      `${file}: no experiment of this checkout has a whole round in it: nothing is taken in`,
    );
  await tell(evidence, experiments, flags, io);
}

/** Writes what a session found and prints each verdict with its figures. */
async function tell(
  evidence: SessionEvidence,
  experiments: readonly NamedExperiment[],
  flags: JsonFlag,
  io: Io,
): Promise<void> {
  const runs = runsOf(evidence, experiments);
  const { folders, left } = await keepRuns(requireCheckout(), experiments, runs);
  const found = [...runs].map(([name, one]) => {
    const judged = judgeRun(experiments.find((each) => each.name === name)!.experiment, one);
    return { name, verdict: overall(judged), claims: judged };
  });
  if (flags.json) {
    io.out(JSON.stringify({ session: evidence.header.id, found, folders }, null, 2));
    return;
  }
  for (const { name, verdict, claims } of found) {
    io.out(`${name}: ${verdict}`);
    for (const { claim, verdict: one, ratio, low, high, why } of claims) {
      const figure = ratio === undefined ? (why ?? "") : `${formatRatio(ratio)} (${intervalText(low, high)})`;
      io.out(`  ${claim.text}: predicted ${formatRatio(claim.predicted)}, measured ${figure}: ${one}`);
    }
  }
  if (found.length === 0) io.out("No experiment had a whole round.");
  for (const line of left) io.note(line);
  for (const folder of folders) io.out(`Page: ${folder}/README.md`);
}

async function withdraw(
  name: string,
  session: string,
  flags: JsonFlag & { readonly reason: string },
  io: Io,
): Promise<void> {
  const root = requireCheckout();
  const [named] = chosen(await loadExperiments(), [name]);
  await retractRun(root, named!, session, flags.reason);
  io.out(
    flags.json
      ? JSON.stringify({ experiment: named!.name, session, reason: flags.reason })
      : `Retracted ${session} of ${named!.name}: ${flags.reason}`,
  );
}

async function check(flags: CheckFlags, io: Io): Promise<void> {
  const root = requireCheckout();
  const all = await loadExperiments();
  const files = await generatedExperiments(root, all);
  const wrong = await differences(root, files, EXPERIMENTS_OWN);
  if (flags.write) await writeGenerated(root, files, EXPERIMENTS_OWN);
  // Writing a page again mends no result that answers another question.
  const mismatches = await mismatchesOf(root, all);
  const history = await historyOf(root);
  const gone = unreachable(history, await citedByExperiments(root, all));
  const unchecked = uncheckedLine(history);
  if (flags.json)
    io.out(
      JSON.stringify({
        experiments: all.length,
        differing: wrong.map(({ path }) => path),
        mismatches,
        unreachable: gone,
        ...(unchecked === undefined ? {} : { unchecked }),
      }),
    );
  else {
    if (wrong.length + mismatches.length === 0)
      io.out(
        `${all.length} experiments: every definition is valid, every result is its own, every page is what its result gives.`,
      );
    for (const { why } of wrong) io.out(`${flags.write ? "written" : "differs"}: ${why}`);
    for (const line of mismatches) io.out(`${line}; run it again or retract it`);
    for (const line of gone) io.note(line);
    if (gone.length > 0) io.note(`Next: ${commandLine("experiment run --due")} measures on this history`);
    if (unchecked !== undefined) io.note(unchecked);
  }
  const failed =
    mismatches.length > 0 || (wrong.length > 0 && !flags.write) || (gone.length > 0 && flags.strict);
  if (failed) throw new ExitWith(EXIT.failed);
}
