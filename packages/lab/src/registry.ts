import { resolve } from "node:path";
import {
  type Dimension,
  Fault,
  type Operation,
  type Probe,
  type Problem,
  type Suite,
} from "@tunelab/contract";
import type { OperationReference } from "@tunelab/report";
import { isModulePath, loadOutside } from "./outside.ts";

/** Every operation of the laboratory by name, loaded when first asked for. A new operation is one line here. */
const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  fft: async () => suiteOf(await import("@tunelab/kernel-fft/suite")),
  eigh: async () => suiteOf(await import("@tunelab/kernel-eigh/suite")),
  "matched-filter": async () => suiteOf(await import("@tunelab/kernel-matched-filter/suite")),
};

/** A suite of one problem type stands for a suite of any: its operation refuses problems that are not its own. */
const suiteOf = (module: { readonly suite: unknown }): Suite => module.suite as Suite;

/** Operations from outside the laboratory, by name: of modules that the command line named. */
const outside = new Map<string, Suite>();

/** The names of the laboratory's own operations. */
export const operationNames = (): readonly string[] => Object.keys(SUITES).sort();

/** The suite of an operation. @throws Fault `usage` that lists what exists. */
export async function loadSuite(name: string): Promise<Suite> {
  const known = outside.get(name);
  if (known) return known;
  const load = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined;
  if (!load) throw new Fault("usage", `unknown kernel "${name}": there is ${operationNames().join(", ")}`);
  return load();
}

/** An operation that the command line asked for; `module` is the path of one from outside. */
export interface NamedKernel {
  readonly name: string;
  readonly module?: string;
}

/**
 * The operation called so, or that of the module at that path, which is known by its name from then on. @throws Fault `usage`.
 */
export async function kernelNamed(text: string): Promise<NamedKernel> {
  if (!isModulePath(text)) return { name: (await loadSuite(text)).operation.name };
  const suite = await loadOutside(text);
  const { name } = suite.operation;
  if (operationNames().includes(name))
    throw new Fault(
      "usage",
      `${text}: ${name} is a kernel of the laboratory; give the operation another name`,
    );
  outside.set(name, suite);
  return { name, module: resolve(text) };
}

/** The suites of the laboratory and of modules that the command line named. */
export const loadSuites = (): Promise<readonly Suite[]> =>
  Promise.all([...operationNames(), ...outside.keys()].map(loadSuite));

export async function loadOperations(): Promise<readonly Operation[]> {
  return (await loadSuites()).map(({ operation }) => operation);
}

/** Epochs of the suites as they are now, by operation. */
export async function loadEpochs(): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries((await loadSuites()).map(({ operation, epoch }) => [operation.name, epoch]));
}

/** What others measured of the operations, with the work of each problem by the suite's own formula. */
export async function loadReferences(): Promise<readonly OperationReference[]> {
  return (await loadSuites()).flatMap(({ operation, references = [], work }) =>
    references.map((one) => ({ ...one, operation: operation.name, flops: work(one.problem).flops })),
  );
}

export async function loadProbes(): Promise<readonly Probe[]> {
  return (await import("@tunelab/kernel-probes")).probes;
}

/**
 * A problem from `n=1024,data=4`: dimensions not given take their defaults. @throws Fault `usage` naming the dimension or value.
 */
export function parseProblem(operation: Operation, text: string): Problem {
  const problem = parseDimensions(operation.name, operation.dimensions, text);
  const refusal = operation.refuse(problem);
  if (refusal) throw new Fault("usage", refusal);
  return problem;
}

/** The same for an operation that is known by its dimensions alone. */
export function parseDimensions(operation: string, dimensions: readonly Dimension[], text: string): Problem {
  const problem: Record<string, number | string> = {};
  for (const { name, default: fallback, optional } of dimensions) {
    if (fallback !== undefined && !optional) problem[name] = fallback;
  }
  const known = dimensions.map(({ name }) => name);
  const given = new Set<string>();
  for (const part of text.split(",").filter(Boolean)) {
    const [name = "", value = ""] = part.split("=").map((piece) => piece.trim());
    if (!known.includes(name)) {
      throw new Fault("usage", `${operation} has no dimension "${name}": it has ${known.join(", ")}`);
    }
    if (given.has(name)) throw new Fault("usage", `"${text}" gives ${name} twice: repeat --problem instead`);
    given.add(name);
    problem[name] = value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
  }
  const missing = dimensions.find(({ name, optional }) => problem[name] === undefined && !optional);
  if (missing) throw new Fault("usage", `--problem gives no ${missing.name}: ${missing.doc}`);
  return problem;
}
