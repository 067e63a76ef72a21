import { availableParallelism } from "node:os";
import { join } from "node:path";
import {
  Fault,
  type MachineLoad,
  type ProfileName,
  TIME_METRIC,
  type TuningTable,
  type WorkloadName,
} from "@tunelab/contract";
import {
  type Bench,
  chooseDevice,
  compileDeadline,
  type DeviceTarget,
  machineLoad,
  openBench,
} from "@tunelab/devices";
import { tablePath } from "@tunelab/selection";
import {
  checkStart,
  DEFAULT_STRATEGY,
  objectiveNamed,
  STRATEGY_NAMES,
  type StrategyName,
  strategyNamed,
  type TuneResult,
  tune,
  type Workload,
} from "@tunelab/tuner";
import { parseWhere, type Where } from "@tunelab/variants";
import type { Command } from "commander";
import { packed } from "../build.ts";
import { Compilers, compilersFor, MOST_COMPILERS } from "../compilers.ts";
import { destinationFor } from "../destination.ts";
import { nothingVerified } from "../failures-text.ts";
import { holdable } from "../holdable.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { knownVariants } from "../known.ts";
import { tablesBelow } from "../known-tables.ts";
import { busyFault, busyLine } from "../load-text.ts";
import { parseCount, parseDuration, parseProfile, parseWhole, parseWorkload } from "../options.ts";
import { hostEntry, tablesDir } from "../places.ts";
import { budgetText, sessionProgress } from "../progress.ts";
import { kernelNamed, operationNames } from "../registry.ts";
import { headerFor, ownTables, writeTables } from "../session.ts";
import { printResult } from "../summary.ts";
import { checkRestriction, refuseEmpty, workloadsOf } from "../workloads.ts";

interface TuneFlags {
  readonly device: string;
  readonly kernel?: string;
  readonly algorithm?: string;
  readonly workload?: string;
  readonly problem: readonly string[];
  readonly strategy: string;
  readonly objective: string;
  readonly start: readonly string[];
  readonly transfer: boolean;
  readonly where?: string;
  readonly budget?: string;
  readonly trials?: string;
  readonly compilers?: string;
  readonly profile: string;
  readonly seed: string;
  readonly resume?: string | true;
  readonly journal?: string;
  readonly out?: string;
  readonly requireQuiet?: boolean;
  readonly json?: boolean;
}

/** What runs without arguments: on a software GPU something small, on hardware everything. */
const DEFAULTS = {
  software: { kernels: ["matched-filter"], workload: "quick", budget: "3m" },
  hardware: { kernels: operationNames(), workload: "standard", budget: "10m" },
} as const;

const HELP = `
Exit 0: at least one variant was verified and timed; 1: none was, or the device failed for good; 2: wrong usage; 130: interrupted.

With one --seed and --trials, in a laboratory of the same results, exhaustive and random try the same variants in the same order. The others
begin alike (model: until 8 variants have a time; genetic: with 20), then follow the times, and repeat as long as those agree.
Where compilers work aside (discrete GPUs) the order of proposals is the strategy's, that of trials whoever is compiled first.

Example: pnpm tune --kernel matched-filter --workload quick --budget 1m
Example: pnpm tune --kernel fft --problem n=1024,batch=4096 --where "radix=8|16" --strategy exhaustive --budget 1h`;

export function register(program: Command, io: Io): void {
  program
    .command("tune")
    .description("tune kernels on a device: measure and verify variants, store every trial, write the table")
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option(
      "--kernel <names>",
      "operations or paths of your own, comma-separated (default: all on hardware, matched-filter on the software GPU)",
    )
    .option("--algorithm <names>", "only these algorithms, comma-separated")
    .option("--workload <name>", "quick, standard or full")
    .option("--problem <dims>", "one problem, e.g. n=1024,pairs=32768; may be repeated", collect, [])
    .option("--strategy <name>", STRATEGY_NAMES.join(", "), DEFAULT_STRATEGY)
    .option("--objective <name>", "what to search for: time, or a metric of the kernel's suite", TIME_METRIC)
    .option(
      "--start <variant>",
      "a variant to try first, e.g. fused/radix=16,workgroup=64; may be repeated",
      collect,
      [],
    )
    .option("--no-transfer", "begin without the best rows of related devices and neighbouring problems")
    .option(
      "--where <settings>",
      'search only variants with these values, e.g. "tile=1,radix=8|16" (`lab space --where` counts them)',
    )
    .option("--budget <time>", "wall time for everything, e.g. 90s, 10m")
    .option("--trials <n>", "most trials to measure; without --budget they take the time they take")
    .option(
      "--compilers <n>",
      "hosts that compile while another times, 0 for none (default: all cores but 2 for a discrete GPU beside 8 or more, as its free memory allows)",
    )
    .option(
      "--profile <name>",
      "portable (default toggles) or native (robustness and workgroup zero-initialisation off)",
      "portable",
    )
    .option("--seed <n>", "seed of the strategy and of the inputs", "1")
    .option("--resume [session]", "go on with an interrupted session (the newest without an id)")
    .option("--journal <file>", "write a journal instead of a session file")
    .option("--out <dir>", "folder for sessions and tables (default .lab, or $TUNELAB_LAB_DIR)")
    .option(
      "--require-quiet",
      "measure nothing (exit 1) on a busy machine or a device too noisy to certify on",
    )
    .option("--json", "print the result as JSON on standard output")
    .addHelpText("after", HELP)
    .action((flags: TuneFlags) => run(flags, io));
}

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

async function run(flags: TuneFlags, io: Io): Promise<void> {
  const since = io.startedAt ?? performance.now();
  // Everything that can be wrong with the command line is found before a device is touched.
  const strategy = strategyNamed(flags.strategy);
  const profile = parseProfile(flags.profile);
  const seed = parseWhole(flags.seed, "--seed");
  if (flags.workload) parseWorkload(flags.workload);
  if (flags.budget) parseDuration(flags.budget);
  const trials = flags.trials === undefined ? undefined : parseWhole(flags.trials, "--trials");
  const where = flags.where === undefined ? {} : parseWhere(flags.where);
  if (trials === 0) throw new Fault("usage", "--trials 0 would measure nothing: give 1 or more");
  const wanted =
    flags.compilers === undefined ? undefined : parseCount(flags.compilers, "--compilers", 0, MOST_COMPILERS);
  const named = await Promise.all(flags.kernel?.split(",").map((name) => kernelNamed(name.trim())) ?? []);
  const modules = named.flatMap(({ module }) => module ?? []);

  const target = await chooseDevice(flags.device);
  if (wanted !== undefined && wanted > 0 && target.kind === "software")
    throw new Fault(
      "usage",
      `--compilers is for hardware: ${target.id} times on the very cores that compile`,
    );
  const defaults = DEFAULTS[target.kind];
  const workload = parseWorkload(flags.workload ?? defaults.workload);
  const budgetMs =
    trials !== undefined && flags.budget === undefined
      ? Number.POSITIVE_INFINITY
      : parseDuration(flags.budget ?? defaults.budget);
  const workloads = await workloadsOf(
    named.length > 0 ? named.map(({ name }) => name) : defaults.kernels,
    workload,
    flags,
    io,
  );
  await checkRestriction(where, workloads);
  await refuseEmpty(workloads, io);
  for (const { suite } of workloads) objectiveNamed(flags.objective, suite);
  io.note(
    `Device ${target.id} (${target.kind}), profile ${profile}: ${workloads.map(({ suite }) => suite.operation.name).join(", ")}, ` +
      `${flags.problem.length ? "given problems" : `workload ${workload}`}, strategy ${strategy}, seed ${seed}, budget ${budgetText(budgetMs, trials)}`,
  );
  const machine = await machineLoad();
  io.note(busyLine(machine));
  if (flags.requireQuiet && machine.busy) throw busyFault(machine);
  const options = { entry: hostEntry, profile, modules, deadlines: { compile: compileDeadline(budgetMs) } };
  const bench = await openBench(target, options);
  const compilerCount =
    wanted ??
    compilersFor(bench.hello.info.identity.adapterType, availableParallelism(), machine.gpu?.freeBytes);
  const compilers = compilerCount > 0 ? new Compilers(target, compilerCount, options, io) : undefined;
  try {
    const { maxBufferSize } = bench.hello.info.capabilities.limits;
    await session({
      flags,
      io,
      machine,
      target,
      bench,
      compilers,
      workloads: holdable(workloads, maxBufferSize, io),
      workload,
      strategy,
      where,
      profile,
      seed,
      budgetMs,
      since,
      trials,
    });
  } finally {
    await Promise.all([bench.close(), compilers?.close()]);
  }
}

interface Job {
  readonly flags: TuneFlags;
  readonly io: Io;
  readonly machine: MachineLoad;
  readonly target: DeviceTarget;
  readonly bench: Bench;
  readonly compilers: Compilers | undefined;
  readonly workloads: readonly Workload[];
  readonly workload: WorkloadName;
  readonly strategy: StrategyName;
  readonly where: Where;
  readonly profile: ProfileName;
  readonly seed: number;
  readonly budgetMs: number;
  readonly since: number;
  readonly trials: number | undefined;
}

/** Published tables, in a checkout, and those of this laboratory. */
const knownTables = (folder: string): Promise<readonly TuningTable[]> =>
  tablesBelow(...(packed ? [] : [tablesDir()]), join(folder, "tables"));

async function session(job: Job): Promise<void> {
  const { flags, io, bench, compilers, workloads, strategy, seed, budgetMs, trials } = job;
  // Before the session has a file: a refused command line must leave no session behind for --resume to take up.
  await checkStart(flags.start, workloads, bench.hello.info.capabilities);
  const header = await headerFor(bench.hello, {
    operations: workloads.map(({ suite }) => suite.operation.name),
    workload: flags.problem.length ? "given" : job.workload,
    strategy,
    budgetMs,
    seed,
    ...(flags.objective === TIME_METRIC ? {} : { objective: flags.objective }),
  });
  const destination = await destinationFor(header, flags, io);
  const { sink, earlier, firstSequence } = destination;
  const own = await ownTables(await destination.evidence(), destination.header);
  const published = packed ? [] : await tablesBelow(tablesDir());
  const progress = sessionProgress(io);
  let result: TuneResult;
  try {
    result = await tune(
      {
        workloads,
        strategy,
        start: flags.start,
        where: job.where,
        objective: flags.objective,
        tables: flags.transfer ? await knownTables(destination.folder) : [],
        budgetMs,
        since: job.since,
        ...(trials === undefined ? {} : { trials }),
        ahead: availableParallelism(),
        ...(compilers ? { compilers: (ceilings) => compilers.open(ceilings) } : {}),
        seed,
        known: knownVariants(own.tables, published),
        earlier,
        firstSequence,
        machine: job.machine,
        requireQuiet: flags.requireQuiet === true,
        clock: { now: () => performance.now(), timestamp: () => new Date().toISOString() },
        signal: io.signal,
      },
      bench,
      sink,
      progress.listen,
    );
  } finally {
    progress.stop();
    await sink.close();
  }
  const evidence = await destination.evidence();
  const { tables, changed } = await ownTables(evidence, destination.header);
  if (changed > 0)
    io.note(`${changed} variants measured before are in no table: their kernels have changed since`);
  const touched = tables.filter(({ operation }) =>
    workloads.some(({ suite }) => suite.operation.name === operation),
  );
  const files = await writeTables(join(destination.folder, "tables"), touched, tablePath);
  const { header: measured, journal } = destination;
  const suites = workloads.map(({ suite }) => suite);
  const json = flags.json === true;
  printResult(io, {
    header: measured,
    suites,
    result,
    trials,
    tables: touched,
    evidence,
    files,
    journal,
    json,
  });
  if (io.signal.aborted) throw new ExitWith(EXIT.interrupted);
  const fault = result.stopped?.fault ?? nothingVerified(result);
  if (fault) throw fault;
}
