import type { HostRun, Problem, Suite, TrialOutcome } from "@tunelab/contract";

/** Untimed calls before the first sample, and samples: medians of the CPU's times settle with these. */
const WARM_UPS = 2;
const SAMPLES = 8;

/** A sample lasts at least this long (ms): a thousand times the microsecond to which clocks are cut. */
const LEAST_MS = 1;

/** Calls in a sample at most: a call of nothing must end too. */
const MOST_REPEATS = 1 << 20;

/** What stands in a trial where a variant would: the CPU has none. */
export const HOST_ALGORITHM = "host";

/** How what ran on the CPU is named where a variant has its id. */
export const hostLabel = (name: string): string => `${HOST_ALGORITHM}/${name}`;

/** Verifies and times work on the CPU by the wall clock. `now` in ms. Rejects when the work itself throws. */
export async function measureHost(
  suite: Pick<Suite, "epoch" | "work">,
  about: {
    readonly operation: string;
    readonly column: string;
    readonly problem: Problem;
    readonly seed: number;
  },
  made: HostRun,
  now: () => number,
): Promise<TrialOutcome> {
  const { operation, column, problem, seed } = about;
  const timed = async (repeats: number): Promise<number> => {
    const from = now();
    for (let call = 0; call < repeats; call++) await made.run();
    return now() - from;
  };
  await timed(WARM_UPS);
  let repeats = 1;
  while (repeats < MOST_REPEATS && (await timed(repeats)) < LEAST_MS) repeats *= 2;
  const samplesNs: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) samplesNs.push(Math.round((await timed(repeats)) * 1e6));
  const verdict = made.verdict();
  const right = verdict.total > 0 && verdict.matched === verdict.total;
  return {
    operation,
    algorithm: HOST_ALGORITHM,
    problem,
    variant: hostLabel(column),
    config: {},
    planHash: "",
    epoch: suite.epoch,
    status: right ? "ok" : "wrong",
    ...(right ? {} : { reason: verdict.detail ?? `${verdict.matched} of ${verdict.total} are right` }),
    grade: "raced",
    isDefault: false,
    ...(right ? { timing: { clock: "wall" as const, tickNs: 1_000, repeats, samplesNs, rejected: {} } } : {}),
    verdict,
    seeds: [seed],
    work: suite.work(problem),
  };
}
