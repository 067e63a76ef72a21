import {
  type Algorithm,
  asFault,
  type Capabilities,
  type Config,
  type Operation,
  type Problem,
  planHash,
  type Space,
  supports,
} from "@tunelab/contract";
import { formatId } from "@tunelab/variants";
import type { Candidate } from "./strategies/strategy.ts";

/** An algorithm with its space for the problem at hand. */
export interface Searched {
  readonly algorithm: Algorithm;
  readonly space: Space;
}

/** A candidate that fits the device, with the identity of its plan. */
export interface Planned extends Candidate {
  readonly variant: string;
  readonly hash: string;
}

/** Stands for a limit where planning throws: no device would take the candidate. */
export const UNPLANNED = "plan";

/** A candidate that cannot run, with the limit that refuses it. */
export interface Refused {
  readonly limit: string;
  readonly reason: string;
}

/** The algorithms of an operation, loaded, in its order; only those named when names are given. */
export async function loadAlgorithms(
  operation: Operation,
  names: readonly string[] = Object.keys(operation.algorithms),
): Promise<readonly Algorithm[]> {
  const wanted = Object.entries(operation.algorithms).filter(([name]) => names.includes(name));
  return Promise.all(wanted.map(([, load]) => load()));
}

/** Plans a candidate, or says what keeps it off the device; measures nothing. */
export async function planCandidate(
  { algorithm, space }: Searched,
  problem: Problem,
  config: Config,
  capabilities: Capabilities,
): Promise<Planned | Refused> {
  try {
    const support = supports(algorithm.resources(problem, config), capabilities);
    if (!support.supported) return { limit: support.limit, reason: support.reason };
    const plan = algorithm.plan(problem, config, capabilities);
    return {
      algorithm: algorithm.name,
      config,
      variant: formatId(algorithm.name, space, config),
      hash: await planHash(plan),
    };
  } catch (error) {
    // A plan that throws refuses its configuration; the rest of the space is still good.
    const why = asFault(error, "unsupported").message;
    return {
      limit: UNPLANNED,
      reason: `${formatId(algorithm.name, space, config)} cannot be planned: ${why}`,
    };
  }
}
