import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CONTRACT_VERSION, DEFAULT_CAPABILITIES, Fault, type Suite } from "@tunelab/contract";
import { checkSpace } from "@tunelab/variants";
import { commandLine } from "./build.ts";
import { guarded, placeOf, reasonOf } from "./outside-guard.ts";

/** Whether `--kernel` names a module rather than an operation of the laboratory. */
export function isModulePath(text: string): boolean {
  return /[\\/]/.test(text) || /\.(ts|mts|js|mjs)$/.test(text);
}

/** What a suite and its operation must have for the laboratory to use them. */
const SUITE_PARTS = ["epoch", "inputs", "oracle", "work", "workloads"] as const;
const OPERATION_PARTS = ["name", "dimensions", "refuse", "ports", "algorithms", "accuracy"] as const;

/**
 * The suite that a module exports by default. @throws Fault `usage`, one line that names the file (and line) and the cause: it is not
 * there, throws, exports no operation, or was written for another contract.
 */
export async function loadOutside(path: string): Promise<Suite> {
  const file = resolve(path);
  if (!existsSync(file)) throw new Fault("usage", `there is no kernel at ${path}: give the path of a module`);
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new Fault("usage", `${placeOf(error, file)} throws when it is loaded: ${reasonOf(error)}`);
  }
  const suite = suiteIn(module, path);
  await refuseUnusable(suite, path, file);
  return guarded(suite, file);
}

function suiteIn(module: Readonly<Record<string, unknown>>, path: string): Suite {
  const suite = Object(module.default) as Partial<Suite>;
  const howTo = `\`${commandLine("new-kernel NAME")}\` makes one that works`;
  if (!suite.operation)
    throw new Fault("usage", `${path} exports no operation: its default export must be a suite; ${howTo}`);
  const missing = [
    ...SUITE_PARTS.filter((part) => suite[part] === undefined),
    ...OPERATION_PARTS.filter((part) => suite.operation?.[part] === undefined).map(
      (part) => `operation.${part}`,
    ),
  ];
  if (missing.length > 0)
    throw new Fault("usage", `the suite of ${path} lacks ${missing.join(", ")}; ${howTo}`);
  return suite as Suite;
}

/** Plans each algorithm's default on the first problem, for a plan says which contract it was written for, and looks at its space. */
async function refuseUnusable(suite: Suite, path: string, file: string): Promise<void> {
  const [problem] = [...suite.workloads.quick, ...suite.workloads.standard, ...suite.workloads.full];
  const algorithms = Object.values(suite.operation.algorithms);
  if (!problem || algorithms.length === 0)
    throw new Fault("usage", `${path} has ${problem ? "no algorithm" : "no problem in its workloads"}`);
  for (const load of algorithms) {
    let contract: number;
    let faults: readonly string[];
    try {
      const algorithm = await load();
      const config = algorithm.defaultConfig(problem, DEFAULT_CAPABILITIES);
      ({ contract } = algorithm.plan(problem, config, DEFAULT_CAPABILITIES));
      faults = checkSpace(algorithm.space(problem)).map(
        (fault) => `the space of ${algorithm.name}: ${fault}`,
      );
    } catch (error) {
      throw new Fault("usage", `${placeOf(error, file)} cannot plan its default: ${reasonOf(error)}`);
    }
    if (contract !== CONTRACT_VERSION)
      throw new Fault(
        "usage",
        `${path} was written for contract ${contract}, this laboratory speaks ${CONTRACT_VERSION}: ` +
          "bring its plans up to date with packages/contract/src/plan.ts",
      );
    if (faults.length > 0) throw new Fault("usage", `${path}, ${faults[0]}`);
  }
}
