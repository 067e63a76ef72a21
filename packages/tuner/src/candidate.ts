import {
  type Algorithm,
  asFault,
  type Capabilities,
  type Operation,
  type Problem,
  planHash,
  supports,
} from "@tunelab/contract";
import { formatId } from "@tunelab/variants";
import type { Candidate } from "./strategy.ts";

/** A candidate that fits the device, with the identity of its plan. */
export interface Planned extends Candidate {
  readonly variant: string;
  readonly hash: string;
}

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
  algorithm: Algorithm,
  problem: Problem,
  candidate: Candidate,
  capabilities: Capabilities,
): Promise<Planned | Refused> {
  try {
    const support = supports(algorithm.resources(problem, candidate.config), capabilities);
    if (!support.supported) return { limit: support.limit, reason: support.reason };
    const plan = algorithm.plan(problem, candidate.config, capabilities);
    return {
      ...candidate,
      variant: formatId(algorithm.name, algorithm.space(problem), candidate.config),
      hash: await planHash(plan),
    };
  } catch (error) {
    // A plan that throws refuses its configuration; the rest of the space is still good.
    return { limit: "plan", reason: asFault(error, "unsupported").message };
  }
}
