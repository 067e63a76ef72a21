import { QuadMachine } from "../quad-run.ts";
import { REPORT_QUADS } from "../quads.ts";
import { NOISE_KINDS, type NoiseKind, noiseSource } from "./noise.ts";
import { samplesOf } from "./ours.ts";
import type { Seeded } from "./variates.ts";

/** Kept quads for which the minimum detectable effect is put to the test: either side of where its inflation changes. */
export const DETECTABLE_QUADS = [8, 16, 32] as const;

/** Whether the minimum detectable effect is one. */
export interface DetectableFigures {
  readonly kind: NoiseKind;
  readonly quads: number;
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
  quads: number,
  { runs, seed, seeded }: { readonly runs: number; readonly seed: number; readonly seeded: Seeded },
): DetectableFigures {
  const cell = (seed * NOISE_KINDS.length + NOISE_KINDS.indexOf(kind)) * DETECTABLE_QUADS.at(-1)! + quads;
  const judged = (at: number, effect: number) => {
    const noise = noiseSource(kind, seeded(at), samplesOf(quads));
    const machine = new QuadMachine({ ...REPORT_QUADS, looks: [quads], gate: 0 });
    for (let next = machine.next(); next; next = machine.next()) {
      machine.take(noise() * (next.side === "B" ? 1 + effect : 1));
    }
    return machine.outcome();
  };
  let [sum, detected] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    const at = FIRST_SEED + cell * SEEDS_A_CELL + 2 * run;
    const { mde } = judged(at, 0);
    sum += mde;
    if (judged(at + 1, mde).low > 1) detected += 1;
  }
  return { kind, quads, mde: sum / runs, detected: detected / runs };
}
