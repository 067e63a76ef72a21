import type { Oracle, Port, PortData, Problem, Verdict } from "@tunelab/contract";
import { ofSuite } from "../failures.ts";
import { judgeOutputs, type Look } from "../verify.ts";
import { sameBits } from "../words.ts";
import type { Seat } from "./seat.ts";

/** The inputs of one seed on either side, and who judges what comes of them. */
export interface PairCase {
  readonly seed: number;
  readonly inputs: { readonly base: PortData; readonly candidate: PortData };
  readonly shared: boolean;
  /** Oracles that every shared output must satisfy; with own inputs each side's own. */
  readonly oracles: { readonly base: readonly Oracle[]; readonly candidate: readonly Oracle[] };
}

const given = (ports: readonly Port[]): string =>
  ports
    .filter(({ role }) => role === "in" || role === "inout")
    .map(({ name, dtype, shape }) => `${name}:${dtype}:${shape.join("x")}`)
    .sort()
    .join(" ");

/**
 * The case of one seed. Both sides run on the same words: usually both suites make them alike; where a suite's generator
 * changed, the base's stand for both. Only where the ports themselves differ has each side its own. Every oracle of both
 * commits judges shared outputs, so that a change cannot pass by weakening its own.
 */
export function pairCase(base: Seat, candidate: Seat, problem: Problem, seed: number): PairCase {
  // Suites are a commit's code too: one that ends the host is blamed for it.
  base.announce();
  const a = base.cases.get(base.suite, problem, seed);
  if (base.module === candidate.module) {
    return { seed, inputs: { base: a.inputs, candidate: a.inputs }, shared: true, oracles: both([a.oracle]) };
  }
  candidate.announce();
  const b = candidate.cases.get(candidate.suite, problem, seed);
  const ports = [base, candidate].map(({ suite }) => given(suite.operation.ports(problem)));
  if (ports[0] !== ports[1]) {
    return {
      seed,
      inputs: { base: a.inputs, candidate: b.inputs },
      shared: false,
      oracles: { base: [a.oracle], candidate: [b.oracle] },
    };
  }
  const theirs = sameBits(a.inputs, b.inputs)
    ? b.oracle
    : ofSuite(candidate.suite.operation.name, () => candidate.suite.oracle(problem, a.inputs));
  return {
    seed,
    inputs: { base: a.inputs, candidate: a.inputs },
    shared: true,
    oracles: both([a.oracle, theirs]),
  };
}

const both = (oracles: readonly Oracle[]): PairCase["oracles"] => ({ base: oracles, candidate: oracles });

/** The harshest verdict of several oracles: fewest matches, largest error. */
export function judge(found: PortData, seed: number, oracles: readonly Oracle[], look: Look): Verdict {
  const verdicts = oracles.map((oracle) => judgeOutputs(found, { seed, oracle }, look));
  return verdicts.reduce((worst, one) => {
    const wrong = one.total - one.matched > worst.total - worst.matched ? one : worst;
    return { ...wrong, maxError: Math.max(worst.maxError, one.maxError) };
  });
}
