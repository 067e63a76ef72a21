import type { MeasureRequest, RaceReport, RaceRequest, TrialOutcome } from "@tunelab/contract";
import { DEFAULT_CAPABILITIES, planHash } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { fieldWithin } from "../src/race.ts";
import { certified, session } from "./bed.ts";
import type { FakeBench } from "./fakes.ts";
import { algorithmNamed, toySuite } from "./toy.ts";

const byX = ({ config }: { config: { x?: unknown } }) => ({ ns: 1_000 + Number(config.x) });
const raced = <T extends { grade: string }>(trials: readonly T[]) =>
  trials.filter(({ grade }) => grade === "raced");

const hashOf = ({ problem, config }: MeasureRequest): Promise<string> =>
  planHash(algorithmNamed("only").plan(problem, config, DEFAULT_CAPABILITIES));

/** A race that takes a second and is won by the variant with x = 2; `certify` gives its samples that grade. */
const wonByTwo =
  (bench: FakeBench, grade: "raced" | "certified" = "raced") =>
  async ({ entries }: RaceRequest): Promise<{ report: RaceReport }> => {
    const outcomes: TrialOutcome[] = [];
    for (const { request } of entries) outcomes.push({ ...(await bench.measure(request)), grade });
    const hashes = await Promise.all(entries.map(({ request }) => hashOf(request)));
    const winner = entries.findIndex(({ request }) => request.config.x === 2 && request.config.memory === 0);
    const other = entries.findIndex(({ request }) => request.config.x === 1 && request.config.memory === 0);
    const leaders = [hashes[winner]!, hashes[other]!];
    const duel = { champion: leaders[0]!, against: leaders[1]!, verdict: "unresolved" as const };
    return {
      report: {
        outcomes,
        leaders,
        duels: [{ ...duel, ratio: 1.001, low: 0.999, high: 1.003, quads: 16 }],
        rounds: 24,
      },
    };
  };

describe("finalists", () => {
  it("race before they are certified, default and incumbents among them to the end", async () => {
    const asked: RaceRequest[] = [];
    const { result, sink, bench } = await session({
      answer: byX,
      tune: {
        budgetMs: 100_000,
        strategy: "exhaustive",
        known: () => ({
          incumbents: [{ algorithm: "only", config: { x: 19, label: "a", memory: 0 } }],
          panel: [],
        }),
      },
      prepare: (bench) => {
        bench.races = async (request) => {
          asked.push(request);
          return wonByTwo(bench)(request);
        };
      },
    });
    const kept = asked[0]!.entries
      .filter(({ keep }) => keep)
      .map(({ request }) => [request.config.x, request.isDefault]);
    expect(kept).toEqual([
      [7, true],
      [19, false],
    ]);
    expect(asked[0]!.entries.length).toBe(14);
    expect(
      asked[0]!.entries.every(({ request }) => request.grade === "raced" && request.seeds.length === 3),
    ).toBe(true);
    expect(raced(result.trials)).toHaveLength(14);
    expect(sink.events.find(({ kind }) => kind === "race")).toMatchObject({
      entries: 14,
      rounds: 24,
      problem: { n: 2 },
    });
    // The race's winner is certified first; the default and the incumbent are certified too.
    const finals = bench.requests.filter(({ grade }) => grade === "certified").map(({ config }) => config.x);
    expect(finals[0]).toBe(2);
    expect(finals).toEqual(expect.arrayContaining([1, 7, 19]));
  });

  it("whose race samples pass the gate are not measured again", async () => {
    const { result, bench } = await session({
      answer: byX,
      tune: { budgetMs: 100_000, strategy: "exhaustive" },
      prepare: (bench) => {
        bench.races = wonByTwo(bench, "certified");
      },
    });
    expect(certified(result.trials).length).toBeGreaterThan(6);
    expect(bench.requests.filter(({ grade }) => grade === "certified")).toEqual([]);
  });

  it("are certified all the same when the host fails over one of them, which is recorded", async () => {
    const { result, sink } = await session({
      answer: byX,
      tune: { budgetMs: 100_000, strategy: "exhaustive" },
      prepare: (bench) => {
        let first = true;
        bench.races = async ({ entries }) => {
          if (!first) return { reason: "again" };
          first = false;
          const { operation, algorithm, problem, config, isDefault } = entries[1]!.request;
          const about = {
            operation,
            algorithm,
            problem,
            config,
            isDefault,
            grade: "raced",
            seeds: [],
          } as const;
          const unknown = { variant: "", planHash: "", epoch: 0, work: { flops: 0, bytes: 0, items: 0 } };
          const outcome = { ...about, ...unknown, status: "crashed", reason: "SIGSEGV" } as const;
          return { reason: "the host was ended by SIGSEGV", guilty: { index: 1, outcome } };
        };
      },
    });
    expect(sink.trials.filter(({ status }) => status === "crashed")).toMatchObject([
      { grade: "raced", epoch: 1 },
    ]);
    expect(certified(result.trials).length).toBeGreaterThanOrEqual(6);
    expect(result.stopped).toBeUndefined();
  });

  it("do not race where a budget in trials has none to spare", async () => {
    let races = 0;
    await session({
      answer: byX,
      tune: { budgetMs: 1e7, trials: 30 },
      prepare: (bench) => {
        bench.races = async () => {
          races++;
          return { reason: "" };
        };
      },
    });
    expect(races).toBe(0);
  });
});

it("the panel is screened right after the defaults and seeds the search", async () => {
  const panel = [{ algorithm: "only", config: { x: 13, label: "a", memory: 0 } }];
  const { result } = await session({ answer: byX, tune: { known: () => ({ incumbents: [], panel }) } });
  expect(result.trials.slice(0, 2).map(({ config }) => config.x)).toEqual([7, 13]);
  const gone = [{ algorithm: "gone", config: {} }];
  const after = await session({ answer: byX, tune: { known: () => ({ incumbents: gone, panel: gone }) } });
  expect(after.result.stopped).toBeUndefined();
});

it("an incumbent older than a parameter is searched around with the value that its absence means", async () => {
  const { space } = algorithmNamed("only");
  const younger = algorithmNamed("only", {
    space: (problem) => {
      const { parameters, constraints } = space(problem);
      return {
        parameters: parameters.map((one) => (one.name === "memory" ? { ...one, absent: 0 } : one)),
        constraints,
      };
    },
  });
  const incumbents = [{ algorithm: "only", config: { x: 0, label: "a" } }];
  const { result, progress } = await session({
    answer: byX,
    suite: toySuite({ algorithms: [younger] }),
    tune: { strategy: "model", known: () => ({ incumbents, panel: [] }) },
  });
  expect(result.trials[1]!.config).toEqual({ x: 0, label: "a", memory: 0 });
  const reasons = progress.flatMap((event) => (event.kind === "skipped" ? [event.reason] : []));
  expect(reasons.filter((reason) => reason.includes("invalid"))).toEqual([]);
});

it("a field is as large as there is time for, those that are kept first, and never of one", () => {
  const contender = (name: string, costMs: number, keep = false) => ({
    ...{ algorithm: "only", config: {}, variant: name, hash: name, isDefault: false, keep, costMs },
  });
  const three = [contender("a", 100), contender("b", 100), contender("default", 100, true)];
  expect(fieldWithin(three, 10_000).map(({ hash }) => hash)).toEqual(["default", "a", "b"]);
  expect(fieldWithin(three, 1_300).map(({ hash }) => hash)).toEqual(["default", "a"]);
  expect(fieldWithin(three, 700)).toEqual([]);
});
