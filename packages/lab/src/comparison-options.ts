import type { OfferRequest } from "@tunelab/compare";
import { type ComparisonRules, Fault, type ProfileName } from "@tunelab/contract";
import { BUILD_QUADS, QUADS, REPORT_QUADS } from "@tunelab/harness";
import type { Command } from "commander";
import { packed } from "./build.ts";
import { parseProfile, parseWhole, parseWorkload } from "./options.ts";
import { parseDimensions } from "./registry.ts";

/** Flags of every command that compares. */
export interface ComparisonFlags {
  readonly kernel?: string;
  readonly workload: string;
  readonly problem: readonly string[];
  readonly device: string;
  readonly profile: string;
  readonly forceTiming?: boolean;
  readonly parityOnly?: boolean;
  readonly requireParity?: boolean;
  readonly published?: boolean;
  readonly processes?: string;
  readonly looks?: string;
  readonly seed: string;
  readonly out?: string;
  readonly svg?: string;
  readonly record?: string;
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** The flags understood. */
export interface ComparisonSettings {
  readonly profile: ProfileName;
  readonly rules: ComparisonRules;
  readonly force: boolean;
  readonly untimed: boolean;
  readonly requireParity: boolean;
  readonly seeds: readonly number[];
  readonly oracleSample: number;
  readonly format: "text" | "markdown" | "json";
  readonly svg?: string;
  /** File for the whole record as JSON. */
  readonly record?: string;
  readonly out?: string;
}

/** Seeds that inputs rotate over, and items compared in full with the oracle, a seed: as in a tuning session. */
const SEEDS = 3;
const ORACLE_SAMPLE = 16;

/** Quads a process of a published claim takes by default: twice the least that the rules ask for. */
const QUADS_PER_PROCESS = 2 * QUADS.quadsPerProcess;

export function comparisonOptions(command: Command): Command {
  return command
    .option("--kernel <names>", "operations, comma-separated (default: all that both have)")
    .option("--workload <name>", "quick, standard or full", "quick")
    .option("--problem <dims>", "one problem, e.g. n=1024,pairs=64; may be repeated", collect, [])
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable (default toggles) or native (robustness off)", "portable")
    .option("--force-timing", "also time plans that are identical")
    .option("--parity-only", "verify and compare bits; time nothing")
    .option("--require-parity", "differing bits make a row invalid")
    .option("--published", `claims for publication: ${QUADS.processes} fresh processes, statistics over them`)
    .option("--processes <n>", "fresh processes; more than one implies statistics over processes")
    .option(
      "--looks <counts>",
      `kept quads after which a verdict is looked for (default ${BUILD_QUADS.looks.join(",")})`,
    )
    .option("--seed <n>", "first seed of the inputs", "1")
    .option("--out <dir>", "folder for results and cached bundles (default .lab, or $TUNELAB_LAB_DIR)")
    .option("--svg <file>", "write the forest plot")
    .option("--record <file>", "write the whole record, raw samples included, as JSON")
    .option("--markdown", "print as Markdown")
    .option("--json", "print as JSON on standard output");
}

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

/** Which operations and problems take part, out of what a side says of itself. */
export function requestOf({ kernel, workload, problem }: ComparisonFlags): OfferRequest {
  const kernels = kernel?.split(",").map((name) => name.trim());
  if (problem.length > 0 && kernels?.length !== 1)
    throw new Fault("usage", "--problem belongs to one operation: name it with --kernel");
  const size = parseWorkload(workload);
  return {
    ...(kernels ? { kernels } : {}),
    problemsOf: ({ operation, dimensions, workloads }) =>
      problem.length > 0
        ? problem.map((words) => parseDimensions(operation, dimensions, words))
        : workloads[size],
  };
}

/** @throws Fault `usage` naming what cannot be. */
export function comparisonSettings(flags: ComparisonFlags): ComparisonSettings {
  const first = parseWhole(flags.seed, "--seed");
  if (flags.markdown && flags.json) throw new Fault("usage", "--markdown and --json exclude each other");
  if (flags.svg !== undefined && packed)
    throw new Fault(
      "usage",
      "--svg needs a checkout: bring the --record back, `pnpm lab comparisons` draws it",
    );
  if (flags.parityOnly && flags.forceTiming)
    throw new Fault("usage", "--parity-only and --force-timing exclude each other");
  return {
    profile: parseProfile(flags.profile),
    rules: rulesOf(flags),
    force: flags.forceTiming ?? false,
    untimed: flags.parityOnly ?? false,
    requireParity: flags.requireParity ?? false,
    seeds: Array.from({ length: SEEDS }, (_, index) => first + index),
    oracleSample: ORACLE_SAMPLE,
    format: flags.json ? "json" : flags.markdown ? "markdown" : "text",
    ...(flags.svg === undefined ? {} : { svg: flags.svg }),
    ...(flags.record === undefined ? {} : { record: flags.record }),
    ...(flags.out === undefined ? {} : { out: flags.out }),
  };
}

/** One process fails builds, so it follows their stricter rules; several make a report, with the report's. */
function rulesOf({ published, processes, looks }: ComparisonFlags): ComparisonRules {
  const count =
    processes === undefined ? (published ? QUADS.processes : 1) : parseWhole(processes, "--processes");
  if (count < 1) throw new Fault("usage", "--processes takes a whole number from 1");
  if (published && count < QUADS.processes)
    throw new Fault("usage", `a published claim takes at least ${QUADS.processes} processes, not ${count}`);
  const { gate, equivalence, alpha } = count > 1 ? REPORT_QUADS : BUILD_QUADS;
  const counts =
    looks === undefined ? (count > 1 ? [QUADS_PER_PROCESS] : BUILD_QUADS.looks) : parseLooks(looks);
  if (count > 1 && counts.length > 1)
    throw new Fault("usage", "with several processes --looks takes one number: the quads of each");
  return { alpha, gate, equivalence, looks: counts, processes: count };
}

function parseLooks(text: string): readonly number[] {
  const counts = text.split(",").map((part) => parseWhole(part, "--looks"));
  const rising = counts.every((count, index) => count > (counts[index - 1] ?? 3));
  if (!rising) throw new Fault("usage", `--looks takes rising numbers of quads from 4, not "${text}"`);
  return counts;
}
