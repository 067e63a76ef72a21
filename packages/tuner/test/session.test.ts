import { describe, expect, it } from "vitest";
import { orderJobs } from "../src/index.ts";
import { certified, screened, session, variantsOf } from "./bed.ts";
import type { FakeBench } from "./fakes.ts";
import { algorithmNamed, sized, toySuite } from "./toy.ts";

const kinds = (events: readonly { readonly kind: string }[]): readonly string[] =>
  events.map(({ kind }) => kind);

describe("a session", () => {
  it("records noise, ceilings and the end, and every trial under its own number", async () => {
    const { result, sink } = await session();
    expect(kinds(sink.events)).toEqual(["noise", "ceilings", "finished"]);
    expect(sink.trials).toEqual(result.trials);
    expect(sink.trials.map(({ id }) => id)).toEqual(sink.trials.map((_, index) => `S1.${index}`));
    expect(sink.events.at(-1)).toMatchObject({ trials: result.trials.length, spentMs: result.spentMs });
  });

  it("takes the cheap problems first", async () => {
    const suite = toySuite();
    const jobs = orderJobs([{ suite, problems: sized(8, 2, 4) }]);
    expect(jobs.map(({ problem }) => problem.n)).toEqual([2, 4, 8]);
    const { result } = await session({ suite, problems: sized(8, 2, 4) });
    expect(result.problems.map(({ problem }) => problem.n)).toEqual([2, 4, 8]);
  });

  it("accounts for every millisecond", async () => {
    const { result, tookMs } = await session({ problems: sized(2, 4) });
    const { calibrate, compile, verify, measure, host, idle } = result.spentMs;
    expect(calibrate! + compile! + verify! + measure! + host! + idle!).toBe(tookMs);
    expect(calibrate).toBe(20);
    const busy = tookMs - 20;
    // As the fake's phases divide: plan and compile 0.4, verify 0.2, warm-up and measure 0.3, the rest on the way.
    expect([compile, verify, measure, host, idle]).toEqual(
      [0.4, 0.2, 0.3, 0.1, 0].map((part) => Math.round(busy * part)),
    );
  });

  it("is not stopped by a noise probe or ceilings that fail", async () => {
    const { result, sink, progress } = await session({
      prepare: (bench) => {
        bench.failing = ["noise", "ceilings"];
      },
    });
    expect(result.stopped).toBeUndefined();
    expect(result.noise).toBeUndefined();
    expect(result.ceilings).toEqual({});
    expect(certified(result.trials).length).toBeGreaterThan(0);
    expect(kinds(sink.events)).toEqual(["finished"]);
    const failed = progress.filter((event) => event.kind === "failed-calibration");
    expect(failed).toMatchObject([{ reason: "no noise today" }, { reason: "no ceilings today" }]);
  });

  it("whose anchor slows down by more than a quarter is marked as not to be trusted, with the number", async () => {
    const drifting = (most: number) => {
      let trials = 0;
      const answer = () => ({ anchorNs: Math.round(500 * (1 + (most * Math.min(trials++, 20)) / 20)) });
      return session({ answer, tune: { strategy: "exhaustive", budgetMs: 100_000 } });
    };
    const { result, sink } = await drifting(0.6);
    expect(result.untrusted).toMatch(/anchor fma drifted by \d\d%.*more than 25%/);
    expect(kinds(sink.events)).toEqual(["noise", "ceilings", "untrusted", "finished"]);
    const steady = await drifting(0.2);
    expect(steady.result.trials.length).toBeGreaterThan(20);
    expect(steady.result).not.toHaveProperty("untrusted");
    expect(kinds(steady.sink.events)).not.toContain("untrusted");
  });

  it("records with the noise what else the machine did", async () => {
    const machine = { cores: 2, loadAverage: 0.5, competitors: [], busy: false };
    const { sink } = await session({ tune: { machine } });
    expect(sink.events[0]).toMatchObject({ kind: "noise", machine });
  });

  it("that needs quiet measures nothing where it is noisy or the noise is unknown, and says the number", async () => {
    const noisy = await session({
      tune: { requireQuiet: true },
      prepare: (bench) => {
        bench.noiseFound = { kernel: "anchor", samplesNs: [1, 2], cv: 0.123, gateReachable: false };
      },
    });
    expect(noisy.result.trials).toEqual([]);
    expect(noisy.result.stopped?.reason).toMatch(/CV 12\.3%.*2%.*--require-quiet/);
    expect(kinds(noisy.sink.events)).toEqual(["noise", "interrupted"]);

    const unknown = await session({
      tune: { requireQuiet: true },
      prepare: (bench) => {
        bench.failing = ["noise"];
      },
    });
    expect(unknown.result.trials).toEqual([]);
    const quiet = await session({ tune: { requireQuiet: true } });
    expect(quiet.result.trials.length).toBeGreaterThan(0);
  });

  it("records a restart of the host with the guilty variant, and goes on", async () => {
    const { result, sink, progress } = await session({
      answer: ({ config }) => (config.x === 4 && config.memory === 0 ? { status: "crashed" } : {}),
      tune: { budgetMs: 100_000, strategy: "exhaustive" },
    });
    const restarts = sink.events.filter(({ kind }) => kind === "host-restart");
    const expected = { reason: "the variant crashed", variant: "only/x=4,label=a,memory=0" };
    expect(restarts).toMatchObject([expected]);
    expect(progress.filter(({ kind }) => kind === "restart")).toMatchObject([expected]);
    expect(result.problems[0]).toMatchObject({
      screened: 40,
      failures: [{ variant: expected.variant, status: "crashed", reason: "scripted crashed" }],
      complete: true,
    });
    expect(kinds(sink.events).at(-1)).toBe("finished");
  });

  it("hears nothing from the bench once it is over", async () => {
    const { sink, bench } = await session({
      answer: () => ({ status: "hung" }),
      tune: { budgetMs: 10 },
    });
    const before = sink.events.length;
    await bench.measure(bench.requests[0]!);
    expect(sink.events).toHaveLength(before);
  });

  it("ends with the reason, and resumable, when the device is gone for good", async () => {
    const { result, sink } = await session({
      prepare: (bench) => {
        bench.during = (count) => {
          if (count === 5) bench.failing = ["measure"];
        };
      },
    });
    expect(result.stopped).toMatchObject({
      reason: "the host is gone for good",
      fault: { kind: "environment" },
    });
    expect(sink.trials).toHaveLength(5);
    expect(kinds(sink.events)).toEqual(["noise", "ceilings", "interrupted"]);
  });

  it("stops measuring when trials can no longer be kept, and says why", async () => {
    const { result, bench, sink } = await session({
      prepare: (bench, sink) => {
        bench.during = (count) => {
          sink.full = count === 3;
        };
      },
    });
    expect(result.stopped).toMatchObject({ reason: "no space left on device" });
    expect(bench.requests).toHaveLength(3);
    expect(result.trials).toEqual(sink.trials);
    expect(sink.trials).toHaveLength(2);
  });

  it("is not finished when an event could not be kept", async () => {
    const { result, sink } = await session({
      prepare: (bench, sink) => {
        sink.full = true;
        bench.during = () => {
          sink.full = false;
        };
      },
    });
    expect(result.stopped).toMatchObject({ reason: "no space left on device" });
    expect(kinds(sink.events)).not.toContain("finished");
    expect(sink.trials.length).toBeGreaterThan(0);
  });
});

describe("an abort", () => {
  const abortAt = async (count: number) => {
    const controller = new AbortController();
    return session({
      problems: sized(2, 4),
      tune: { signal: controller.signal },
      prepare: (bench: FakeBench) => {
        bench.during = (now) => {
          if (now === count) controller.abort();
        };
      },
    });
  };

  it("keeps everything measured, records `interrupted` and no end", async () => {
    const { result, sink, bench } = await abortAt(6);
    expect(result.stopped).toEqual({ reason: "interrupted by the user" });
    expect(bench.requests).toHaveLength(6);
    expect(sink.trials).toHaveLength(5);
    expect(result.trials).toEqual(sink.trials);
    expect(kinds(sink.events)).toEqual(["noise", "ceilings", "interrupted"]);
    expect(result.problems).toMatchObject([{ problem: { n: 2 }, screened: 5 }]);
  });

  it("before the start begins nothing", async () => {
    const { result, bench, tookMs } = await session({ tune: { signal: AbortSignal.abort() } });
    expect(result.stopped).toBeDefined();
    expect(bench.requests).toEqual([]);
    expect(tookMs).toBe(0);
  });

  it("is noticed while candidates are only planned", async () => {
    const controller = new AbortController();
    const { plan } = algorithmNamed("only");
    // Configurations labelled "b" come to plans already measured: no bench hears of them.
    const watched = algorithmNamed("only", {
      plan: (problem, config, capabilities) => {
        if (config.label === "b" && config.x === 19) controller.abort();
        return plan(problem, config, capabilities);
      },
    });
    const { result, bench } = await session({
      suite: toySuite({ algorithms: [watched] }),
      tune: { signal: controller.signal, budgetMs: 1e9, strategy: "exhaustive" },
    });
    expect(result.stopped).toBeDefined();
    expect(result.problems[0]!.complete).toBe(false);
    expect(bench.requests).toHaveLength(40);
  });
});
describe("the estimate", () => {
  it("begins at the whole budget and ends near nothing", async () => {
    const { progress } = await session({ tune: { budgetMs: 2_000 } });
    const estimates = progress.flatMap((event) => ("estimate" in event ? [event.estimate] : []));
    expect(estimates[0]).toEqual({ elapsedMs: 20, remainingMs: 1_980 });
    const last = estimates.at(-1)!;
    expect(last.remainingMs).toBeLessThan(500);
    for (const { elapsedMs, remainingMs } of estimates)
      expect(elapsedMs + remainingMs).toBeLessThanOrEqual(2_200);
  });

  it("is short when the candidates run out long before the time", async () => {
    const { progress } = await session({ tune: { budgetMs: 1e7 } });
    const estimates = progress.flatMap((event) => ("estimate" in event ? [event.estimate] : []));
    expect(estimates[1]!.remainingMs).toBeLessThan(30_000);
  });
});

describe("a session's numbers", () => {
  it("come in the order of measuring, screened before certified", async () => {
    const { result } = await session({ tune: { budgetMs: 4_000 } });
    const first = variantsOf(certified(result.trials))[0];
    expect(first).toBeDefined();
    expect(screened(result.trials)[0]!.sequence).toBe(0);
    expect(result.trials.map(({ measuredAt }) => measuredAt)).toEqual(
      [...result.trials.map(({ measuredAt }) => measuredAt)].sort(),
    );
  });

  it("leaves out an algorithm that does not answer the problem's question", async () => {
    const plain = toySuite();
    const { only } = plain.operation.algorithms;
    const other = async () => ({ ...(await only!()), name: "other" });
    const answers = (name: string): boolean => name !== "other";
    const operation = { ...plain.operation, algorithms: { only: only!, other }, answers };
    const { result } = await session({ suite: { ...plain, operation } });
    expect(result.trials.length).toBeGreaterThan(2);
    expect(new Set(result.trials.map(({ algorithm }) => algorithm))).toEqual(new Set(["only"]));
  });
});
