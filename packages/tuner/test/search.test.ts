import { Fault } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { FINALISTS, type TuneOptions, tune } from "../src/index.ts";
import { certified, screened, session, variantsOf } from "./bed.ts";
import { FakeBench, FakeClock, FakeSink } from "./fakes.ts";
import { algorithmNamed, sized, toySuite } from "./toy.ts";

/** The faster the smaller `x` is: x=0 at 100 us, 10 us more for each step. */
const byX = ({ config }: { config: { x?: unknown } }): { ns: number } => ({
  ns: 100_000 + 10_000 * Number(config.x),
});

describe("a search", () => {
  it("proposes the same variants in the same order for the same seed", async () => {
    const first = await session({ answer: byX, tune: { budgetMs: 3_000 } });
    const again = await session({ answer: byX, tune: { budgetMs: 3_000 } });
    const other = await session({ answer: byX, tune: { budgetMs: 3_000, seed: 2 } });
    expect(variantsOf(first.result.trials)).toEqual(variantsOf(again.result.trials));
    expect(variantsOf(first.result.trials)).not.toEqual(variantsOf(other.result.trials));
  });

  it("measures the default of every algorithm first", async () => {
    const algorithms = [algorithmNamed("one"), algorithmNamed("two")];
    const { result } = await session({ suite: toySuite({ algorithms }) });
    const defaults = result.trials.slice(0, 2);
    expect(defaults.map(({ variant }) => variant)).toEqual([
      "one/x=7,label=a,memory=0",
      "two/x=7,label=a,memory=0",
    ]);
    expect(defaults.map(({ isDefault, grade }) => [isDefault, grade])).toEqual([
      [true, "screened"],
      [true, "screened"],
    ]);
  });

  it("searches only the algorithms that are named", async () => {
    const suite = toySuite({ algorithms: [algorithmNamed("one"), algorithmNamed("two")] });
    const workloads: TuneOptions["workloads"] = [{ suite, problems: sized(2), algorithms: ["two"] }];
    const { result } = await session({ suite, tune: { workloads } });
    expect(new Set(result.trials.map(({ algorithm }) => algorithm))).toEqual(new Set(["two"]));
  });

  it("measures two configurations with one plan once, and counts those that do not fit by their limit", async () => {
    const { result } = await session({ tune: { strategy: "exhaustive", budgetMs: 100_000 } });
    const hashes = screened(result.trials).map(({ planHash }) => planHash);
    expect(hashes).toHaveLength(40); // 20 of x, 2 of memory; the label is in no plan
    expect(new Set(hashes).size).toBe(40);
    expect(result.problems[0]).toMatchObject({
      screened: 40,
      identical: 40,
      refused: { maxComputeWorkgroupStorageSize: 40 },
      complete: true,
    });
  });

  it("takes a configuration whose plan throws for one that does not fit, and says why once", async () => {
    const plan = algorithmNamed("only").plan;
    const picky = algorithmNamed("only", {
      plan: (problem, config, capabilities) => {
        if (config.x === 3) throw new Fault("unsupported", "three is not possible");
        return plan(problem, config, capabilities);
      },
    });
    const { result, progress } = await session({
      suite: toySuite({ algorithms: [picky] }),
      tune: { strategy: "exhaustive", budgetMs: 100_000 },
    });
    expect(result.stopped).toBeUndefined();
    expect(result.problems[0]).toMatchObject({ screened: 38, refused: { plan: 4 } });
    const told = progress.flatMap((event) => (event.kind === "skipped" ? [event.reason] : []));
    expect(told.filter((line) => /planned/.test(line))).toEqual([
      expect.stringMatching(/^only\/x=3,.* cannot be planned: three is not possible$/),
    ]);
  });

  it("of a restricted space searches only that part, and measures the default all the same", async () => {
    const { result } = await session({
      answer: byX,
      tune: { strategy: "exhaustive", budgetMs: 100_000, where: { x: ["3", "5"], label: ["a"] } },
    });
    // Two values of x with two of memory that fit; the default is x = 7.
    expect(screened(result.trials).map(({ config }) => `${config.x}${config.label}`)).toEqual([
      "7a",
      "3a",
      "3a",
      "5a",
      "5a",
    ]);
    expect(result.problems[0]).toMatchObject({
      complete: true,
      refused: { maxComputeWorkgroupStorageSize: 2 },
    });
  });

  it("certifies the fastest and the default, with three seeds where screening had one", async () => {
    const { result, bench } = await session({ answer: byX, tune: { budgetMs: 100_000 } });
    const finals = certified(result.trials);
    expect(new Set(finals.map(({ config }) => config.x))).toEqual(new Set([0, 1, 2, 7]));
    expect(finals).toHaveLength(FINALISTS + 1); // x = 0, 1, 2 with either memory, and the default
    expect(finals.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(result.problems[0]).toMatchObject({ certified: FINALISTS + 1, failures: [] });
    const seeds = new Set(bench.requests.map(({ grade, seeds }) => `${grade} ${seeds}`));
    expect(seeds).toEqual(new Set(["screened 1", "certified 1,2,3"]));
  });

  it.each(["wrong", "hung", "crashed", "refused", "inaccurate", "unresolved"] as const)(
    "never certifies a variant that is %s, however fast it seems",
    async (status) => {
      const { result } = await session({
        answer: (request) => (request.config.x === 0 ? { status, ns: 1 } : byX(request)),
        tune: { budgetMs: 100_000 },
      });
      expect(screened(result.trials).filter((trial) => trial.status === status)).toHaveLength(2);
      expect(certified(result.trials).some(({ config }) => config.x === 0)).toBe(false);
      expect(certified(result.trials)).toHaveLength(FINALISTS + 1);
      expect(result.problems[0]!.failures).toHaveLength(2);
    },
  );

  it("gives the place of a finalist that fails its certification to the next", async () => {
    const { result } = await session({
      answer: (request) =>
        request.grade === "certified" && Number(request.config.x) < 4 ? { status: "wrong" } : byX(request),
      tune: { budgetMs: 100_000 },
    });
    const good = certified(result.trials).filter(({ status }) => status === "ok");
    expect(new Set(good.map(({ config }) => config.x))).toEqual(new Set([4, 5, 6, 7]));
    expect(good).toHaveLength(FINALISTS + 1);
  });

  it("keeps a noisy variant among the finalists: it was verified", async () => {
    const { result } = await session({
      answer: (request) => ({ status: "noisy", ...byX(request) }),
      tune: { budgetMs: 100_000 },
    });
    expect(certified(result.trials)).toHaveLength(FINALISTS + 1);
  });

  it("goes on with the other algorithms when one's default does not fit", async () => {
    const big = algorithmNamed("big", { defaultConfig: () => ({ x: 7, label: "a", memory: 65_536 }) });
    const { result } = await session({ suite: toySuite({ algorithms: [big, algorithmNamed("two")] }) });
    expect(result.trials[0]).toMatchObject({ algorithm: "two", isDefault: true });
    expect(result.trials.some(({ algorithm }) => algorithm === "big")).toBe(true);
  });

  it("tells which trial leads its problem", async () => {
    const { progress } = await session({ answer: byX, tune: { budgetMs: 100_000 } });
    const leaders = progress.flatMap((event) =>
      event.kind === "trial" && event.leads && event.trial.grade === "screened" ? [event.trial.config.x] : [],
    );
    expect(leaders[0]).toBe(7);
    expect(leaders.at(-1)).toBe(0);
    expect([...leaders].sort((a, b) => Number(b) - Number(a))).toEqual(leaders);
  });
});

describe("a problem that the operation refuses", () => {
  it("is a usage Fault before anything is measured", async () => {
    const suite = toySuite();
    const clock = new FakeClock();
    const bench = new FakeBench(clock, suite);
    const sink = new FakeSink();
    const options: TuneOptions = {
      workloads: [{ suite, problems: sized(2, 3) }],
      strategy: "random",
      budgetMs: 1_000,
      seed: 1,
      clock,
    };
    const started = tune(options, bench, sink);
    await expect(started).rejects.toThrow("toy refuses n=3: n is 3, which is odd");
    await expect(started).rejects.toMatchObject({ kind: "usage" });
    expect(bench.requests).toEqual([]);
    expect(sink.events).toEqual([]);
    expect(clock.now()).toBe(1_000);
  });
});
