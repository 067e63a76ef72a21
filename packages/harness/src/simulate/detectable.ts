import { judgeProcesses } from "../processes.ts";
import { QUADS } from "../protocol.ts";
import { judgeQuads, REPORT_QUADS } from "../quads.ts";
import { NOISE_KINDS, type NoiseKind, noiseSource } from "./noise.ts";
import { fixedQuads, samplesOf } from "./ours.ts";
import type { Seeded } from "./variates.ts";

/** A way of judging whose minimum detectable effect is put to the test. */
export interface DetectableRule {
  readonly name: string;
  readonly quads: number;
  readonly processes: number;
  /** Of the one look made. */
  readonly alpha: number;
}

const inOne = (quads: number, alpha: number, name: string): DetectableRule => ({
  name: `${quads} quads, ${name}`,
  quads,
  processes: 1,
  alpha,
});

const { alpha: reports, build } = QUADS;

/** Either side of where the inflation changes, at a report's level in one look and at each of a build's; and over processes. */
export const DETECTABLE_RULES: readonly DetectableRule[] = [
  ...[8, 16, 32].map((quads) => inOne(quads, reports, "one look at 0.05")),
  ...build.looks.map((quads) => inOne(quads, build.alpha / build.looks.length, "a build's look")),
  {
    name: `${QUADS.processes} processes of ${QUADS.quadsPerProcess} quads`,
    quads: QUADS.quadsPerProcess,
    processes: QUADS.processes,
    alpha: reports,
  },
];

/** Whether the minimum detectable effect is one. */
export interface DetectableFigures {
  readonly kind: NoiseKind;
  readonly rule: string;
  /** Mean of what runs without a change claim to detect, as a fraction. */
  readonly mde: number;
  /** Share of fresh runs, each with a change as large as one run claimed, whose interval excludes no change. */
  readonly detected: number;
}

/** Apart from the seeds of comparisons and selections. */
const FIRST_SEED = 2_000_000_000;
const SEEDS_A_CELL = 1_000_000;

/** A run without a change states its minimum detectable effect; another run, with that change, must see it. */
export function detectableFigures(
  kind: NoiseKind,
  rule: DetectableRule,
  { runs, seed, seeded }: { readonly runs: number; readonly seed: number; readonly seeded: Seeded },
): DetectableFigures {
  const rules = { ...REPORT_QUADS, alpha: rule.alpha, looks: [rule.quads], gate: 0 };
  const cell =
    (seed * NOISE_KINDS.length + NOISE_KINDS.indexOf(kind)) * DETECTABLE_RULES.length +
    DETECTABLE_RULES.indexOf(rule);
  const judged = (at: number, effect: number) => {
    const each = Array.from({ length: rule.processes }, (_, process) => {
      const noise = noiseSource(kind, seeded(at + process), samplesOf(rule.quads));
      return fixedQuads((side) => noise() * (side === "B" ? 1 + effect : 1), rule.quads);
    });
    return rule.processes === 1 ? judgeQuads(each[0]!, rules) : judgeProcesses(each, rules);
  };
  let [sum, detected] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    const at = FIRST_SEED + cell * SEEDS_A_CELL + 2 * rule.processes * run;
    const { mde } = judged(at, 0);
    sum += mde;
    if (judged(at + rule.processes, mde).low > 1) detected += 1;
  }
  return { kind, rule: rule.name, mde: sum / runs, detected: detected / runs };
}
