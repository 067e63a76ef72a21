import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { certified, screened, session } from "./bed.ts";
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

  it("that the noise probe would eat up goes to trials: the probe is given up", async () => {
    const { result } = await session({
      tune: { budgetMs: 1_000 },
      prepare: (bench) => {
        bench.noiseMs = 5_000;
      },
    });
    expect(result.noise).toBeUndefined();
    expect(certified(result.trials)).toHaveLength(1);
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

/** Whole seconds of a budget of 30 s that a session may take: the budget and a tenth. */
const MOST_MS = 33_000;

describe("a budget of 30 s", () => {
  const impossible = { costMs: 1e6 };

  it.each([
    ["whose only problem is too big for it", sized(2)],
    ["all of whose problems are too big for it", sized(2, 4, 6)],
  ])("%s ends in time, and names what was given up", async (_, problems) => {
    const { result, sink, progress, tookMs } = await session({
      problems,
      answer: () => impossible,
      tune: { budgetMs: 30_000 },
    });
    expect(tookMs).toBeLessThanOrEqual(MOST_MS);
    expect(result.stopped).toBeUndefined();
    expect(sink.trials).toEqual([]);
    expect(result.problems[0]).toMatchObject({
      screened: 0,
      cut: [{ variant: "only/x=7,label=a,memory=0", reason: expect.stringMatching(/^no answer within/) }],
    });
    const told = progress.filter((event) => event.kind === "skipped");
    expect(told[0]).toMatchObject({
      reason: expect.stringContaining("only/x=7,label=a,memory=0: no answer"),
    });
    expect(sink.events.at(-1)).toMatchObject({ kind: "finished", trials: 0 });
  });

  it("leaves a problem that is possible its share beside one that is not", async () => {
    const { result, tookMs } = await session({
      problems: sized(2, 4),
      answer: ({ problem }) => (problem.n === 2 ? impossible : { costMs: 100 }),
      tune: { budgetMs: 30_000 },
    });
    expect(tookMs).toBeLessThanOrEqual(MOST_MS);
    expect(result.problems.map(({ certified }) => certified > 0)).toEqual([false, true]);
  });

  it("keeps the finals' time when a candidate never ends", async () => {
    const { result, tookMs } = await session({
      answer: ({ isDefault, config }) => (isDefault ? { costMs: 1_000 } : config.x === 3 ? impossible : {}),
      tune: { budgetMs: 30_000, strategy: "exhaustive" },
    });
    expect(tookMs).toBeLessThanOrEqual(MOST_MS);
    expect(result.problems[0]!.cut.map(({ variant }) => variant)).toEqual(["only/x=3,label=a,memory=0"]);
    expect(certified(result.trials).length).toBeGreaterThanOrEqual(2);
    expect(certified(result.trials).some(({ isDefault }) => isDefault)).toBe(true);
  });

  it.each(["noiseMs", "ceilingsMs"] as const)(
    "is not eaten by a probe that never ends (%s)",
    async (which) => {
      const { result, progress, tookMs } = await session({
        tune: { budgetMs: 30_000 },
        prepare: (bench) => {
          bench[which] = 1e6;
        },
      });
      expect(tookMs).toBeLessThanOrEqual(MOST_MS);
      expect(certified(result.trials).length).toBeGreaterThan(1);
      expect(progress.filter(({ kind }) => kind === "failed-calibration").length).toBeGreaterThan(0);
    },
  );

  it("is not eaten by compilers ahead, nor by a final that never ends", async () => {
    const compiling = await session({
      tune: { budgetMs: 30_000, ahead: 4 },
      prepare: (bench) => {
        bench.compileMs = 1e6;
      },
    });
    expect(compiling.tookMs).toBeLessThanOrEqual(MOST_MS);
    expect(certified(compiling.result.trials).length).toBeGreaterThan(0);
    const final = await session({
      answer: ({ grade }) => (grade === "certified" ? impossible : {}),
      tune: { budgetMs: 30_000 },
    });
    expect(final.tookMs).toBeLessThanOrEqual(MOST_MS);
    expect(final.result.problems[0]!.cut.length).toBeGreaterThan(0);
    expect(screened(final.result.trials).length).toBeGreaterThan(10);
  });

  it("is kept within a tenth whatever trials cost, from a hundredth of it to a hundred times", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomFrom(seed);
      const cost = () => 300 * 10 ** ((4 * random.float() - 2) ** (random.integer(2) + 1));
      const { tookMs } = await session({
        problems: seed % 2 ? sized(2) : sized(2, 4, 6),
        answer: ({ config }) => ({ costMs: cost(), ns: 1_000 + Number(config.x) }),
        tune: { budgetMs: 30_000, seed, ahead: 1 + random.integer(6) },
        prepare: (bench) => {
          bench.noiseMs = cost();
          bench.ceilingsMs = cost();
          bench.compileMs = cost();
        },
      });
      expect(tookMs).toBeLessThanOrEqual(MOST_MS);
    }
  });

  it("runs from the moment that its owner names: opening a device counts", async () => {
    const clock = new FakeClock();
    const { tookMs } = await session({
      clock,
      answer: () => ({ costMs: 500 }),
      tune: { budgetMs: 30_000, since: clock.now() - 20_000 },
    });
    expect(tookMs).toBeLessThanOrEqual(MOST_MS - 20_000);
    expect(tookMs).toBeGreaterThan(5_000);
  });

  it("so small that nothing fits into it is overrun by one trial, for ten seconds at most", async () => {
    const { result, tookMs } = await session({ answer: () => impossible, tune: { budgetMs: 1 } });
    expect(result.trials).toEqual([]);
    expect(tookMs).toBeLessThanOrEqual(10_001);
  });
});

describe("the ceilings", () => {
  it.each([
    [1_000, 10_000, true],
    [2_000, 10_000, false],
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
