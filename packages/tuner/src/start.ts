import { asFault, type Capabilities, Fault, type Problem } from "@tunelab/contract";
import { parseConfig, parseId } from "@tunelab/variants";
import { loadAlgorithms } from "./candidate.ts";
import type { Candidate, Strategy } from "./strategies/strategy.ts";
import type { Workload } from "./types.ts";

/**
 * The named variants that a problem has, in the order given: what a search tries first. Parameters left out are as in the
 * algorithm's default. A variant that this problem's space does not hold is left out: it may belong to another length.
 * @throws Fault `usage` for a text that is no variant id.
 */
export async function startFor(
  ids: readonly string[],
  workload: Workload,
  problem: Problem,
  capabilities: Capabilities,
): Promise<{ readonly start: readonly Candidate[]; readonly refused: Readonly<Record<string, string>> }> {
  const start: Candidate[] = [];
  const refused: Record<string, string> = {};
  if (ids.length === 0) return { start, refused };
  const algorithms = await loadAlgorithms(workload.suite.operation, workload.algorithms);
  for (const id of ids) {
    const { algorithm: name, settings } = parseId(id);
    const algorithm = algorithms.find((one) => one.name === name);
    try {
      if (!algorithm)
        throw new Fault(
          "usage",
          `no algorithm ${name}: there is ${algorithms.map((one) => one.name).join(", ")}`,
        );
      const defaults = algorithm.defaultConfig(problem, capabilities);
      start.push({ algorithm: name, config: parseConfig(algorithm.space(problem), settings, defaults) });
    } catch (error) {
      refused[id] = asFault(error, "usage").message;
    }
  }
  return { start, refused };
}

/** Refuses, before anything is measured, a variant that no problem of the session has. @throws Fault `usage` with the reason. */
export async function checkStart(
  ids: readonly string[],
  workloads: readonly Workload[],
  capabilities: Capabilities,
): Promise<void> {
  const reasons = new Map<string, string>();
  const known = new Set<string>();
  for (const workload of workloads) {
    for (const problem of workload.problems) {
      const { refused } = await startFor(ids, workload, problem, capabilities);
      for (const id of ids) {
        if (refused[id] === undefined) known.add(id);
        else reasons.set(id, refused[id]);
      }
    }
  }
  const stranger = ids.find((id) => !known.has(id));
  if (stranger !== undefined)
    throw new Fault("usage", `no problem here has ${stranger}: ${reasons.get(stranger)}`);
}

/** The strategy after the candidates of `start`, which it observes like its own. */
export function startingWith(start: readonly Candidate[], strategy: Strategy): Strategy {
  const waiting = [...start];
  return {
    total: strategy.total,
    propose: () => waiting.shift() ?? strategy.propose(),
    observe: (observation) => strategy.observe(observation),
  };
}
