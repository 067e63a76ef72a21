import type { Port, PortData, Verdict } from "@tunelab/contract";
import { type Instance, POISON_WORD, type Run } from "@tunelab/executor";
import type { Case } from "./cases.ts";
import { ofSuite } from "./failures.ts";
import { wordsOf } from "./words.ts";

/** What one look at the outputs needs to know. */
export interface Look {
  readonly operation: string;
  readonly ports: readonly Port[];
  /** Items compared in full with the oracle. */
  readonly sample: number;
}

/** A verdict's meaning for the trial: undefined when it may be timed. */
export interface Failure {
  readonly status: "wrong" | "inaccurate";
  readonly reason: string;
}

const outputs = (ports: readonly Port[]): readonly string[] =>
  ports.filter(({ role }) => role === "out" || role === "inout").map(({ name }) => name);

/** Words that still hold the poison, in the out port that has most of them. */
function unwritten(
  found: PortData,
  ports: readonly Port[],
): { port: string; words: number; of: number } | undefined {
  let worst: { port: string; words: number; of: number } | undefined;
  for (const { name, role } of ports) {
    const data = found[name];
    if (role !== "out" || !data) continue;
    const words = wordsOf(data);
    let poisoned = 0;
    // By index: 2^26 words take 0.13 s so, and 0.65 s (2 s beside an H200) through the array's iterator.
    for (let at = 0; at < words.length; at += 1) if (words[at] === POISON_WORD) poisoned += 1;
    if (poisoned > (worst?.words ?? 0)) worst = { port: name, words: poisoned, of: words.length };
  }
  return worst;
}

/** The outputs as they are. */
export function readOutputs(instance: Instance, look: Look): Promise<PortData> {
  return instance.read(outputs(look.ports));
}

/** Judges outputs that were read. Words never written are a mismatch even where the oracle samples. */
export function judgeOutputs(found: PortData, { seed, oracle }: Omit<Case, "inputs">, look: Look): Verdict {
  const verdict = ofSuite(look.operation, () => oracle.check(found, { count: look.sample, seed }));
  // NaN counts as infinitely wrong, whatever the suite made of it.
  const maxError = Number.isNaN(verdict.maxError) ? Number.POSITIVE_INFINITY : verdict.maxError;
  const left = unwritten(found, look.ports);
  if (!left) return { ...verdict, maxError };
  const detail = `${left.words} of ${left.of} words of port ${left.port} were never written`;
  // The verdict fails with at least one item, however the oracle saw it.
  const matched = Math.min(verdict.matched, verdict.total - 1);
  return { ...verdict, matched, maxError, detail: verdict.detail ? `${detail}; ${verdict.detail}` : detail };
}

/** Two verdicts as one: counts added, the larger error, the first mismatch. */
export function mergeVerdicts(a: Verdict, b: Verdict): Verdict {
  const detail = a.detail ?? b.detail;
  return {
    matched: a.matched + b.matched,
    total: a.total + b.total,
    sampled: a.sampled + b.sampled,
    maxError: Math.max(a.maxError, b.maxError),
    nearTies: a.nearTies + b.nearTies,
    ...(detail === undefined ? {} : { detail }),
  };
}

/** What a verdict means: any mismatch is `wrong`; an error over the operation's bound (NaN too) `inaccurate`. */
export function failureOf(
  verdict: Verdict,
  accuracy: { bound: number; measure: string },
): Failure | undefined {
  if (verdict.matched < verdict.total || verdict.total === 0) {
    const reason = `${verdict.matched}/${verdict.total} right${verdict.detail ? `: ${verdict.detail}` : ""}`;
    return { status: "wrong", reason };
  }
  if (!(verdict.maxError <= accuracy.bound)) {
    const reason = `${accuracy.measure} ${verdict.maxError.toExponential(2)} is over the bound ${accuracy.bound}`;
    return { status: "inaccurate", reason };
  }
  return undefined;
}

/**
 * Verifies an instance on every case in turn (poison, run, read, check); the first case's inputs are bound already.
 * Stops at the first that fails. Resolves with the merged verdict, the seeds that were run, the last run and its outputs.
 */
export async function verifyCases(
  instance: Instance,
  cases: readonly (() => Case)[],
  look: Look,
  accuracy: { bound: number; measure: string },
): Promise<{
  readonly verdict: Verdict;
  readonly failure?: Failure;
  readonly seeds: readonly number[];
  readonly run: Run;
  readonly found: PortData;
}> {
  let merged: Verdict | undefined;
  const seeds: number[] = [];
  let run: Run | undefined;
  let found: PortData = {};
  for (const made of cases) {
    const one = made();
    if (run) instance.write(one.inputs);
    instance.poison();
    run = await instance.run({ timing: "total" });
    found = await readOutputs(instance, look);
    const verdict = judgeOutputs(found, one, look);
    seeds.push(one.seed);
    merged = merged ? mergeVerdicts(merged, verdict) : verdict;
    const failure = failureOf(verdict, accuracy);
    if (failure) {
      return {
        verdict: merged,
        failure: { ...failure, reason: `seed ${one.seed}: ${failure.reason}` },
        seeds,
        run,
        found,
      };
    }
  }
  return { verdict: merged!, seeds, run: run!, found };
}
