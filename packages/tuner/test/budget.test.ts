import { describe, expect, it } from "vitest";
import { certified, session } from "./bed.ts";
import { FakeClock } from "./fakes.ts";
import { algorithmNamed, sized, toySuite } from "./toy.ts";

describe("a budget", () => {
  // Cost of a screened trial in ms; certifying takes four times as long.
  it.each([20, 100, 250, 700, 1_500])("is kept within 10% when a trial takes %i ms", async (costMs) => {
    for (const problems of [sized(2), sized(2, 4, 6)]) {
      const { result, tookMs } = await session({
        problems,
        answer: ({ config }) => ({ costMs, ns: 1_000 + Number(config.x) }),
        tune: { budgetMs: 30_000 },
      });
      expect(tookMs).toBeLessThanOrEqual(33_000);
      expect(certified(result.trials).length).toBeGreaterThanOrEqual(2);
      // Either the time was used or there was nothing left to do with it.
      const all = result.problems.every(({ complete }) => complete);
      if (!all) expect(tookMs).toBeGreaterThan(20_000);
    }
  });

  it("is kept within 10% when costs differ from trial to trial", async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { tookMs } = await session({
        problems: sized(2, 4),
        answer: ({ config }) => ({ costMs: 50 + 40 * Number(config.x), ns: 1_000 + Number(config.x) }),
        tune: { budgetMs: 30_000, seed },
      });
      expect(tookMs).toBeLessThanOrEqual(33_000);
      expect(tookMs).toBeGreaterThan(20_000);
    }
  });

  it("too small for one trial still measures the default of the first problem, and names those unreached", async () => {
    const { result, sink, progress } = await session({ problems: sized(6, 2, 4), tune: { budgetMs: 1 } });
    expect(result.trials).toHaveLength(1);
    expect(result.trials[0]).toMatchObject({ isDefault: true, problem: { n: 2 }, status: "ok" });
    expect(result.unreached).toEqual([
      { operation: "toy", problem: { n: 4 } },
      { operation: "toy", problem: { n: 6 } },
    ]);
    expect(progress.filter(({ kind }) => kind === "unreached")).toHaveLength(2);
    expect(sink.events.at(-1)).toMatchObject({ kind: "finished" });
  });

  it("that the noise probe has eaten up still gives one number", async () => {
    const { result } = await session({
      tune: { budgetMs: 1_000 },
      prepare: (bench) => {
        bench.noiseMs = 5_000;
      },
    });
    expect(result.trials).toHaveLength(1);
  });

  it("that loading the kernels has eaten up still gives one number", async () => {
    const clock = new FakeClock();
    const { space } = algorithmNamed("only");
    const slow = algorithmNamed("only", {
      space: (problem) => {
        clock.ms += 5_000;
        return space(problem);
      },
    });
    const { result } = await session({
      clock,
      suite: toySuite({ algorithms: [slow] }),
      tune: { budgetMs: 1_000 },
    });
    expect(result.trials).toHaveLength(1);
  });

  it("does not begin a problem whose first trial would overrun it", async () => {
    const { result, tookMs } = await session({
      problems: sized(2, 4),
      answer: () => ({ costMs: 600 }),
      tune: { budgetMs: 1_000 },
    });
    expect(result.trials).toHaveLength(1);
    expect(result.unreached).toEqual([{ operation: "toy", problem: { n: 4 } }]);
    expect(tookMs).toBeLessThanOrEqual(1_100);
  });

  it("certifies the best and the default before other finalists when time is short", async () => {
    const { result } = await session({
      answer: ({ config }) => ({ costMs: 400, ns: 1_000 + Number(config.x) }),
      tune: { budgetMs: 8_000 },
    });
    const finals = certified(result.trials);
    const fastest = Math.min(...result.trials.map(({ config }) => Number(config.x)));
    expect(finals.slice(0, 2).map(({ config }) => config.x)).toEqual([fastest, 7]);
  });

  it("is shared evenly: what one problem leaves over goes to the others", async () => {
    const { progress } = await session({
      problems: sized(2, 4, 6),
      answer: () => ({ costMs: 10 }),
      tune: { budgetMs: 30_020 },
    });
    const shares = progress.flatMap((event) => (event.kind === "problem" ? [event.shareMs] : []));
    expect(shares[0]).toBeCloseTo(10_000);
    expect(shares[1]).toBeGreaterThan(10_000);
    expect(shares[2]).toBeGreaterThan(shares[1]!);
  });
});

describe("the ceilings", () => {
  it.each([
    [1_000, 10_000, true],
    [3_000, 10_000, false],
  ])(
    "after a noise probe of %i ms in a budget of %i ms are measured: %s",
    async (noiseMs, budgetMs, done) => {
      const { result, progress } = await session({
        tune: { budgetMs },
        prepare: (bench) => {
          bench.noiseMs = noiseMs;
        },
      });
      expect(Object.keys(result.ceilings).length > 0).toBe(done);
      const told = progress.filter(({ kind }) => kind === "failed-calibration");
      expect(told).toHaveLength(done ? 0 : 1);
    },
  );
});
