import { fakeClock } from "../fake.ts";
import { swappedAt } from "../placements.ts";
import type { QuadSide } from "../quads.ts";
import { CRITERION } from "./criterion.ts";
import { COARSE_TICK_NS, repeatsFor, simulatedDevice } from "./device.ts";
import { NOISE_KINDS, type NoiseKind, noiseSource, PROCESS_OFFSET } from "./noise.ts";
import { NVBENCH_LEGACY, NVBENCH_ROBUST } from "./nvbench.ts";
import type { Opponent, Said, Sample } from "./opponent.ts";
import { MINIMUM, QUADS_BUILD, QUADS_PLACED, QUADS_PROCESSES, QUADS_REPORT, QUADS_UNGATED } from "./ours.ts";
import { BENCHSTAT, GOOGLE_BENCHMARK } from "./rank-sum.ts";
import { gaussian, type Seeded } from "./variates.ts";

/** Every rule that is compared, ours first. */
export const OPPONENTS: readonly Opponent[] = [
  QUADS_REPORT,
  QUADS_UNGATED,
  QUADS_BUILD,
  QUADS_PLACED,
  QUADS_PROCESSES,
  NVBENCH_LEGACY,
  NVBENCH_ROBUST,
  CRITERION,
  BENCHSTAT,
  GOOGLE_BENCHMARK,
  MINIMUM,
];

/** What a comparison is put through: a kind of noise, or the base with a coarse tick, or with an offset of the process or the placement. */
export type Scenario = NoiseKind | "tick" | "process" | "placement";
export const SCENARIOS: readonly Scenario[] = [...NOISE_KINDS, "tick", "process", "placement"];

/**
 * What each placement of code and buffers is worth: to either side by chance (as a fraction, sd), and to whichever is placed second.
 * On an H200 one plan differed from itself by 2.2% and by 4 to 7%, the same kernels in either of two runs.
 */
export const PLACEMENT_OFFSET = { spread: 0.03, second: 0.02 } as const;

/** True slowdowns of B. */
export const EFFECTS = [0, 0.01, 0.02] as const;

/** Length of A in ns: fine clocks need one repeat, a coarse one 14. */
const KERNEL_NS = 1e6;

/** Wall time around a sample in ms, uniform: a few ticks of a coarse clock, so that samples begin at any phase. */
const OVERHEAD_MS = [0.05, 0.25] as const;

/** Shares of runs, and means over them. Absent where the rule says nothing of the kind. */
export interface ComparisonFigures {
  readonly opponent: string;
  readonly scenario: Scenario;
  /** `changed` where nothing changed. */
  readonly falseChanged: number;
  /** `changed` in the right direction at a true 1% and 2%. */
  readonly power1: number;
  readonly power2: number;
  /** `same` at a true 2%, and where it is true. */
  readonly falseSame: number;
  readonly trueSame: number;
  /** Shares of the runs at all three effects whose interval holds the truth. */
  readonly coverage?: number;
  /** Mean samples of a run without a change, and with one of 2%. */
  readonly samples: number;
  readonly samplesChanged: number;
}

/** A simulated machine on which processes are started. */
function machineOf(
  scenario: Scenario,
  effect: number,
  length: number,
  seeded: Seeded,
  seed: number,
): () => Sample {
  const uniform = seeded(seed);
  const offset = gaussian(seeded(seed + 1));
  const clock = fakeClock();
  const tickNs = scenario === "tick" ? COARSE_TICK_NS : 1;
  const phase = seeded(seed + 2);
  const device = simulatedDevice({
    clock,
    noise: noiseSource(kindOf(scenario), uniform, length),
    tickNs,
    overheadMs: () => OVERHEAD_MS[0] + (OVERHEAD_MS[1] - OVERHEAD_MS[0]) * phase(),
  });
  const { spread, second } = OFFSETS[scenario as keyof typeof OFFSETS] ?? NO_OFFSET;
  let placement = 0;
  return () => {
    const later = swappedAt(placement++) ? "A" : "B";
    const factor = (side: QuadSide): number => (1 + spread * offset()) * (later === side ? 1 + second : 1);
    const ns = { A: KERNEL_NS * factor("A"), B: KERNEL_NS * (1 + effect) * factor("B") };
    const repeats = { A: repeatsFor(ns.A, tickNs), B: repeatsFor(ns.B, tickNs) };
    return (side) => {
      const { begin, end } = device.run(ns[side], repeats[side]);
      return (end - begin) / repeats[side];
    };
  };
}

const NO_OFFSET = { spread: 0, second: 0 } as const;
const OFFSETS = { process: { spread: PROCESS_OFFSET, second: 0 }, placement: PLACEMENT_OFFSET } as const;

const kindOf = (scenario: Scenario): NoiseKind =>
  scenario === "tick" || scenario === "process" || scenario === "placement" ? "ar" : scenario;

/** Seeds that one run uses up, and room for the runs of one scenario. */
const SEEDS_A_RUN = 4;
const SEEDS_A_SCENARIO = 1_000_000;

/** Figures of one rule in one scenario over `runs` runs an effect; the same noise meets every effect. */
export function comparisonFigures(
  opponent: Opponent,
  scenario: Scenario,
  { runs, seed, seeded }: { readonly runs: number; readonly seed: number; readonly seeded: Seeded },
): ComparisonFigures {
  const first = (seed * SCENARIOS.length + SCENARIOS.indexOf(scenario)) * SEEDS_A_SCENARIO;
  const heard = EFFECTS.map((effect) =>
    Array.from({ length: runs }, (_, run) => {
      const at = first + run * SEEDS_A_RUN;
      const open = machineOf(scenario, effect, opponent.samples, seeded, at);
      return opponent.compare(open, seeded(at + 3));
    }),
  ) as [Said[], Said[], Said[]];
  const [none, one, two] = heard;
  const share = (said: readonly Said[], holds: (one: Said) => boolean): number =>
    said.filter(holds).length / said.length;
  const mean = (said: readonly Said[]): number =>
    said.reduce((sum, { samples }) => sum + samples, 0) / said.length;
  const slower = ({ verdict, ratio }: Said): boolean => verdict === "changed" && ratio > 1;
  const same = ({ verdict }: Said): boolean => verdict === "same";
  const covered = EFFECTS.map((effect, index) =>
    share(heard[index]!, ({ low, high }) => low! <= 1 + effect && 1 + effect <= high!),
  );
  const hasInterval = heard.every((said) => said.every(({ low }) => low !== undefined));
  return {
    opponent: opponent.name,
    scenario,
    falseChanged: share(none, ({ verdict }) => verdict === "changed"),
    power1: share(one, slower),
    power2: share(two, slower),
    falseSame: share(two, same),
    trueSame: share(none, same),
    ...(hasInterval ? { coverage: covered.reduce((sum, value) => sum + value, 0) / covered.length } : {}),
    samples: mean(none),
    samplesChanged: mean(two),
  };
}
