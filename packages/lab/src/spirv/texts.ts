import {
  type Algorithm,
  type Capabilities,
  type Config,
  DEFAULT_CAPABILITIES,
  Fault,
  flatSteps,
  type Operation,
  type Problem,
  problemKey,
  type Suite,
  supports,
} from "@tunelab/contract";
import type { ShippedOperation } from "@tunelab/runtime";
import { tablePath } from "@tunelab/selection";
import { loadAlgorithms } from "@tunelab/tuner";
import { formatId, parseConfig, parseId, randomFrom, sample } from "@tunelab/variants";

/** A variant to look at, and why. */
export interface Subject {
  readonly kernel: string;
  readonly problem: Problem;
  readonly variant: string;
  /** `default` (runs without a table), tables that ship it, `sample`. */
  readonly sources: readonly string[];
}

/** One text of a variant's plan. */
export interface SubjectText {
  readonly stage: string;
  readonly wgsl: string;
  readonly entryPoint: string;
}

/** The texts of a variant as they were measured: planned for its problem, a step each, those that close a loop's rounds too. */
export async function textsOf(
  operation: Operation,
  { problem, variant }: Subject,
): Promise<readonly SubjectText[]> {
  const { algorithm, config } = await configOf(operation, problem, variant);
  const plan = algorithm.plan(problem, config, widest(algorithm, problem, config));
  return [...flatSteps(plan.steps)].flatMap((step) => {
    if (step.kind !== "dispatch" && step.kind !== "indirect") return [];
    const wgsl = plan.modules.find((module) => module.name === step.module)!.wgsl;
    return [{ stage: step.stage, wgsl, entryPoint: step.entry }];
  });
}

/** Capabilities under which a configuration can be planned: what it asks for beside WebGPU's defaults. */
function widest(algorithm: Algorithm, problem: Problem, config: Config): Capabilities {
  const { features, subgroup } = algorithm.resources(problem, config);
  return { ...DEFAULT_CAPABILITIES, features, ...(subgroup ? { subgroup } : {}) };
}

/** What the library ships of an operation; undefined where it ships none. */
async function shippedOperation(name: string): Promise<ShippedOperation | undefined> {
  const library: Readonly<Record<string, unknown>> = await import("@tunelab/runtime");
  const all = Object.values(library).filter((one): one is ShippedOperation => {
    const { operation, tables } = (one ?? {}) as Partial<ShippedOperation>;
    return typeof operation === "object" && typeof tables === "function";
  });
  return all.find(({ operation }) => operation.name === name);
}

/**
 * Variants that ship with the library: rows of its tables, its portfolio at their lengths, and the defaults that run without a table. None of
 * an operation that the library has not.
 */
export async function shippedOf(suite: Suite): Promise<readonly Subject[]> {
  const { operation } = suite;
  const kernel = operation.name;
  const found: Subject[] = [];
  const shipped = await shippedOperation(kernel);
  if (!shipped) return [];
  for (const source of await shipped.tables()) {
    const table = "load" in source ? await source.load() : source;
    for (const { problem, rows } of table.entries) {
      for (const { variant } of rows) found.push({ kernel, problem, variant, sources: [tablePath(table)] });
    }
  }
  const measured = merged(found.map((one) => ({ ...one, variant: "", sources: [] })));
  for (const variant of (await shipped.portfolio?.())?.variants ?? []) {
    for (const { problem } of measured) {
      if (await exists(operation, problem, variant))
        found.push({ kernel, problem, variant, sources: ["portfolio"] });
    }
  }
  for (const problem of lengthsOf(suite)) {
    const variant = await firstDefault(operation, problem);
    if (variant) found.push({ kernel, problem, variant, sources: ["default"] });
  }
  return merged(found);
}

/** Whether a variant exists for a problem: one that holds 4096 points does not for 64. */
async function exists(operation: Operation, problem: Problem, variant: string): Promise<boolean> {
  try {
    await configOf(operation, problem, variant);
    return true;
  } catch {
    return false;
  }
}

async function configOf(
  operation: Operation,
  problem: Problem,
  variant: string,
): Promise<{ readonly algorithm: Algorithm; readonly config: Config }> {
  const { algorithm: name, settings } = parseId(variant);
  const algorithm = (await loadAlgorithms(operation)).find((one) => one.name === name);
  if (!algorithm) throw new Fault("usage", `${operation.name} has no algorithm "${name}"`);
  const defaults = algorithm.defaultConfig(problem, DEFAULT_CAPABILITIES);
  return { algorithm, config: parseConfig(algorithm.space(problem), settings, defaults) };
}

/** The default that a call without a table runs at WebGPU's default limits. */
async function firstDefault(operation: Operation, problem: Problem): Promise<string | undefined> {
  for (const algorithm of await loadAlgorithms(operation)) {
    const config = algorithm.defaultConfig(problem, DEFAULT_CAPABILITIES);
    const resources = algorithm.resources(problem, config);
    const possible = algorithm.space(problem).constraints.every((one) => one.holds(config));
    if (possible && supports(resources, DEFAULT_CAPABILITIES).supported)
      return formatId(algorithm.name, algorithm.space(problem), config);
  }
  return undefined;
}

/** A problem for each text-giving shape of the workloads: extents change no text. */
export function lengthsOf({ operation, workloads }: Suite): readonly Problem[] {
  const extents = operation.dimensions.filter(({ role }) => role !== "shape").map(({ name }) => name);
  // A dimension that a problem may leave out asks another question, which other algorithms may answer.
  const shape = (problem: Problem): string =>
    `${problemKey(Object.fromEntries(Object.entries(problem).filter(([name]) => !extents.includes(name))))} ${Object.keys(problem).sort().join()}`;
  const all = Object.values(workloads).flat();
  return [...new Map([...all].reverse().map((problem) => [shape(problem), problem])).values()].reverse();
}

/** Turns for each variant of a sample before too few exist. */
const TURNS = 20;

/** `count` variants over all algorithms of all suites, each of a length of its workloads; the same for the same seed. */
export async function sampleOf(
  suites: readonly Suite[],
  count: number,
  seed: number,
): Promise<readonly Subject[]> {
  const random = randomFrom(seed);
  const drawn: Subject[] = [];
  const algorithms = (
    await Promise.all(
      suites.map(async (suite) =>
        (await loadAlgorithms(suite.operation)).map((algorithm) => ({ suite, algorithm })),
      ),
    )
  ).flat();
  // Every algorithm in turn; at a length where it has no variant, or a question that it does not answer, its turn passes.
  for (let turn = 0; drawn.length < count && turn < TURNS * count; turn++) {
    const { suite, algorithm } = algorithms[turn % algorithms.length]!;
    const problems = lengthsOf(suite);
    const problem = problems[random.integer(problems.length)]!;
    if (suite.operation.answers?.(algorithm.name, problem) === false) continue;
    const space = algorithm.space(problem);
    const [config] = sample(space, random, 1);
    if (!config) continue;
    const variant = formatId(algorithm.name, space, config);
    drawn.push({ kernel: suite.operation.name, problem, variant, sources: ["sample"] });
  }
  return merged(drawn);
}

/** One entry a variant and problem, the reasons together. */
export function merged(subjects: readonly Subject[]): readonly Subject[] {
  const found = new Map<string, Subject>();
  for (const subject of subjects) {
    const key = `${subject.kernel} ${problemKey(subject.problem)} ${subject.variant}`;
    const known = found.get(key);
    const sources = [...new Set([...(known?.sources ?? []), ...subject.sources])];
    found.set(key, { ...subject, sources });
  }
  return [...found.values()];
}
