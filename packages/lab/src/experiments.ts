import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asFault, Fault } from "@tunelab/contract";
import {
  checkDefinition,
  completed,
  EXPERIMENT_NAME,
  type ExperimentResult,
  type ExperimentRun,
  experimentFiles,
  type NamedExperiment,
  parseResult,
  serialiseResult,
  withRun,
} from "@tunelab/experiment";
import { packed } from "./build.ts";
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

/** The experiments that words name: whole names, or a part that only one has. @throws Fault `usage` listing what exists. */
export function chosen(
  all: readonly NamedExperiment[],
  words: readonly string[],
): readonly NamedExperiment[] {
  const list = all.map(({ name }) => name).join(", ") || "none yet";
  return words.map((word) => {
    const exact = all.find(({ name }) => name === word);
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

/** Adds runs to their results and writes every file that follows from them; gives the folders where the new run stands. */
export async function keepRuns(
  root: string,
  experiments: readonly NamedExperiment[],
  runs: ReadonlyMap<string, ExperimentRun>,
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const [name, run] of runs) {
    const named = experiments.find((one) => one.name === name)!;
    const result = withRun(await readResult(root, name), name, run);
    await writeWhole(resultPath(root, name), serialiseResult(result));
    for (const [file, text] of await experimentFiles(named, result))
      await writeWhole(join(root, "experiments", name, file), text);
    if (result.runs.includes(run)) folders.push(`experiments/${name}`);
  }
  return folders;
}

/** What `lab experiment` owns: pages and pictures in the experiments' folders. */
export const EXPERIMENTS_OWN: Owned = [
  { folder: "experiments", owns: (path) => /^experiments\/\d{4}-[^/]+\/[^/]+\.(md|svg)$/.test(path) },
];

/** Every generated file of every experiment, with its path from the checkout's root. */
export async function generatedExperiments(
  root: string,
  experiments: readonly NamedExperiment[],
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const named of experiments) {
    const result = await readResult(root, named.name);
    for (const [file, text] of await experimentFiles(named, result))
      files.set(`experiments/${named.name}/${file}`, text);
  }
  return files;
}
