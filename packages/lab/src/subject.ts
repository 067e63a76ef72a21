import {
  type Algorithm,
  type Capabilities,
  type Config,
  DEFAULT_CAPABILITIES,
  Fault,
  type Operation,
  type Problem,
} from "@tunelab/contract";
import { chooseDevice } from "@tunelab/devices";
import { loadAlgorithms } from "@tunelab/tuner";
import { parseConfig, parseId } from "@tunelab/variants";
import { kernelNamed, loadSuite, parseProblem } from "./registry.ts";

/** Options of the commands that look at a kernel without measuring it. */
export interface KernelFlags {
  readonly problem?: string;
  readonly device?: string;
  readonly json?: boolean;
}

/** A kernel with the problem and the limits it is looked at under. */
export interface Subject {
  readonly operation: Operation;
  readonly algorithms: readonly Algorithm[];
  readonly problem: Problem;
  readonly capabilities: Capabilities;
  /** Whose limits these are, in words. */
  readonly limitsOf: string;
}

/**
 * Loads a kernel and reads its problem (the first of the quick workload when none is given). Without `--device` no device is
 * touched: WebGPU's default limits count. @throws Fault `usage` naming what is unknown and what exists.
 */
export async function subjectFor(kernel: string, flags: KernelFlags): Promise<Subject> {
  const { operation, workloads } = await loadSuite((await kernelNamed(kernel)).name);
  const problem = flags.problem === undefined ? workloads.quick[0] : parseProblem(operation, flags.problem);
  if (!problem) throw new Fault("usage", `${kernel} has no quick workload: give a --problem`);
  const algorithms = await loadAlgorithms(operation);
  if (flags.device === undefined) {
    return {
      operation,
      algorithms,
      problem,
      capabilities: DEFAULT_CAPABILITIES,
      limitsOf: "WebGPU's default limits",
    };
  }
  const { id, info } = await chooseDevice(flags.device);
  return { operation, algorithms, problem, capabilities: info.capabilities, limitsOf: id };
}

/** The variant an id names, its unnamed parameters as in the algorithm's default; the first algorithm's default without an id. */
export function variantOf(
  { operation, algorithms, problem, capabilities }: Subject,
  id: string | undefined,
): { readonly algorithm: Algorithm; readonly config: Config } {
  const parsed = id === undefined ? { algorithm: algorithms[0]?.name ?? "", settings: {} } : parseId(id);
  const algorithm = algorithms.find(({ name }) => name === parsed.algorithm);
  if (!algorithm) {
    const names = algorithms.map(({ name }) => name).join(", ");
    throw new Fault("usage", `${operation.name} has no algorithm "${parsed.algorithm}": it has ${names}`);
  }
  const defaults = algorithm.defaultConfig(problem, capabilities);
  return { algorithm, config: parseConfig(algorithm.space(problem), parsed.settings, defaults) };
}
