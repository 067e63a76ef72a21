import {
  CONTRACT_VERSION,
  type MeasureRequest,
  PROTOCOL_VERSION,
  type RaceRequest,
  type SessionEvidence,
  type Suite,
  type TableEntry,
  type TrialOutcome,
} from "@tunelab/contract";
import type { RacedField } from "@tunelab/devices/protocol";
import { CERTIFYING, gateFault, RaceMachine, type Racer } from "@tunelab/harness";
import { type NoiseKind, type NoiseSource, noiseSource } from "@tunelab/harness/simulate";
import { fold } from "@tunelab/selection";
import { randomFrom } from "@tunelab/variants";
import { type TuneOptions, tune } from "../src/index.ts";
import { DEVICE, FakeBench, FakeClock, FakeSink } from "./fakes.ts";
import { sized, toySuite } from "./toy.ts";

/** Samples over which a drift of the device's stretches: about what a session takes. */
const LENGTH = 2_000;

const SCREENED = 3;

const REPEATS = 1_000;

/** True times of the variants in ns, by their x and memory. */
export type Truth = (config: MeasureRequest["config"]) => number;

/** A device whose every time is known but for its noise: measures, certifies and races by the rules of the harness. */
class SimulatedBench extends FakeBench {
  readonly #noise: NoiseSource;
  readonly #truth: Truth;
  readonly #uniform: () => number;

  constructor(clock: FakeClock, suite: Suite, truth: Truth, kind: NoiseKind, seed: number) {
    super(clock, suite);
    const random = randomFrom(seed);
    this.#uniform = () => random.float();
    this.#noise = noiseSource(kind, this.#uniform, LENGTH);
    this.#truth = truth;
    this.races = (request) => this.#race(request);
  }

  override async measure(request: MeasureRequest, limitMs?: number): Promise<TrialOutcome> {
    const outcome = await super.measure(request, limitMs);
    const samples: number[] = [];
    const take = (): number => samples.push(this.#sample(request.config) * REPEATS);
    while (samples.length < (request.grade === "screened" ? SCREENED : CERTIFYING.minimum)) take();
    const unmet = () => (request.grade === "screened" ? undefined : gateFault(samples));
    while (unmet() && samples.length < CERTIFYING.maximum) take();
    const timing = { ...outcome.timing!, samplesNs: samples.map(Math.round), repeats: REPEATS };
    return this.#verified({ ...outcome, timing, ...(unmet() ? { status: "noisy" as const } : {}) });
  }

  #sample(config: MeasureRequest["config"]): number {
    return this.#truth(config) * this.#noise();
  }

  #verified(outcome: TrialOutcome): TrialOutcome {
    const verdict = { matched: 1, total: 1, sampled: 1, maxError: 0, nearTies: 0 };
    return { ...outcome, verdict, resources: { workgroupBytes: 0, invocations: 64 } };
  }

  async #race({ entries }: RaceRequest): Promise<RacedField> {
    interface Runner extends Racer {
      readonly request: MeasureRequest;
    }
    const runners: Runner[] = entries.map(({ request, keep }, index) => ({ id: `${index}`, keep, request }));
    const machine = new RaceMachine<Runner>(runners, {
      shuffle: (list) => randomFrom(Math.floor(this.#uniform() * 2 ** 31)).shuffle(list),
      simpler: (a, b) => (a.id < b.id ? -1 : 1),
    });
    for (let next = machine.next(); next; next = machine.next())
      machine.take(this.#sample(next.entry.request.config));
    const race = machine.outcome();
    const hashes = new Map<Runner, string>();
    const outcomes: TrialOutcome[] = [];
    for (const runner of runners) {
      const outcome = await this.measure(runner.request);
      hashes.set(runner, outcome.planHash);
      const samples = race.standings.find(({ entry }) => entry === runner)!.samplesNs;
      const grade = samples.length >= CERTIFYING.minimum && !gateFault(samples) ? "certified" : "raced";
      const samplesNs = samples.map((ns) => Math.round(ns * REPEATS));
      outcomes.push({ ...outcome, status: "ok", grade, timing: { ...outcome.timing!, samplesNs } });
    }
    return {
      report: {
        outcomes,
        leaders: race.standings
          .filter(({ place }) => place === "winner" || place === "tie")
          .map(({ entry }) => hashes.get(entry)!),
        duels: race.meetings.map(({ champion, against, outcome }) => {
          const { verdict, ratio, low, high, count } = outcome;
          return {
            champion: hashes.get(champion)!,
            against: hashes.get(against)!,
            verdict,
            ratio,
            low,
            high,
            quads: count,
          };
        }),
        rounds: race.rounds,
      },
    };
  }
}

/** The one table entry that a session on such a device ends with. */
export async function entryOf(
  truth: Truth,
  kind: NoiseKind,
  seed: number,
  options: Partial<TuneOptions>,
): Promise<TableEntry> {
  const suite = toySuite();
  const clock = new FakeClock();
  const bench = new SimulatedBench(clock, suite, truth, kind, seed);
  const sink = new FakeSink();
  await tune(
    {
      workloads: [{ suite, problems: sized(2) }],
      strategy: "exhaustive",
      budgetMs: 1e6,
      seed,
      clock,
      ...options,
    },
    bench,
    sink,
  );
  const evidence: SessionEvidence = {
    header: {
      id: `S${seed}`,
      startedAt: "2026-11-30T05:00:00Z",
      protocol: PROTOCOL_VERSION,
      contract: CONTRACT_VERSION,
      ...{
        toolVersion: "1",
        commit: "",
        dirty: false,
        device: DEVICE,
        deviceSlug: "toy",
        profile: "portable",
      },
      toggles: [],
      host: { platform: "", runtime: "", cpu: "", cores: 1, loadAverage: 0 },
      command: { operations: ["toy"], workload: "quick", strategy: "exhaustive", budgetMs: 1e6, seed },
    },
    events: sink.events,
    trials: sink.trials,
  };
  const [table] = fold([evidence], { bounds: { toy: 1 } });
  return table!.entries[0]!;
}

/** Names of the rows that tie for the first place, the best first. */
export function firstBand({ rows }: TableEntry): readonly string[] {
  const end = rows.findIndex(({ tie }, index) => index > 0 && !tie);
  return rows.slice(0, end < 0 ? rows.length : end).map(({ variant }) => variant);
}
