import type { PairJudgement } from "@tunelab/contract";
import { confirmed, judgePlacements, swappedAt } from "../placements.ts";
import { judgeProcesses } from "../processes.ts";
import { PLACEMENTS, QUADS } from "../protocol.ts";
import { QuadMachine } from "../quad-run.ts";
import { BUILD_QUADS, type QuadRules, quadStatistic, REPORT_QUADS } from "../quads.ts";
import { type Opponent, oneAfterTheOther, type Said, type Sample } from "./opponent.ts";

/** Samples of so many kept quads. */
export const samplesOf = (quads: number): number => (quads + QUADS.dropped) * 4 * QUADS.samplesPerSlot;

function quads(name: string, rule: string, rules: QuadRules): Opponent {
  return {
    name,
    rule,
    samples: samplesOf(rules.looks.at(-1)!),
    compare: (open) => {
      const sample = open();
      const machine = new QuadMachine(rules);
      for (let next = machine.next(); next; next = machine.next()) machine.take(sample(next.side));
      const { verdict, ratio, low, high, samples } = machine.outcome();
      return { verdict, ratio, low, high, samples };
    },
  };
}

/** Quads under the rules of reports. */
export const QUADS_REPORT: Opponent = quads(
  "quads",
  "8 to 64 quads; changed beyond 0.5% with the whole interval, 4 looks within alpha 0.05",
  REPORT_QUADS,
);

/** Quads without a gate: how much of the quiet is the pairing's, and how much the gate's. */
export const QUADS_UNGATED: Opponent = quads("quads, no gate", "the same with a gate of 0", {
  ...REPORT_QUADS,
  gate: 0,
});

/** Quads under the rules of an exit code. */
export const QUADS_BUILD: Opponent = quads(
  "quads, build",
  "16 to 64 quads, 3 looks within alpha 0.001",
  BUILD_QUADS,
);

/** Statistics of a fixed number of kept quads of a fresh process. */
export function fixedQuads(sample: Sample, count: number): readonly number[] {
  const machine = new QuadMachine({ ...REPORT_QUADS, looks: [count] });
  for (let next = machine.next(); next; next = machine.next()) machine.take(sample(next.side));
  return machine.outcome().quads.slice(QUADS.dropped).map(quadStatistic);
}

/** What a published claim needs. */
export const QUADS_PROCESSES: Opponent = {
  name: "quads, 6 processes",
  rule: "6 processes of 4 quads; changed beyond 0.5%, Student's t over the processes at 0.05",
  samples: QUADS.processes * samplesOf(QUADS.quadsPerProcess),
  compare: (open) => {
    const perProcess = Array.from({ length: QUADS.processes }, () =>
      fixedQuads(open(), QUADS.quadsPerProcess),
    );
    const { verdict, ratio, low, high } = judgeProcesses(perProcess);
    return { verdict, ratio, low, high, samples: QUADS.processes * samplesOf(QUADS.quadsPerProcess) };
  },
};

/** What a comparison in one process says: a change that the first placement shows is looked for in others. */
export const QUADS_PLACED: Opponent = {
  name: "quads, placed anew",
  rule:
    `quads, build; what they call changed once more in ${PLACEMENTS.count} placements of ${PLACEMENTS.quads} quads, ` +
    `Student's t over them at ${PLACEMENTS.alpha}`,
  samples: QUADS_BUILD.samples,
  compare: (open) => {
    const sample = open();
    const machine = new QuadMachine(BUILD_QUADS);
    for (let next = machine.next(); next; next = machine.next()) machine.take(sample(next.side));
    const first = machine.outcome();
    if (first.verdict !== "changed") return saidOf(first, first.samples);
    const others = Array.from({ length: PLACEMENTS.count }, (_, index) => ({
      swapped: swappedAt(index + 1),
      statistics: fixedQuads(open(), PLACEMENTS.quads),
    }));
    const judged = confirmed(first, judgePlacements(others, { ...BUILD_QUADS, alpha: PLACEMENTS.alpha }));
    return saidOf(judged, first.samples + PLACEMENTS.count * samplesOf(PLACEMENTS.quads));
  },
};

const saidOf = ({ verdict, ratio, low, high }: PairJudgement, samples: number): Said => ({
  ...{ verdict, ratio, low, high, samples },
});

const SAMPLES = 20;

/** Minimum of 20 after minimum of 20, changed beyond the same gate: what most scripts do. */
export const MINIMUM: Opponent = {
  name: "min of 20",
  rule: `${SAMPLES} of A, ${SAMPLES} of B; changed when the minima differ by more than 0.5%`,
  samples: 2 * SAMPLES,
  compare: (open) => {
    const { a, b } = oneAfterTheOther(open(), SAMPLES);
    const ratio = Math.min(...b) / Math.min(...a);
    const changed = Math.abs(Math.log(ratio)) > Math.log1p(QUADS.gate);
    return { verdict: changed ? "changed" : "same", ratio, samples: 2 * SAMPLES };
  },
};
