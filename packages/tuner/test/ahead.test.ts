import { describe, expect, it } from "vitest";
import { certified, screened, session } from "./bed.ts";
import { sized } from "./toy.ts";

const byX = ({ config }: { config: { x?: unknown } }) => ({ ns: 1_000 + Number(config.x) });

describe("compiling ahead", () => {
  it("compiles a batch side by side, then measures each of it once", async () => {
    const { result, bench } = await session({
      answer: byX,
      tune: { budgetMs: 100_000, ahead: 8, strategy: "exhaustive" },
    });
    expect(bench.batches.map(({ length }) => length)).toEqual([8, 8, 8, 8, 7]); // 39 of 40: the default came first
    const compiled = bench.batches.flat().map(({ config }) => `${config.x} ${config.memory}`);
    expect(new Set(compiled).size).toBe(39);
    expect(screened(result.trials)).toHaveLength(40);
    expect(result.problems[0]).toMatchObject({ screened: 40, complete: true });
  });

  it("never has more compiled than will probably be timed, and wastes none that it proposed", async () => {
    const { result, bench, tookMs } = await session({
      answer: (request) => ({ ...byX(request), costMs: 400 }),
      tune: { budgetMs: 15_000, ahead: 16 },
      prepare: (bench) => {
        bench.compileMs = 200;
      },
    });
    const compiled = bench.batches.flat().map(({ config }) => `${config.x} ${config.memory}`);
    const measured = screened(result.trials).map(({ config }) => `${config.x} ${config.memory}`);
    expect(compiled.length).toBeGreaterThan(2);
    expect(compiled.length - compiled.filter((one) => measured.includes(one)).length).toBeLessThanOrEqual(2);
    expect(tookMs).toBeLessThanOrEqual(16_500);
    expect(certified(result.trials).length).toBeGreaterThanOrEqual(2);
  });

  it("records the variant over which a compiler hung, by its name, and measures all the others", async () => {
    const { result, sink } = await session({
      answer: byX,
      tune: { budgetMs: 100_000, ahead: 8, strategy: "exhaustive" },
      prepare: (bench) => {
        bench.hangs = ({ config }) => config.x === 3 && config.memory === 0;
      },
    });
    const guilty = sink.trials.filter(({ status }) => status === "compile-timeout");
    expect(guilty).toMatchObject([
      {
        variant: "only/x=3,label=a,memory=0",
        planHash: expect.stringMatching(/^[0-9a-f]{16}$/),
        epoch: 1,
        work: { flops: 2, bytes: 2, items: 1 },
        reason: "it hangs",
      },
    ]);
    expect(result.problems[0]).toMatchObject({
      screened: 40,
      failures: [{ variant: "only/x=3,label=a,memory=0", status: "compile-timeout", reason: "it hangs" }],
    });
    expect(screened(result.trials)).toHaveLength(40);
    expect(new Set(sink.trials.map(({ id }) => id)).size).toBe(sink.trials.length);
  });

  it("accounts for the time as compiling, and counts it to what a variant costs", async () => {
    const { result, bench } = await session({
      answer: byX,
      tune: { budgetMs: 20_000, ahead: 4 },
      prepare: (bench) => {
        bench.compileMs = 1_000;
      },
    });
    const measuring = result.trials.length;
    expect(result.spentMs.compile).toBeGreaterThanOrEqual(1_000 * bench.batches.length);
    expect(bench.batches.length).toBeGreaterThan(2);
    expect(measuring).toBeGreaterThan(10);
  });

  it("compiles nothing that an earlier session measured", async () => {
    const whole = await session({ answer: byX, tune: { budgetMs: 1e6 } });
    const again = await session({
      answer: byX,
      tune: { budgetMs: 1e6, ahead: 8, earlier: whole.result.trials },
    });
    expect(again.bench.batches).toEqual([]);
    expect(again.result.trials).toEqual([]);
  });

  it("leaves each to its own measurement unless it is asked for", async () => {
    expect((await session({ answer: byX })).bench.batches).toEqual([]);
  });
});

describe("a budget in trials", () => {
  it.each([1, 2, 5, 20, 45])("of %i is kept, finals included", async (trials) => {
    for (const ahead of [1, 8]) {
      const { result } = await session({ answer: byX, tune: { budgetMs: 1e7, trials, ahead } });
      expect(result.trials.length).toBeLessThanOrEqual(trials);
      expect(result.trials.length).toBeGreaterThanOrEqual(Math.floor(trials * 0.9));
      if (trials > 1) expect(certified(result.trials).length).toBeGreaterThan(0);
      if (trials >= 20) expect(certified(result.trials).length).toBeGreaterThanOrEqual(6);
    }
  });

  it("is shared out over the problems, and names those it does not reach", async () => {
    const { result } = await session({
      answer: byX,
      problems: sized(2, 4, 6),
      tune: { budgetMs: 1e7, trials: 30 },
    });
    const counts = [2, 4, 6].map((n) => result.trials.filter(({ problem }) => problem.n === n).length);
    expect(counts).toEqual([10, 10, 10]);
    const short = await session({
      answer: byX,
      problems: sized(2, 4, 6),
      tune: { budgetMs: 1e7, trials: 1 },
    });
    expect(short.result.unreached.map(({ problem }) => problem.n)).toEqual([4, 6]);
  });

  it("needs no end in time, and estimates by what trials cost", async () => {
    const { progress, tookMs, result } = await session({
      answer: byX,
      problems: sized(2, 4),
      tune: { budgetMs: Number.POSITIVE_INFINITY, trials: 40 },
    });
    expect(result.trials).toHaveLength(40);
    const estimates = progress.flatMap((event) => (event.kind === "trial" ? [event.estimate] : []));
    const halfway = estimates[20]!;
    expect(halfway.elapsedMs + halfway.remainingMs).toBeGreaterThan(0.75 * tookMs);
    expect(halfway.elapsedMs + halfway.remainingMs).toBeLessThan(1.25 * tookMs);
  });
});

describe("a certifying run", () => {
  it("is told how long it may go on: at most half of the time that is left", async () => {
    const { bench } = await session({ answer: byX, tune: { budgetMs: 3_000 } });
    const finals = bench.requests.filter(({ grade }) => grade === "certified");
    expect(finals.length).toBeGreaterThan(1);
    for (const { extensionMs } of finals) {
      expect(extensionMs).toBeGreaterThanOrEqual(0);
      expect(extensionMs).toBeLessThanOrEqual(1_600);
    }
    expect(finals.at(-1)!.extensionMs).toBeLessThan(finals[0]!.extensionMs!);
    expect(bench.requests.filter(({ grade }) => grade === "screened")[0]).not.toHaveProperty("extensionMs");
  });
});
