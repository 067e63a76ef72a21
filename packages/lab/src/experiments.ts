import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asFault, deviceSlug, Fault, type TuningTable } from "@tunelab/contract";
import {
  checkDefinition,
  completed,
  EXPERIMENT_NAME,
  type ExperimentResult,
  type ExperimentRun,
  experimentFiles,
  type NamedExperiment,
  overviewText,
  parseResult,
  runKey,
  type Standings,
  serialiseResult,
  standingOf,
  withoutRun,
  withRun,
} from "@tunelab/experiment";
import { packed } from "./build.ts";
import type { Cited } from "./history.ts";
import { tablesBelow } from "./known-tables.ts";
import { packedExperiments } from "./packed-experiments.ts";
import { requireCheckout } from "./places.ts";
import type { Owned } from "./published.ts";
import { loadSuite } from "./registry.ts";
import { writeWhole } from "./session.ts";

/** Folders of experiments in a checkout, by name. */
export async function experimentNames(root: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, "experiments"), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && EXPERIMENT_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** Every experiment, its definition checked. @throws Fault `usage` that names the first one that is wrong. */
export async function loadExperiments(): Promise<readonly NamedExperiment[]> {
  const all = packed ? packedExperiments : await fromCheckout(requireCheckout());
  return Promise.all(
    all.map(async (named) => {
      const { operation } = await loadSuite(named.experiment.operation);
      const whole = await completed(named, operation);
      await checkDefinition(whole, operation);
      return whole;
    }),
  );
}

async function fromCheckout(root: string): Promise<readonly NamedExperiment[]> {
  const all: NamedExperiment[] = [];
  for (const name of await experimentNames(root)) {
    const file = join(root, "experiments", name, "experiment.ts");
    try {
      const { default: experiment } = await import(pathToFileURL(file).href);
      if (!experiment) throw new Error("it exports no experiment as default");
      all.push({ name, experiment });
    } catch (error) {
      throw new Fault(
        "usage",
        `experiments/${name}/experiment.ts does not load: ${asFault(error, "usage").message}`,
      );
    }
  }
  return all;
}

const DAY = "yyyy-mm-dd-".length;

/** The experiments that words name: whole names, with or without their day, or a part that only one has. @throws Fault `usage` listing what exists. */
export function chosen(
  all: readonly NamedExperiment[],
  words: readonly string[],
): readonly NamedExperiment[] {
  const list = all.map(({ name }) => name).join(", ") || "none yet";
  return words.map((word) => {
    const exact = all.find(({ name }) => name === word || name.slice(DAY) === word);
    const found = exact ? [exact] : all.filter(({ name }) => name.includes(word));
    if (found.length === 1) return found[0]!;
    const why = found.length === 0 ? "there is no experiment" : "more than one experiment is";
    throw new Fault("usage", `${why} "${word}": there is ${list}`);
  });
}

const resultPath = (root: string, name: string): string => join(root, "experiments", name, "result.json");

/** An experiment's result; undefined before the first run. @throws Fault `data` when the file cannot be read. */
export async function readResult(root: string, name: string): Promise<ExperimentResult | undefined> {
  const path = resultPath(root, name);
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseResult(text, path);
}

/** Each run's standing, by session: against its definition, and against the kernels as the device that measured would run them. */
export async function standings(
  root: string,
  named: NamedExperiment,
  result: ExperimentResult | undefined,
): Promise<Standings> {
  const { operation, epoch } = await loadSuite(named.experiment.operation);
  const tables = await tablesBelow(join(root, "tables"));
  const found = (result?.runs ?? []).map(async (run) => {
    const device = tables.find((table) => sameDevice(table, run))?.device;
    const context = { operation, epoch, ...(device ? { capabilities: device.capabilities } : {}) };
    return [run.session, await standingOf(named, run, context)] as const;
  });
  return new Map(await Promise.all(found));
}

/** What a device can do is in its published tables: a result keeps who measured, and no more. */
const sameDevice = ({ device: { identity }, profile }: TuningTable, run: ExperimentRun): boolean =>
  deviceSlug(identity) === run.deviceSlug &&
  identity.compiler === run.compiler &&
  identity.backend === run.backend &&
  profile === run.profile;

/** Runs that answer another question than their experiment's definition asks, one line each. */
export async function mismatchesOf(
  root: string,
  experiments: readonly NamedExperiment[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const named of experiments) {
    const result = await readResult(root, named.name);
    for (const [session, { mismatches }] of await standings(root, named, result)) {
      for (const line of mismatches)
        lines.push(
          `experiments/${named.name}/result.json: the run of session ${session} no longer matches the definition: ${line}`,
        );
    }
  }
  return lines;
}

/** The commits that measured the runs which count. */
export async function citedByExperiments(
  root: string,
  experiments: readonly NamedExperiment[],
): Promise<readonly Cited[]> {
  const results = experiments.map(async ({ name }) => {
    const runs = (await readResult(root, name))?.runs ?? [];
    return runs.map(({ session, commit }) => ({
      what: `experiments/${name}/result.json: the run of session ${session}`,
      commit,
    }));
  });
  return (await Promise.all(results)).flat();
}

/** What became of new runs. */
export interface KeptRuns {
  /** Folders of the experiments whose new run stands. */
  readonly folders: readonly string[];
  /** Of the others, why nothing was written, one line each. */
  readonly left: readonly string[];
}

/** Adds runs to their results and writes every file that follows from them; a run that takes no place writes nothing. */
export async function keepRuns(
  root: string,
  experiments: readonly NamedExperiment[],
  runs: ReadonlyMap<string, ExperimentRun>,
): Promise<KeptRuns> {
  const folders: string[] = [];
  const left: string[] = [];
  for (const [name, run] of runs) {
    const named = experiments.find((one) => one.name === name)!;
    const result = withRun(await readResult(root, name), name, run);
    if (!result.runs.includes(run)) {
      left.push(leftText(result, run));
      continue;
    }
    await keepResult(root, named, result);
    folders.push(`experiments/${name}`);
  }
  if (folders.length > 0) await keepOverview(root);
  return { folders, left };
}

/** "radix-ladder: nothing was written: session 01M8... of 2026-11-30 stays, with 12 rounds (this run has 2)". */
export function leftText({ experiment, runs, withdrawn = [] }: ExperimentResult, run: ExperimentRun): string {
  const nothing = `${experiment}: nothing was written`;
  const stays = runs.find((one) => runKey(one) === runKey(run));
  const gone = withdrawn.find((one) => one.run.session === run.session && runKey(one.run) === runKey(run));
  if (gone || !stays) return `${nothing}: session ${run.session} was withdrawn (${gone?.reason})`;
  const why = stays.rounds > run.rounds ? `this run has ${run.rounds}` : "it is newer than this run";
  return `${nothing}: session ${stays.session} of ${stays.startedAt.slice(0, 10)} stays, with ${stays.rounds} rounds (${why})`;
}

async function keepResult(root: string, named: NamedExperiment, result: ExperimentResult): Promise<void> {
  await writeWhole(resultPath(root, named.name), serialiseResult(result));
  for (const [file, text] of await experimentFiles(named, result, await standings(root, named, result)))
    await writeWhole(join(root, "experiments", named.name, file), text);
}

/** Withdraws the run of one session with a reason; it stays on the page, struck through. @throws Fault `usage`. */
export async function retractRun(
  root: string,
  named: NamedExperiment,
  session: string,
  reason: string,
): Promise<void> {
  const result = await readResult(root, named.name);
  if (!result) throw new Fault("usage", `experiment ${named.name} has no result yet`);
  await keepResult(root, named, withoutRun(result, session, reason));
  await keepOverview(root);
}

const OVERVIEW = "experiments/README.md";

async function overview(root: string, experiments: readonly NamedExperiment[]): Promise<string> {
  const all = experiments.map(async (named) => ({ named, result: await readResult(root, named.name) }));
  return overviewText(await Promise.all(all));
}

/** The page of all, after a result changed. */
async function keepOverview(root: string): Promise<void> {
  await writeWhole(join(root, OVERVIEW), await overview(root, await loadExperiments()));
}

/** What `lab experiment` owns: the page of all, and pages and pictures in the experiments' folders. */
export const EXPERIMENTS_OWN: Owned = [
  {
    folder: "experiments",
    owns: (path) => /^experiments\/(README\.md|\d{4}-[^/]+\/[^/]+\.(md|svg))$/.test(path),
  },
];

/** Every generated file of every experiment, with its path from the checkout's root. */
export async function generatedExperiments(
  root: string,
  experiments: readonly NamedExperiment[],
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>([[OVERVIEW, await overview(root, experiments)]]);
  for (const named of experiments) {
    const result = await readResult(root, named.name);
    for (const [file, text] of await experimentFiles(named, result, await standings(root, named, result)))
      files.set(`experiments/${named.name}/${file}`, text);
  }
  return files;
}
