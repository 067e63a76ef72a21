import { basename } from "node:path";
import { Fault, type SpaceScore, type StrategyScore } from "@tunelab/contract";
import { gridText } from "@tunelab/report";
import {
  mean,
  quotedCounts,
  type ReplayFile,
  replay,
  STRATEGIES,
  STRATEGY_NAMES,
  type StrategyName,
  strategyNamed,
} from "@tunelab/tuner";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { parseWhole } from "../options.ts";
import { readReplay } from "../replay-files.ts";
import { scoreOfSpace, writeScores } from "../search-report.ts";

interface Flags {
  readonly strategy: string;
  readonly runs: string;
  readonly evaluations: string;
  readonly seed: string;
  readonly save?: string;
  readonly json?: boolean;
}

/** Progress lines come at most this often, in ms. */
const EVERY_MS = 5_000;

export function register(program: Command, io: Io): void {
  program
    .command("replay <files...>")
    .description(
      "score search strategies on exhaustively measured spaces (.json or .json.gz); no device is touched",
    )
    .option("--strategy <names>", `comma-separated, or all: ${STRATEGY_NAMES.join(", ")}`, "all")
    .option("--runs <n>", "runs, seeded one after the other", "25")
    .option("--evaluations <n>", "variants a run may try; failed ones count", "500")
    .option("--seed <n>", "seed of the first run", "1")
    .option("--save <dir>", "keep the scores as one file a strategy, for the published comparison")
    .option("--json", "print scores and curves as JSON on standard output")
    .addHelpText(
      "after",
      "\nExample: pnpm lab replay spaces/*.json.gz --strategy model --runs 25 --evaluations 500",
    )
    .action((files: readonly string[], flags: Flags) => run(files, flags, io));
}

async function run(paths: readonly string[], flags: Flags, io: Io): Promise<void> {
  const names =
    flags.strategy === "all" ? STRATEGY_NAMES : flags.strategy.split(",").map((name) => name.trim());
  const strategies = names.map(strategyNamed);
  const runs = atLeastOne(flags.runs, "--runs");
  const evaluations = atLeastOne(flags.evaluations, "--evaluations");
  const seed = parseWhole(flags.seed, "--seed");
  const files = await Promise.all(paths.map(async (path) => ({ path, file: await readReplay(path) })));
  const tick = ticker(io, strategies.length * files.length * runs);
  const scores: StrategyScore[] = [];
  for (const strategy of strategies) {
    const spaces: SpaceScore[] = [];
    for (const { path, file } of files) {
      spaces.push(await scored(strategy, path, file, { runs, evaluations, seed }, tick, io));
    }
    scores.push(scoreOf(strategy, { runs, evaluations, seed }, spaces));
  }
  if (flags.save) for (const path of await writeScores(flags.save, scores)) io.note(`Saved ${path}`);
  io.out(flags.json ? JSON.stringify(scores.length === 1 ? scores[0] : scores, null, 2) : text(scores));
  if (scores.some(({ score }) => score === undefined)) {
    io.note("A score needs as many evaluations as the space's budget: raise --evaluations.");
  }
}

interface Settings {
  readonly runs: number;
  readonly evaluations: number;
  readonly seed: number;
}

/** Strategies work without a pause: a breath before each file lets Ctrl-C in. */
async function scored(
  strategy: StrategyName,
  path: string,
  file: ReplayFile,
  settings: Settings,
  tick: (what: string) => void,
  io: Io,
): Promise<SpaceScore> {
  await new Promise((resolve) => setImmediate(resolve));
  io.signal.throwIfAborted();
  const name = basename(path).replace(/\.json(\.gz)?$/, "");
  const onRun = (): void => tick(`${strategy} on ${name}`);
  return scoreOfSpace(name, replay(file, STRATEGIES[strategy], { ...settings, onRun }));
}

function scoreOf(strategy: StrategyName, settings: Settings, spaces: readonly SpaceScore[]): StrategyScore {
  const counts = quotedCounts(settings.evaluations);
  const each = spaces.map(({ score }) => score);
  return {
    strategy,
    ...settings,
    ...(each.every((score) => score !== undefined) ? { score: mean(each) } : {}),
    fractionOfOptimum: Object.fromEntries(
      counts.map((count) => [count, mean(spaces.map(({ fractionOfOptimum }) => fractionOfOptimum[count]!))]),
    ),
    spaces,
  };
}

function text(scores: readonly StrategyScore[]): string {
  const counts = quotedCounts(scores[0]!.evaluations);
  const right = "right" as const;
  const row = (
    name: string,
    strategy: string,
    one: Pick<StrategyScore, "score" | "fractionOfOptimum">,
  ): string[] => [
    strategy,
    name,
    one.score?.toFixed(3) ?? "--",
    ...counts.map((count) => one.fractionOfOptimum[count]!.toFixed(3)),
  ];
  return gridText({
    columns: [
      { title: "strategy", align: "left" },
      { title: "space", align: "left" },
      { title: "score", align: right },
      ...counts.map((count) => ({ title: `of optimum @${count}`, align: right })),
    ],
    rows: scores.flatMap((score) => [
      ...score.spaces.map((one) => row(one.space, score.strategy, one)),
      row("mean", score.strategy, score),
    ]),
  });
}

function atLeastOne(text: string, option: string): number {
  const value = parseWhole(text, option);
  if (value < 1) throw new Fault("usage", `${option} must be at least 1`);
  return value;
}

/** Tells how far a long replay is, a line every few seconds. */
function ticker(io: Io, of: number): (what: string) => void {
  const start = performance.now();
  let done = 0;
  let last = start;
  return (what) => {
    done++;
    const now = performance.now();
    if (now - last < EVERY_MS) return;
    last = now;
    const left = Math.round((((now - start) / done) * (of - done)) / 1_000);
    io.note(`  ${what}: run ${done} of ${of}, about ${left}s left`);
  };
}
