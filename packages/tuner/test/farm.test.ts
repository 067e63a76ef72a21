import type { MeasureRequest } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { QUEUED } from "../src/farm.ts";
import { type Compiler, FINALISTS } from "../src/index.ts";
import { certified, screened, session } from "./bed.ts";
import { type Answer, FakeBench, FakeClock } from "./fakes.ts";
import { sized, toySuite } from "./toy.ts";
import { H200_BESIDE, virtualSession } from "./virtual.ts";

const byX = ({ config }: { config: { x?: unknown } }) => ({ ns: 1_000 + Number(config.x) });
const named = (requests: readonly MeasureRequest[]): readonly string[] =>
  requests.map(({ config }) => `${config.x} ${config.memory}`);

/** Compilers beside a session: what they were asked to compile and to time, in order; each compiles for `theirMs`. */
function farm({ compilers = 2, theirMs = 1_000, hangs = () => false, answer = byX }: FarmOptions = {}) {
  const clock = new FakeClock();
  const asked: MeasureRequest[] = [];
  const timed: { readonly by: number; readonly request: MeasureRequest }[] = [];
  const benches = Array.from({ length: compilers }, (_, by) => {
    const bench = new FakeBench(clock, toySuite(), (request) => {
      timed.push({ by, request });
      return answer(request);
    });
    bench.compileMs = theirMs;
    bench.hangs = (request) => {
      asked.push(request);
      return hangs(request);
    };
    return bench;
  });
  const open = async (): Promise<readonly Compiler[]> => benches;
  return { clock, asked, timed, open, benches };
}

interface FarmOptions {
  readonly compilers?: number;
  readonly theirMs?: number;
  readonly hangs?: (request: MeasureRequest) => boolean;
  readonly answer?: (request: MeasureRequest) => Answer;
}

class GoneBench extends FakeBench {
  override compile(): Promise<never> {
    return Promise.reject(new Error("gone"));
  }
}

describe("compilers beside the host that times", () => {
  it("compile every variant once before its turn, and whoever compiled it times it", async () => {
    const { clock, asked, timed, open, benches } = farm();
    const { result, bench } = await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    expect(new Set(named(asked)).size).toBe(39); // 40, and the default comes first
    expect(asked).toHaveLength(39);
    expect(screened(result.trials)).toHaveLength(40);
    expect(result.problems[0]).toMatchObject({ screened: 40, complete: true });
    expect(timed).toHaveLength(39);
    for (const [by, compiler] of benches.entries()) {
      const its = timed.filter((one) => one.by === by).map(({ request }) => request);
      expect(named(its)).toEqual(named(compiler.batches.flat()));
    }
    expect(new Set(timed.map(({ by }) => by)).size).toBe(2);
    // The host that times only compiles, one at a time, what it will certify.
    for (const batch of bench.batches) expect(batch.map(({ grade }) => grade)).toEqual(["certified"]);
    expect(bench.requests.filter(({ grade, isDefault }) => grade === "screened" && !isDefault)).toEqual([]);
  });

  it("compile nothing while they hold a variant whose turn has not come", async () => {
    let holding = 0;
    let most = 0;
    const { clock, open, benches } = farm({
      compilers: 3,
      answer: (request) => {
        holding -= 1;
        return byX(request);
      },
    });
    for (const bench of benches) {
      bench.hangs = () => {
        holding += 1;
        most = Math.max(most, holding);
        return false;
      };
    }
    await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
  });

  it("are asked for variants of the problem in hand: what they held of the one before is let go", async () => {
    const { clock, timed, open } = farm();
    const { result } = await session({
      answer: byX,
      problems: sized(2, 4),
      clock,
      tune: { budgetMs: 60_000, ahead: 4, compilers: open },
    });
    expect(result.problems.map(({ screened: count }) => count > 5)).toEqual([true, true]);
    const order = timed.map(({ request }) => request.problem.n);
    expect(order).toEqual([...order].sort());
    expect(new Set(order)).toEqual(new Set([2, 4]));
  });

  it("are proposed to no further than they need to find the next variant waiting", async () => {
    const { clock, asked, open } = farm();
    const { result } = await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e7, trials: 30, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    expect(asked.length).toBeLessThanOrEqual(screened(result.trials).length + 2 + QUEUED);
  });

  it("name the variant over which one of them hung; the host that times never meets it", async () => {
    const guilty = ({ config }: MeasureRequest): boolean => config.x === 3 && config.memory === 0;
    const { clock, timed, open } = farm({ hangs: guilty });
    const { result, bench } = await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    const hung = result.trials.filter(({ status }) => status === "compile-timeout");
    expect(hung).toMatchObject([{ variant: "only/x=3,label=a,memory=0", epoch: 1, reason: "it hangs" }]);
    const met = [...bench.batches.flat(), ...bench.requests, ...timed.map(({ request }) => request)];
    expect(met.filter(guilty)).toEqual([]);
    expect(screened(result.trials)).toHaveLength(40);
  });

  it.each([
    ["that fail one after another", async () => [new GoneBench(new FakeClock(), toySuite())]],
    ["that cannot be opened", () => Promise.reject(new Error("no second device"))],
    ["of which there are none", async () => []],
  ] as const)("%s leave the session to compile by itself", async (_, compilers) => {
    const { result, bench } = await session({
      answer: byX,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers },
    });
    expect(screened(result.trials)).toHaveLength(40);
    expect(new Set(named(bench.batches.flat())).size).toBeGreaterThan(30);
  });

  it.each([1, 2])(
    "of %i whose hosts cannot be started again for what they hold leave: the host that times does it, the session goes on",
    async (compilers) => {
      const { clock, open, benches } = farm({ compilers });
      const gone = benches[0]!;
      gone.failing = ["measure"];
      const { result, bench } = await session({
        answer: byX,
        clock,
        tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
      });
      expect(result.stopped).toBeUndefined();
      expect(screened(result.trials)).toHaveLength(40);
      expect(gone.requests).toHaveLength(1);
      expect(gone.batches).toHaveLength(1);
      const lost = gone.requests[0]!;
      expect(named(bench.requests.filter(({ grade }) => grade === "screened"))).toContain(named([lost])[0]);
    },
  );

  it("die over a variant like the host that times: it is recorded, the restart too, and they go on", async () => {
    const { clock, open } = farm({
      answer: (request) => ({ ...byX(request), ...(request.config.x === 3 ? { status: "crashed" } : {}) }),
    });
    const { result, sink } = await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    expect(screened(result.trials)).toHaveLength(40);
    const crashed = result.trials.filter(({ status }) => status === "crashed");
    expect(crashed).toHaveLength(2);
    for (const { variant } of crashed) expect(variant).toMatch(/^only\/x=3,/);
    expect(sink.events.filter(({ kind }) => kind === "host-restart").length).toBeGreaterThan(0);
  });

  it("are told the ceilings that were measured, and their phases count while they time", async () => {
    const { clock, open } = farm();
    const told: unknown[] = [];
    const { result } = await session({
      answer: byX,
      clock,
      tune: {
        budgetMs: 1e6,
        strategy: "exhaustive",
        ahead: 4,
        compilers: (ceilings) => {
          told.push(ceilings);
          return open();
        },
      },
    });
    expect(told).toEqual([{ fmaFlopsPerSecond: 1e12 }]);
    // 46 trials of 100 ms, six of them certified in four times as much, of which the fake verifies for a fifth.
    expect(result.spentMs.verify).toBeGreaterThan(0.9 * 20 * 39);
    expect(result.spentMs.waiting).toBe(0); // the fake's compilers move the clock while they are asked
  });

  it("leave the host that times alone to compile the best rows: those it certifies in spare time are compiled before", async () => {
    const { result } = await virtualSession(H200_BESIDE, 4, { budgetMs: 120_000 });
    const finals = certified(result.trials);
    expect(finals.length).toBeGreaterThan(2 * FINALISTS);
    // Compiled in their turn, they alone would have taken 1.7 s each at the median.
    expect(result.spentMs.compile! / finals.length).toBeLessThan(200);
  });

  it.each([0.1, 0.3, 0.9, 1])(
    "keep the budget where a part of %d of the variants hangs them, and none of those is tried twice or forgotten",
    async (fraction) => {
      const ended: string[] = [];
      const machine = { ...H200_BESIDE, hanging: { fraction, deadlineMs: 20_000, ended } };
      const { result, tookMs, mostTimedAtOnce } = await virtualSession(machine, 14, { budgetMs: 75_000 });
      expect(mostTimedAtOnce).toBe(1);
      expect(tookMs).toBeLessThan(1.05 * 75_000);
      expect(certified(result.trials).length).toBeGreaterThan(0);
      const hung = result.trials.filter(({ status }) => status === "compile-timeout");
      expect(hung.length).toBeGreaterThan(10);
      expect(hung.map(({ planHash }) => planHash).sort()).toEqual([...ended].sort());
      expect(new Set(ended).size).toBe(ended.length);
    },
  );

  it("do not stop a budget in trials from being kept, nor propose what nobody will time", async () => {
    const { clock, asked, open } = farm();
    const { result } = await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e7, trials: 20, ahead: 4, compilers: open },
    });
    expect(result.trials.length).toBeLessThanOrEqual(20);
    expect(result.trials.length).toBeGreaterThanOrEqual(18);
    expect(asked.length).toBeLessThanOrEqual(20);
  });

  it("stop with the session when the user does", async () => {
    const stop = new AbortController();
    const { clock, open } = farm({
      answer: (request) => {
        if (request.config.x === 5) stop.abort();
        return byX(request);
      },
    });
    const { result } = await session({
      answer: byX,
      clock,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open, signal: stop.signal },
    });
    expect(result.stopped?.reason).toBe("interrupted by the user");
  });
});
