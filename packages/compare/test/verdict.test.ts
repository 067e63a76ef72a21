import {
  COMPARE_EXIT,
  type ComparisonRow,
  exitCodeOf,
  type PairedSeries,
  type PairOutcome,
  type QuadNs,
  type RowVerdict,
  type SideReport,
  UNKNOWN_PAIR,
} from "@tunelab/contract";
import { BUILD_QUADS, judgeQuads, quadStatistic, REPORT_QUADS } from "@tunelab/harness";
import { describe, expect, it } from "vitest";
import type { Bout } from "../src/offer.ts";
import { bitsDiffer, judgementOf, rowOf, timesOf, withdraw } from "../src/verdict.ts";

const report: SideReport = { status: "ok", variant: "v", planHash: "1", seeds: [1] };
const route = { ...{ variant: "v", algorithm: "v", config: {}, planHash: "1", from: "default" } };
const bout: Bout = {
  operation: "o",
  problem: { n: 1 },
  sources: { base: {}, candidate: {} },
  routes: { base: route, candidate: { ...route, planHash: "2" } },
  accuracy: { bound: 1e-6, measure: "error" },
};

/** Quads whose candidate takes `ratio` times the base's 1000 ns, give or take a little. */
function series(ratio: number, count = 17, jitter = 0.0005): PairedSeries {
  const quads = Array.from({ length: count }, (_, index): QuadNs => {
    const wobble = 1 + jitter * ((index % 5) - 2);
    const [a, b] = [1_000, 1_000 * ratio * wobble];
    return index % 2 === 0 ? { first: "A", slotsNs: [a, b, b, a] } : { first: "B", slotsNs: [b, a, a, b] };
  });
  const judgement = judgeQuads(quads.slice(1).map(quadStatistic), BUILD_QUADS);
  return {
    clock: "gpu",
    tickNs: 1,
    repeats: { base: 1, candidate: 1 },
    mode: "interleaved",
    rejected: {},
    ...judgement,
    quads,
  };
}

const outcome = (more: Partial<PairOutcome> = {}): PairOutcome => ({
  ...UNKNOWN_PAIR,
  sides: { base: report, candidate: report },
  ...more,
});
const rules = { rules: BUILD_QUADS, requireParity: false };
const verdict = (more: Partial<PairOutcome>): RowVerdict => rowOf(bout, [outcome(more)], rules).verdict;

describe("a row's verdict", () => {
  it("follows the interval: slower, faster, same, unresolved", () => {
    expect(verdict({ total: series(1.03) })).toBe("slower");
    expect(verdict({ total: series(0.97) })).toBe("faster");
    expect(verdict({ total: series(1.001) })).toBe("same");
    expect(verdict({ total: series(1.007, 17, 0.004) })).toBe("unresolved");
    expect(verdict({})).toBe("unresolved");
  });

  it("is identical for one plan, whatever a forced timing says, and says so when that reads as changed", () => {
    expect(verdict({ identical: true })).toBe("identical");
    const row = rowOf(bout, [outcome({ identical: true, total: series(1.03) })], rules);
    expect(row).toMatchObject({
      verdict: "identical",
      reason: expect.stringContaining("not to be believed"),
    });
  });

  it("is invalid when either side failed, and names side, status and reason", () => {
    const wrong: SideReport = { ...report, status: "wrong", reason: "3/4 right" };
    const row = rowOf(
      bout,
      [outcome({ sides: { base: report, candidate: wrong }, total: series(0.5) })],
      rules,
    );
    expect(row).toMatchObject({ verdict: "invalid", reason: "candidate wrong: 3/4 right" });
    const refused = { ...bout, routes: { base: { refused: "does not fit" }, candidate: route } };
    expect(rowOf(refused, [], rules)).toMatchObject({ verdict: "invalid", reason: "base: does not fit" });
  });

  it("does not mind differing bits unless parity is required; a buffer that differs from itself never counts", () => {
    const buffer = { name: "y", role: "port", words: 8, differing: 2, unstable: 0 } as const;
    const shape = {
      ...{ problem: {}, why: "", pieces: { base: 1, candidate: 1 }, maxError: { base: 0, candidate: 0 } },
      buffers: [buffer],
    };
    const differing = outcome({ total: series(1), shapes: [shape] });
    expect(bitsDiffer([differing])).toBe(true);
    expect(rowOf(bout, [differing], rules).verdict).toBe("same");
    expect(rowOf(bout, [differing], { ...rules, requireParity: true }).verdict).toBe("invalid");
    const unstable = outcome({
      total: series(1),
      shapes: [{ ...shape, buffers: [{ ...buffer, unstable: 1 }] }],
    });
    expect(rowOf(bout, [unstable], { ...rules, requireParity: true }).verdict).toBe("same");
  });
});

describe("times and judgements", () => {
  it("give each side's median over the kept slots, whichever side began", () => {
    const times = timesOf([outcome({ total: series(1.5, 17, 0) })])!;
    expect(times.base).toBeCloseTo(1_000);
    expect(times.candidate).toBeCloseTo(1_500);
    expect(timesOf([outcome()])).toBeUndefined();
  });

  it("are those of the further placements, where a change was looked for in them", () => {
    const placements = [1.02, 1.04].map((ratio, index) => ({
      ...{ ratio, swapped: index === 0, quads: series(ratio, 17, 0).quads },
    }));
    const times = timesOf([outcome({ total: { ...series(1.5, 17, 0), placements } })])!;
    expect(times.candidate).toBeCloseTo(1_030, 6);
  });

  it("over processes count processes, so that one odd process widens the interval", () => {
    const even = judgementOf(
      Array.from({ length: 6 }, (_, index) => series(1.02 + index * 1e-4)),
      REPORT_QUADS,
    )!;
    expect(even).toMatchObject({ verdict: "changed", count: 6 });
    const odd = judgementOf([...Array.from({ length: 5 }, () => series(1.02)), series(0.98)], REPORT_QUADS)!;
    expect(odd.verdict).toBe("unresolved");
    expect(odd.high - odd.low).toBeGreaterThan(even.high - even.low);
  });
});

describe("claims of a run", () => {
  const row = (name: RowVerdict, p = 0): ComparisonRow => ({
    ...{
      operation: "o",
      problem: { n: 1 },
      routes: bout.routes,
      accuracy: bout.accuracy,
      outcomes: [],
      verdict: name,
    },
    judgement: { ...judgeQuads([0.02, 0.02], REPORT_QUADS), p },
  });

  it("are all withdrawn when base against base read as changed", () => {
    const control = { ...judgeQuads([0.1], REPORT_QUADS), verdict: "changed" } as const;
    const rows = withdraw([row("slower"), row("same"), row("faster")], control, false);
    expect(rows.map(({ verdict: name }) => name)).toEqual(["unresolved", "same", "unresolved"]);
    expect(rows[0]!.reason).toContain("base against itself");
  });

  it("of a report over many rows stand only as far as Benjamini-Hochberg keeps them", () => {
    const rows = [
      row("slower", 0.001),
      ...Array.from({ length: 18 }, () => row("unresolved", 0.8)),
      row("faster", 0.04),
    ];
    const kept = withdraw(rows, undefined, true).map(({ verdict: name }) => name);
    expect([kept[0], kept.at(-1)]).toEqual(["slower", "unresolved"]);
    expect(withdraw(rows, undefined, false)).toEqual(rows);
  });
});

describe("the exit code", () => {
  const none = { operations: [], problems: [], faults: [] };
  const extras = { base: none, candidate: none };
  const code = (...verdicts: RowVerdict[]): number =>
    exitCodeOf({ rows: verdicts.map((name) => ({ verdict: name }) as ComparisonRow), extras });

  it("puts invalid over regressed over unresolved over fine", () => {
    expect(code("identical", "same", "faster")).toBe(COMPARE_EXIT.fine);
    expect(code("same", "unresolved")).toBe(COMPARE_EXIT.unresolved);
    expect(code("unresolved", "slower", "faster")).toBe(COMPARE_EXIT.regressed);
    expect(code("slower", "invalid", "unresolved")).toBe(COMPARE_EXIT.invalid);
  });

  it("is invalid when nothing was compared or a package gave no operation", () => {
    expect(code()).toBe(COMPARE_EXIT.invalid);
    const faulty = {
      base: none,
      candidate: { ...none, faults: [{ package: "k", reason: "does not parse" }] },
    };
    expect(exitCodeOf({ rows: [{ verdict: "same" } as ComparisonRow], extras: faulty })).toBe(
      COMPARE_EXIT.invalid,
    );
  });
});
