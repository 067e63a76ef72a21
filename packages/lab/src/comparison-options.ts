import type { OfferRequest } from "@tunelab/compare";
import {
  type ComparisonMethod,
  type ComparisonRules,
  Fault,
  type PerSide,
  type ProfileName,
  type ReferenceKernel,
} from "@tunelab/contract";
import { BUILD_QUADS, QUADS, REFERENCE_SAMPLES, REPORT_QUADS } from "@tunelab/harness";
import type { Command } from "commander";
import { packed } from "./build.ts";
import {
  parseDuration,
  parseMethod,
  parseProfile,
  parseReference,
  parseWhole,
  parseWorkload,
} from "./options.ts";
import { parseDimensions } from "./registry.ts";

/** Flags of every command that compares. */
export interface ComparisonFlags {
  readonly kernel?: string;
  readonly workload: string;
  readonly problem: readonly string[];
  readonly device: string;
  readonly devices?: string;
  readonly method?: string;
  readonly reference?: string;
  readonly profile: string;
  readonly forceTiming?: boolean;
  readonly parityOnly?: boolean;
  readonly straddle: boolean;
  readonly requireParity?: boolean;
  readonly published?: boolean;
  readonly processes?: string;
  readonly looks?: string;
  readonly seed: string;
  readonly deadline?: string;
  readonly out?: string;
  readonly svg?: string;
  readonly record?: string;
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** The flags understood. */
export interface ComparisonSettings {
  readonly method: ComparisonMethod;
  /** The kernel that reference ratios are told by; the nearest to what binds the base unless given. */
  readonly reference?: ReferenceKernel;
  /** Devices of the sides, as the user names them. */
  readonly devices: PerSide<string>;
  readonly profile: ProfileName;
  readonly rules: ComparisonRules;
  readonly force: boolean;
  readonly untimed: boolean;
  readonly straddle: boolean;
  readonly requireParity: boolean;
  readonly seeds: readonly number[];
  readonly oracleSample: number;
  /** Longest time in ms that a host may spend in a phase without a word; the devices' own unless given. */
  readonly deadlineMs?: number;
  readonly format: "text" | "markdown" | "json";
  readonly svg?: string;
  /** File for the whole record as JSON. */
  readonly record?: string;
  readonly out?: string;
}

/** Seeds that inputs rotate over, and items compared in full with the oracle, a seed: as in a tuning session. */
const SEEDS = 3;
const ORACLE_SAMPLE = 16;

/** Processes a side below which reference ratios have no control: the base's odd ones against its even ones. */
const LEAST_PROCESSES = 4;

/** Quads a process of a published claim takes by default: twice the least that the rules ask for. */
const QUADS_PER_PROCESS = 2 * QUADS.quadsPerProcess;

export function comparisonOptions(command: Command): Command {
  return command
    .option("--kernel <names>", "operations, comma-separated (default: all that both have)")
    .option("--workload <name>", "quick, standard or full", "quick")
    .option(
      "--problem <dims>",
      "one problem, e.g. n=1024,pairs=64 or fft:n=1024; may be repeated",
      collect,
      [],
    )
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--devices <base,candidate>", "run the sides on these two devices, compared by reference ratios")
    .option(
      "--method <name>",
      "paired (quads in one process) or reference (ratios to a kernel of each device's own)",
    )
    .option("--reference <name>", "kernel of reference ratios: fma or copy (default: what binds the base)")
    .option(
      "--profile <name>",
      "portable (default toggles) or native (robustness and workgroup zero-initialisation off)",
      "portable",
    )
    .option("--force-timing", "also time plans that are identical")
    .option("--no-straddle", "compare bits at the problems themselves alone, not also around limits")
    .option("--parity-only", "verify and compare bits; time nothing")
    .option("--require-parity", "differing bits make a row invalid")
    .option("--published", `claims for publication: ${QUADS.processes} fresh processes, statistics over them`)
    .option("--processes <n>", "fresh processes; more than one implies statistics over processes")
    .option(
      "--looks <counts>",
      `kept quads after which a verdict is looked for (default ${BUILD_QUADS.looks.join(",")})`,
    )
    .option("--deadline <time>", "longest that compiling, a run or a timing may take, e.g. 5m (default 60s)")
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
  const named = problem.map(namedProblem);
  const kernels =
    kernel?.split(",").map((name) => name.trim()) ??
    (named.length > 0 ? [...new Set(named.flatMap(({ operation }) => operation ?? []))] : undefined);
  if (named.some(({ operation }) => operation === undefined) && kernels?.length !== 1)
    throw new Fault("usage", "--problem belongs to one operation: name it with --kernel, or before a colon");
  const stray = named.find(({ operation }) => operation !== undefined && !kernels!.includes(operation));
  if (stray) throw new Fault("usage", `--problem ${stray.text} names a kernel that --kernel leaves out`);
  const size = parseWorkload(workload);
  return {
    ...(kernels ? { kernels } : {}),
    problemsOf: ({ operation, dimensions, workloads }) =>
      named.length === 0
        ? workloads[size]
        : named
            .filter((one) => (one.operation ?? operation) === operation)
            .map(({ dims }) => parseDimensions(operation, dimensions, dims)),
  };
}

/** `n=64` or `fft:n=64`. */
function namedProblem(text: string): {
  readonly text: string;
  readonly operation?: string;
  readonly dims: string;
} {
  const at = text.indexOf(":");
  return at < 0
    ? { text, dims: text }
    : { text, operation: text.slice(0, at).trim(), dims: text.slice(at + 1) };
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
  const devices = devicesOf(flags);
  const method = methodOf(flags, devices);
  return {
    method,
    devices,
    ...(flags.reference === undefined ? {} : { reference: parseReference(flags.reference) }),
    profile: parseProfile(flags.profile),
    rules: method === "paired" ? rulesOf(flags) : referenceRules(flags),
    force: flags.forceTiming ?? false,
    untimed: flags.parityOnly ?? false,
    straddle: flags.straddle,
    requireParity: flags.requireParity ?? false,
    seeds: Array.from({ length: SEEDS }, (_, index) => first + index),
    oracleSample: ORACLE_SAMPLE,
    ...(flags.deadline === undefined ? {} : { deadlineMs: parseDuration(flags.deadline) }),
    format: flags.json ? "json" : flags.markdown ? "markdown" : "text",
    ...(flags.svg === undefined ? {} : { svg: flags.svg }),
    ...(flags.record === undefined ? {} : { record: flags.record }),
    ...(flags.out === undefined ? {} : { out: flags.out }),
  };
}

function devicesOf({ device, devices }: ComparisonFlags): PerSide<string> {
  if (devices === undefined) return { base: device, candidate: device };
  const [base, candidate, ...rest] = devices.split(",").map((name) => name.trim());
  if (!base || !candidate || rest.length > 0)
    throw new Fault("usage", `--devices takes two names, the base's and the candidate's, not "${devices}"`);
  return { base, candidate };
}

/** Two devices share no process, so that nothing can be paired. */
function methodOf(flags: ComparisonFlags, { base, candidate }: PerSide<string>): ComparisonMethod {
  const apart = base !== candidate;
  const method = flags.method === undefined ? (apart ? "reference" : "paired") : parseMethod(flags.method);
  if (method === "paired" && apart)
    throw new Fault(
      "usage",
      `${base} and ${candidate} share no process and cannot be paired: leave out --method`,
    );
  if (method === "paired" && flags.reference !== undefined)
    throw new Fault("usage", "--reference belongs to --method reference");
  return method;
}

/** The rules of reports, over fresh processes of either side; they have no looks and compare no bits. */
function referenceRules({
  published,
  processes,
  looks,
  parityOnly,
  requireParity,
}: ComparisonFlags): ComparisonRules {
  if (looks !== undefined) throw new Fault("usage", "reference ratios have no --looks: give --processes");
  if (parityOnly || requireParity)
    throw new Fault("usage", "reference ratios compare no bits: the sides share no process");
  const least = published ? QUADS.processes : LEAST_PROCESSES;
  const count = processes === undefined ? QUADS.processes : parseWhole(processes, "--processes");
  if (count < least)
    throw new Fault("usage", `reference ratios take at least ${least} processes a side, not ${count}`);
  const { gate, equivalence, alpha } = REPORT_QUADS;
  return { alpha, gate, equivalence, looks: [REFERENCE_SAMPLES], processes: count };
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
