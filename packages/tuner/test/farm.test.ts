import type { MeasureRequest } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { READY } from "../src/farm.ts";
import type { Compiler } from "../src/index.ts";
import { screened, session } from "./bed.ts";
import { FakeBench, FakeClock } from "./fakes.ts";
import { sized, toySuite } from "./toy.ts";

const byX = ({ config }: { config: { x?: unknown } }) => ({ ns: 1_000 + Number(config.x) });
const named = (requests: readonly MeasureRequest[]): readonly string[] =>
  requests.map(({ config }) => `${config.x} ${config.memory}`);

/** Compilers beside a session: what each was asked for, in order, and how long everyone takes in ms. */
function farm({ compilers = 2, theirMs = 1_000, ownMs = 50, hangs = () => false }: FarmOptions = {}) {
  const clock = new FakeClock();
  const asked: MeasureRequest[] = [];
  const benches = Array.from({ length: compilers }, () => {
    const bench = new FakeBench(clock, toySuite());
    bench.compileMs = theirMs;
    bench.hangs = hangs;
    return {
      compile: (requests: readonly MeasureRequest[]) => {
        asked.push(...requests);
        return bench.compile(requests);
      },
    };
  });
  const open = async (): Promise<readonly Compiler[]> => benches;
  const prepare = (bench: FakeBench): void => {
    bench.compileMs = ownMs;
  };
  return { clock, asked, open, prepare };
}

interface FarmOptions {
  readonly compilers?: number;
  readonly theirMs?: number;
  readonly ownMs?: number;
  readonly hangs?: (request: MeasureRequest) => boolean;
}

describe("compilers beside the host that times", () => {
  it("compile every variant once before its turn, and their time is the trial's compile time", async () => {
    const { clock, asked, open, prepare } = farm();
    const { result } = await session({
      answer: byX,
      clock,
      prepare,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    expect(new Set(named(asked)).size).toBe(39); // 40, and the default comes first
    expect(asked).toHaveLength(39);
    const trials = screened(result.trials);
    expect(trials).toHaveLength(40);
    expect(trials.filter(({ compileMs }) => (compileMs ?? 0) >= 1_000)).toHaveLength(39);
    expect(result.problems[0]).toMatchObject({ screened: 40, complete: true });
  });

  it("are ahead of the timing by a pool of variants, and no further", async () => {
    const { clock, asked, open, prepare } = farm();
    let most = 0;
    let timed = 0;
    await session({
      answer: (request) => {
        if (request.grade === "screened" && !request.isDefault) {
          timed += 1;
          most = Math.max(most, asked.length - timed);
        }
        return byX(request);
      },
      clock,
      prepare,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(2 + READY);
  });

  it("name the variant over which one of them hung; the host that times never meets it", async () => {
    const guilty = ({ config }: MeasureRequest): boolean => config.x === 3 && config.memory === 0;
    const { clock, open, prepare } = farm({ hangs: guilty });
    const { result, bench } = await session({
      answer: byX,
      clock,
      prepare,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    const hung = result.trials.filter(({ status }) => status === "compile-timeout");
    expect(hung).toMatchObject([{ variant: "only/x=3,label=a,memory=0", epoch: 1, reason: "it hangs" }]);
    expect([...bench.batches.flat(), ...bench.requests].filter(guilty)).toEqual([]);
    expect(screened(result.trials)).toHaveLength(40);
  });

  it.each([
    ["that fail one after another", async () => [{ compile: () => Promise.reject(new Error("gone")) }]],
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

  it("are given up when the driver keeps nothing of what they compile", async () => {
    const { clock, asked, open, prepare } = farm({ compilers: 1 });
    const { result, bench } = await session({
      answer: (request) => ({ ...byX(request), compileMs: 900 }),
      problems: sized(2, 4),
      clock,
      prepare,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open },
    });
    // The looks were enough: nothing of the second problem was handed out.
    expect(asked.length).toBeGreaterThanOrEqual(16);
    expect(asked.filter(({ problem }) => problem.n === 4)).toEqual([]);
    expect(screened(result.trials)).toHaveLength(80);
    expect(bench.batches.flat().filter(({ problem }) => problem.n === 4)).toHaveLength(39);
  });

  it("do not stop a budget in trials from being kept, nor propose what nobody will time", async () => {
    const { clock, asked, open, prepare } = farm();
    const { result } = await session({
      answer: byX,
      clock,
      prepare,
      tune: { budgetMs: 1e7, trials: 20, ahead: 4, compilers: open },
    });
    expect(result.trials.length).toBeLessThanOrEqual(20);
    expect(result.trials.length).toBeGreaterThanOrEqual(18);
    expect(asked.length).toBeLessThanOrEqual(20);
  });

  it("stop with the session when the user does", async () => {
    const { clock, open, prepare } = farm();
    const stop = new AbortController();
    const { result } = await session({
      answer: (request) => {
        if (request.config.x === 5) stop.abort();
        return byX(request);
      },
      clock,
      prepare,
      tune: { budgetMs: 1e6, strategy: "exhaustive", ahead: 4, compilers: open, signal: stop.signal },
    });
    expect(result.stopped?.reason).toBe("interrupted by the user");
  });
});
