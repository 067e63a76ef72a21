import type { Metric, Trial } from "@tunelab/contract";
import { expect, it } from "vitest";
import { objectiveNamed, TIME } from "../src/index.ts";
import { certified, screened, session } from "./bed.ts";
import { toySuite } from "./toy.ts";

const metric = (better: Metric["better"], of: Metric["of"], name = "worth"): Metric => ({
  ...{ name, of, better },
  unit: "u",
  doc: "",
});

/** x = 19 is the slowest, and worth most. */
const byX = ({ config }: { config: { x?: unknown } }) => ({ ns: 1_000 + Number(config.x) });
const worthX: Metric["of"] = ({ config }) => 1 + Number(config.x);

const tuned = (metrics: readonly Metric[], objective?: string) =>
  session({
    suite: { ...toySuite(), metrics },
    answer: byX,
    tune: { budgetMs: 100_000, ...(objective === undefined ? {} : { objective }) },
  });

const finalists = (trials: readonly Trial[]): readonly number[] =>
  [
    ...new Set(
      certified(trials)
        .filter(({ isDefault }) => !isDefault)
        .map(({ config }) => Number(config.x)),
    ),
  ].sort((a, b) => a - b);

it("every verified and timed trial carries the suite's metrics, also when the search is for the time", async () => {
  const { result, sink } = await tuned([metric("higher", worthX)]);
  expect(result.trials.length).toBeGreaterThan(40);
  for (const { config, metrics } of sink.trials) expect(metrics).toEqual({ worth: 1 + Number(config.x) });
  expect(finalists(result.trials)).toEqual([0, 1, 2]);
});

it.each([
  ["higher", [17, 18, 19]],
  ["lower", [0, 1, 2]],
] as const)("a search for a metric of which %s is better certifies the best by it", async (better, best) => {
  const { result } = await tuned([metric(better, worthX)], "worth");
  expect(finalists(result.trials)).toEqual(best);
});

it("the strategy learns from the metric: a model finds the most worth among the slowest", async () => {
  const { result } = await session({
    suite: { ...toySuite(), metrics: [metric("higher", worthX)] },
    answer: byX,
    tune: { budgetMs: 1e9, trials: 26, strategy: "model", objective: "worth" },
  });
  expect(Math.max(...screened(result.trials).map(({ config }) => Number(config.x)))).toBe(19);
  expect(finalists(result.trials)).toContain(19);
});

it("finalists do not race for a metric: races decide who is faster", async () => {
  const prepare = (bench: { races: () => Promise<never> }) => {
    bench.races = async () => {
      throw new Error("a race");
    };
  };
  const suite = { ...toySuite(), metrics: [metric("higher", worthX)] };
  const tune = { budgetMs: 100_000, objective: "worth" };
  const { result } = await session({ suite, answer: byX, tune, prepare: prepare as never });
  expect(result.stopped).toBeUndefined();
});

it("a trial whose metric says nothing, or is not positive, is not ranked by it, and stays a good trial", async () => {
  const some = metric("higher", ({ config }) => (Number(config.x) > 9 ? undefined : Number(config.x) - 4));
  const { result } = await tuned([some], "worth");
  expect(finalists(result.trials)).toEqual([7, 8, 9]);
  expect(result.problems[0]!.failures).toEqual([]);
});

it("a metric that throws is told once, and costs no trial", async () => {
  const broken = metric("higher", () => {
    throw new Error("no meter");
  });
  const { result, progress, sink } = await tuned([broken]);
  const told = progress.flatMap((event) => (event.kind === "skipped" ? event.reason : []));
  expect(told.filter((reason) => reason.includes("metric"))).toEqual(["the metric worth throws: no meter"]);
  expect(sink.trials[0]!.metrics).toEqual({});
  expect(certified(result.trials).length).toBeGreaterThan(3);
});

it("an objective that an operation does not have is refused before anything is measured", async () => {
  await expect(tuned([metric("higher", worthX)], "joules")).rejects.toThrow(
    'toy has no metric "joules": there is time, worth',
  );
  expect(objectiveNamed("time", toySuite())).toBe(TIME);
});
