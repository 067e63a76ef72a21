import { mean, quantile } from "simple-statistics";
import { fakeClock } from "../fake.ts";
import { RaceMachine, type RaceOutcome } from "../race.ts";
import { type Racer, type Shuffle, shuffleBy } from "../race-rounds.ts";
import { simulatedDevice } from "./device.ts";
import { NOISE_KINDS, type NoiseKind, noiseSource } from "./noise.ts";
import { gamma, gaussian, type Seeded, type Uniform } from "./variates.ts";

/**
 * How far each of 64 variants is behind the fastest: Gamma of shape 1.2 and this scale, as a fraction. `wide`: 30% on average,
 * as a space of configurations is. `crowd`: 0.3% on average, where nearly all are ties.
 */
export const FIELDS = { wide: 0.25, crowd: 0.0025 } as const;
export type Field = keyof typeof FIELDS;

const VARIANTS = 64;
const SHAPE = 1.2;

/** Samples a variant of the schemes that races are compared with. */
const EACH = 20;

/** Samples of those schemes: the length of the run over which drifts and ramps stretch, and what a race's are counted against. */
export const FULL_SAMPLES: number = VARIANTS * EACH;

interface Variant extends Racer {
  readonly ns: number;
  /** True time over the fastest's, less 1. */
  readonly gap: number;
}

/** What a way of choosing among 64 variants achieves. */
export interface SelectionFigures {
  readonly scheme: string;
  readonly field: Field;
  readonly kind: NoiseKind;
  /** True time of the chosen over the fastest's, less 1: mean and 95th percentile. */
  readonly regret: number;
  readonly regret95: number;
  /** Shares of pairs of runs on one field that choose differently, and that do so without calling the other's choice a tie. */
  readonly flips: number;
  readonly undeclared?: number;
  /** Mean samples as a share of 20 a variant. */
  readonly samples: number;
}

/** A field in random order: ids say nothing of speed. The incumbent and the default are two of the variants. */
function fieldOf(kind: Field, uniform: Uniform, shuffle: Shuffle): readonly Variant[] {
  const normal = gaussian(uniform);
  const gaps = Array.from({ length: VARIANTS }, (_, index) =>
    index === 0 ? 0 : FIELDS[kind] * gamma(uniform, normal, SHAPE),
  );
  return shuffle(gaps).map((gap, index) => ({
    id: `v${String(index).padStart(2, "0")}`,
    gap,
    ns: 1e6 * (1 + gap),
    keep: index < 2,
  }));
}

interface Choice {
  readonly chosen: Variant;
  readonly samples: number;
  /** Ids that are declared as good as the chosen. */
  readonly ties?: ReadonlySet<string>;
}

type Time = (variant: Variant) => number;

export interface Scheme {
  readonly name: string;
  readonly declares: boolean;
  choose(field: readonly Variant[], time: Time, shuffle: Shuffle): Choice;
}

export const RACE_SCHEME: Scheme = {
  name: "race",
  declares: true,
  choose: (field, time, shuffle) => {
    const simpler = (a: Variant, b: Variant): number => (a.id < b.id ? -1 : 1);
    const machine = new RaceMachine(field, { shuffle, simpler });
    for (let next = machine.next(); next; next = machine.next()) machine.take(time(next.entry));
    const outcome: RaceOutcome<Variant> = machine.outcome();
    const ties = outcome.standings.filter(({ place }) => place === "tie").map(({ entry }) => entry.id);
    return { chosen: outcome.winner!, samples: outcome.samples, ties: new Set(ties) };
  },
};

function fastest(field: readonly Variant[], minimum: ReadonlyMap<Variant, number>): Choice {
  const chosen = field.reduce((best, one) => (minimum.get(one)! < minimum.get(best)! ? one : best));
  return { chosen, samples: FULL_SAMPLES };
}

const ONE_AFTER_ANOTHER: Scheme = {
  name: "min of 20, one after another",
  declares: false,
  choose: (field, time) =>
    fastest(
      field,
      new Map(field.map((one) => [one, Math.min(...Array.from({ length: EACH }, () => time(one)))])),
    ),
};

const ROUND_ROBIN: Scheme = {
  name: "min of 20, round-robin",
  declares: false,
  choose: (field, time) => {
    const minimum = new Map<Variant, number>();
    for (let round = 0; round < EACH; round += 1) {
      for (const one of field)
        minimum.set(one, Math.min(minimum.get(one) ?? Number.POSITIVE_INFINITY, time(one)));
    }
    return fastest(field, minimum);
  },
};

export const SCHEMES: readonly Scheme[] = [RACE_SCHEME, ROUND_ROBIN, ONE_AFTER_ANOTHER];

/** Apart from the seeds of comparisons. */
const FIRST_SEED = 1_000_000_000;
const SEEDS_A_KIND = 1_000_000;
const SEEDS_A_RUN = 8;

/** Figures of a scheme under one kind of noise: `runs` fields, each met twice with fresh noise. */
export function selectionFigures(
  scheme: Scheme,
  fieldKind: Field,
  kind: NoiseKind,
  { runs, seed, seeded }: { readonly runs: number; readonly seed: number; readonly seeded: Seeded },
): SelectionFigures {
  const first = FIRST_SEED + (seed * NOISE_KINDS.length + NOISE_KINDS.indexOf(kind)) * SEEDS_A_KIND;
  const pairs = Array.from({ length: runs }, (_, run) => {
    const at = first + run * SEEDS_A_RUN;
    const fieldSource = seeded(at);
    const field = fieldOf(fieldKind, fieldSource, shuffleBy(fieldSource));
    const meet = (again: number): Choice => {
      const clock = fakeClock();
      const noise = noiseSource(kind, seeded(at + 1 + again), FULL_SAMPLES);
      const device = simulatedDevice({ clock, noise });
      const time: Time = ({ ns }) => {
        const { begin, end } = device.run(ns, 1);
        return end - begin;
      };
      return scheme.choose(field, time, shuffleBy(seeded(at + 3 + again)));
    };
    return [meet(0), meet(1)] as const;
  });
  const choices = pairs.flat();
  const regrets = choices.map(({ chosen }) => chosen.gap);
  const flipped = pairs.filter(([one, other]) => one.chosen !== other.chosen);
  const undeclared = flipped.filter(
    ([one, other]) => !one.ties?.has(other.chosen.id) || !other.ties?.has(one.chosen.id),
  );
  return {
    scheme: scheme.name,
    field: fieldKind,
    kind,
    regret: mean(regrets),
    regret95: quantile(regrets, 0.95),
    flips: flipped.length / runs,
    ...(scheme.declares ? { undeclared: undeclared.length / runs } : {}),
    samples: mean(choices.map(({ samples }) => samples)) / FULL_SAMPLES,
  };
}
