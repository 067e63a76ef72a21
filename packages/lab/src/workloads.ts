import {
  Fault,
  type Problem,
  problemKey,
  type Space,
  type Suite,
  type WorkloadName,
} from "@tunelab/contract";
import { loadAlgorithms, type Workload } from "@tunelab/tuner";
import { checkWhere, type Where, whyEmpty } from "@tunelab/variants";
import type { Io } from "./io.ts";
import { loadSuite, parseProblem } from "./registry.ts";

/** Options that say what of an operation is tuned. */
export interface WorkloadFlags {
  readonly problem: readonly string[];
  readonly algorithm?: string;
}

/** What `flags` leave of the operations, each with its problems. @throws Fault `usage`. */
export async function workloadsOf(
  kernels: readonly string[],
  workload: WorkloadName,
  flags: WorkloadFlags,
  io: Io,
): Promise<readonly Workload[]> {
  const suites = await Promise.all(kernels.map(loadSuite));
  if (flags.problem.length > 0 && suites.length > 1) {
    throw new Fault("usage", "--problem belongs to one operation: name it with --kernel");
  }
  const problemsOf = (suite: Suite): readonly Problem[] =>
    flags.problem.length > 0
      ? flags.problem.map((text) => parseProblem(suite.operation, text))
      : suite.workloads[workload];
  const names = flags.algorithm?.split(",").map((name) => name.trim());
  const { searched, skipped } = withAlgorithms(suites, names);
  if (skipped.length > 0)
    io.note(`Without ${skipped.join(", ")}: no algorithm called ${names?.join(" or ")} there`);
  return searched.map((one) => ({ ...one, problems: problemsOf(one.suite) }));
}

/**
 * The operations that have one of the named algorithms, and the names of those that have none. @throws Fault `usage` for a
 * name that no operation has.
 */
export function withAlgorithms(
  suites: readonly Suite[],
  names: readonly string[] | undefined,
): { readonly searched: readonly Omit<Workload, "problems">[]; readonly skipped: readonly string[] } {
  if (!names) return { searched: suites.map((suite) => ({ suite })), skipped: [] };
  const algorithmsOf = ({ operation }: Suite): readonly string[] => Object.keys(operation.algorithms);
  const known = [...new Set(suites.flatMap(algorithmsOf))];
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new Fault("usage", `unknown algorithm "${stranger}": there is ${known.join(", ")}`);
  const has = (suite: Suite): boolean => names.some((name) => algorithmsOf(suite).includes(name));
  return {
    searched: suites.filter(has).map((suite) => ({
      suite,
      algorithms: names.filter((name) => algorithmsOf(suite).includes(name)),
    })),
    skipped: suites.filter((suite) => !has(suite)).map(({ operation }) => operation.name),
  };
}

/** Refuses a restriction that no space of the session knows, before a device is opened. @throws Fault `usage`. */
export async function checkRestriction(where: Where, workloads: readonly Workload[]): Promise<void> {
  if (Object.keys(where).length === 0) return;
  const spaces: Space[] = [];
  for (const { suite, problems, algorithms: names } of workloads) {
    for (const algorithm of await loadAlgorithms(suite.operation, names))
      spaces.push(...problems.map((problem) => algorithm.space(problem)));
  }
  checkWhere(where, spaces);
}

/**
 * Problems without a valid variant, each named with the constraint that removed the last; where no problem has any nothing can be
 * measured. @throws Fault `usage`.
 */
export async function refuseEmpty(workloads: readonly Workload[], io: Io): Promise<void> {
  const empty: string[] = [];
  let useful = 0;
  for (const { suite, problems, algorithms: names } of workloads) {
    const { operation } = suite;
    const algorithms = await loadAlgorithms(operation, names);
    for (const problem of problems) {
      const answering = algorithms.filter(({ name }) => operation.answers?.(name, problem) !== false);
      const reasons = answering.map((algorithm) => whyEmpty(algorithm.space(problem))?.reason);
      if (reasons.length === 0 || reasons.some((reason) => reason === undefined)) useful++;
      else empty.push(`${operation.name} ${problemKey(problem)}: ${reasons[0]}`);
    }
  }
  if (empty.length > 0 && useful === 0) throw new Fault("usage", empty[0]!);
  for (const line of empty) io.note(`Without ${line}`);
}
