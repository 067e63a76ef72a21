import {
  asFault,
  type ComparisonRow,
  Fault,
  type PairOutcome,
  type PerSide,
  problemKey,
  type ReferenceKernel,
  SIDES,
  type Side,
  UNKNOWN_PAIR,
} from "@tunelab/contract";
import type { PairBench } from "@tunelab/devices";
import { REFERENCE_SAMPLES } from "@tunelab/harness";
import type { Bout } from "./offer.ts";
import { pairSides, quadRules, type Ran, type RunOptions } from "./run.ts";
import { referenceControl, rowOf, withdraw } from "./verdict.ts";

export interface ReferenceOptions
  extends Omit<RunOptions, "first" | "open" | "force" | "untimed" | "straddle"> {
  /** The hosts that the routes were asked of: each side's first process. They are closed in the end. */
  readonly first: PerSide<PairBench>;
  /** Opens a fresh host of a side for each further process. */
  readonly open: PerSide<() => Promise<PairBench>>;
  /** The reference that times are told by; unless given, the one that resembles what binds the base's variant. */
  readonly reference?: ReferenceKernel;
}

/** What was found of one bout, process by process. */
type Found = { readonly [S in Side]: PairOutcome[] };

/**
 * Compares bouts whose sides cannot share a process. Processes of the sides alternate (base, candidate, candidate, base, ...), so
 * that what the machine does meanwhile favours neither; each times every bout beside a reference kernel of its own device. Both
 * sides of a bout use the reference that the base's first process chose.
 */
export async function runReferences(bouts: readonly Bout[], options: ReferenceOptions): Promise<Ran> {
  const found: readonly Found[] = bouts.map(() => ({ base: [], candidate: [] }));
  const faults = new Map<number, string>();
  let stopped: string | undefined;
  const { rules, signal } = options;
  for (let process = 0; process < rules.processes && stopped === undefined; process += 1) {
    for (const side of process % 2 === 0 ? SIDES : [...SIDES].reverse()) {
      if (stopped !== undefined) break;
      const bench = process === 0 ? options.first[side] : await options.open[side]();
      const stop = (): void => void bench.close().catch(() => {});
      signal.addEventListener("abort", stop, { once: true });
      try {
        for (const [index, bout] of bouts.entries()) {
          if (signal.aborted) throw new Fault("usage", "interrupted");
          options.progress({ kind: "bout", bout, index, of: bouts.length });
          if (faults.has(index) || !("algorithm" in bout.routes[side]) || failed(found[index]!, side))
            continue;
          const chosen = found[index]!.base[0]?.references?.base?.reference;
          const outcome = await timeOne(bench, bout, side, options, chosen);
          if ("fault" in outcome) faults.set(index, outcome.fault);
          else found[index]![side].push(outcome);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
        stopped = "interrupted";
      } finally {
        signal.removeEventListener("abort", stop);
        await bench.close();
      }
    }
  }
  const whole = (one: Found, { routes }: Bout): boolean =>
    SIDES.every(
      (side) => "refused" in routes[side] || failed(one, side) || one[side].length === rules.processes,
    );
  const done = [...bouts.keys()].filter((index) => faults.has(index) || whole(found[index]!, bouts[index]!));
  const rows: ComparisonRow[] = [];
  for (const index of done) {
    const made = rowOf(bouts[index]!, merged(found[index]!), { ...options, rules: quadRules(rules) });
    const fault = faults.get(index);
    const row: ComparisonRow = fault === undefined ? made : { ...made, verdict: "invalid", reason: fault };
    rows.push(row);
    await options.keep?.(row);
    options.progress({ kind: "row", row, index, of: bouts.length });
  }
  const control = controlOf(bouts, found, options);
  const kept = withdraw(rows, control, true);
  return { rows: kept, ...(control ? { control } : {}), ...(stopped === undefined ? {} : { stopped }) };
}

/** A side that did not run, or was not right, is not asked again: what hung once would hang for a deadline a process. */
const failed = (found: Found, side: Side): boolean => {
  const last = found[side].at(-1)?.sides[side];
  return last !== undefined && last.status !== "ok";
};

function controlOf(
  bouts: readonly Bout[],
  found: readonly Found[],
  { rules }: ReferenceOptions,
): Ran["control"] {
  for (const [index, one] of found.entries()) {
    const judgement = referenceControl(merged(one), quadRules(rules));
    const { operation, problem } = bouts[index]!;
    if (judgement) return { ...judgement, operation, problem };
  }
  return undefined;
}

/** One outcome a process, with both sides in it. */
const merged = ({ base, candidate }: Found): readonly PairOutcome[] =>
  Array.from({ length: Math.max(base.length, candidate.length) }, (_, process) => {
    const [left, right] = [base[process], candidate[process]];
    return {
      ...UNKNOWN_PAIR,
      sides: { ...left?.sides, ...right?.sides },
      references: { ...left?.references, ...right?.references },
      notes: [...(left?.notes ?? []), ...(right?.notes ?? [])],
    };
  });

async function timeOne(
  bench: Pick<PairBench, "pair">,
  bout: Bout,
  side: Side,
  { executor, seeds, oracleSample, reference, signal }: ReferenceOptions,
  chosen: ReferenceKernel | undefined,
): Promise<PairOutcome | { readonly fault: string }> {
  const { operation, problem } = bout;
  try {
    return await bench.pair({
      ...{ operation, problem, sides: pairSides(bout, side), only: side, executor, seeds, oracleSample },
      ...{ straddle: false, force: false, control: false },
      timing: { kind: "reference", samples: REFERENCE_SAMPLES, reference: reference ?? chosen ?? "nearest" },
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      fault: `${operation} ${problemKey(problem)}: ${side}: ${asFault(error, "environment").message}`,
    };
  }
}
