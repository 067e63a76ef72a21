import type { Rule } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import {
  type ChoiceRow,
  type ChoiceSpace,
  fitRule,
  heldOutRegret,
  pickOf,
  preferences,
  regretOf,
  ruleText,
} from "../src/index.ts";

const THREADS = [32, 64, 128, 256, 512, 1024];
const space: ChoiceSpace = {
  options: THREADS.map((threads) => ({ name: String(threads), algorithm: "scalar", config: { threads } })),
  dimensions: ["n", "batch"],
  ordered: true,
};

/** A device on which n^2 batch^-0.5 / 8 threads are best, and each doubling away from that costs a quarter. */
const truth = (n: number, batch: number): number => Math.log2((n * n) / (8 * Math.sqrt(batch)));
const row = (n: number, batch: number): ChoiceRow => ({
  problem: { n, batch },
  costs: THREADS.map((threads) => ({ us: 100 * 1.25 ** Math.abs(Math.log2(threads) - truth(n, batch)) })),
});
const rows = [8, 16, 24, 32, 48, 64, 96, 128].flatMap((n) => [1, 16, 256].map((batch) => row(n, batch)));

const regretAt = (rule: Rule, at: readonly ChoiceRow[]) =>
  regretOf(at.map((one) => pickOf(rule, one, space)))!;

describe("a rule of thread counts", () => {
  it("finds the power of the batch and costs nothing on the rows that made it", () => {
    const rule = fitRule(rows, space)!;
    expect(rule.powers).toEqual({ n: 1, batch: -0.25 });
    expect(regretAt(rule, rows)).toMatchObject({ count: 24, median: 1 });
    expect(regretAt(rule, rows).worst).toBeLessThan(1.05);
  });

  it("costs little on sizes that it has not seen, and the held-out figure says how much", () => {
    const heldOut = heldOutRegret(rows, space)!;
    expect(heldOut.count).toBe(24);
    expect(heldOut.worst).toBeGreaterThanOrEqual(regretAt(fitRule(rows, space)!, rows).worst);
    const rule = fitRule(rows, space)!;
    const between = [12, 40, 80].flatMap((n) => [4, 64].map((batch) => row(n, batch)));
    expect(regretAt(rule, between).worst).toBeLessThan(1.3);
  });

  it("is the same for rows in any order", () => {
    expect(fitRule(rows.toReversed(), space)).toEqual(fitRule(rows, space));
  });

  it("is one option everywhere where nothing else saves 2%", () => {
    const noise = rows.map(({ problem }, index) => ({
      problem,
      costs: THREADS.map((_, option) => ({ us: 100 + ((index + option) % 3 === 0 ? 0 : 0.05) })),
    }));
    expect(fitRule(noise, space)!.steps).toHaveLength(1);
  });

  it("passes over an option that the device refuses and tries the ones beside it, the lower first", () => {
    const few = rows.map(({ problem, costs }) => ({
      problem,
      costs: costs.map((cost, index) => (THREADS[index]! > 256 ? undefined : cost)),
    }));
    const rule = fitRule(few, space)!;
    expect(rule.options.map(({ name }) => name)).toEqual(["32", "64", "128", "256"]);
    expect(preferences(rule, { n: 128, batch: 1 })).toEqual(["256", "128", "64", "32"]);
    expect(preferences(rule, { n: 8, batch: 256 })).toEqual(["32", "64", "128", "256"]);
  });

  it("never takes what was over the budget, though nobody knows by how much", () => {
    const slow = rows.map(({ problem, costs }) => ({
      problem,
      costs: costs.map((cost, index) =>
        THREADS[index]! < 256 && Number(problem.n) > 64 ? { over: 5000 } : cost,
      ),
    }));
    const rule = fitRule(slow, space)!;
    for (const one of slow.filter(({ problem }) => Number(problem.n) > 64)) {
      expect(Number(pickOf(rule, one, space).option)).toBeGreaterThanOrEqual(256);
    }
  });
});

describe("a rule of backends", () => {
  const backends: ChoiceSpace = {
    options: ["block", "scalar", "tridiagonal"].map((name) => ({ name, algorithm: name, config: {} })),
    dimensions: ["n", "batch"],
    ordered: false,
  };
  /** scalar under n = 24, block to n = 200, tridiagonal beyond, whatever the batch. */
  const best = (n: number): string => (n < 24 ? "scalar" : n < 200 ? "block" : "tridiagonal");
  const table = [4, 8, 16, 32, 64, 128, 256, 512].flatMap((n) =>
    [1, 64].map((batch) => ({
      problem: { n, batch },
      costs: backends.options.map(({ name }) => ({ us: name === best(n) ? 10 : 20 })),
    })),
  );

  it("puts the crossovers between the sizes where they lie, in whatever order the backends are listed", () => {
    const rule = fitRule(table, backends)!;
    expect(rule.powers.batch).toBe(0);
    expect(rule.steps.map(({ option }) => option)).toEqual(["scalar", "block", "tridiagonal"]);
    expect(rule.steps[1]!.from).toBeCloseTo(Math.sqrt(16 * 32), 1);
    expect(rule.steps[2]!.from).toBeCloseTo(Math.sqrt(128 * 256), 0);
    expect(ruleText(rule)).toBe("scalar; block from n = 22.63; tridiagonal from n = 181");
  });

  it("chooses by the batch alone where only that decides", () => {
    const byBatch = table.map(({ problem }) => ({
      problem,
      costs: backends.options.map(({ name }) => ({ us: (name === "block") === problem.batch > 8 ? 10 : 30 })),
    }));
    const rule = fitRule(byBatch, backends)!;
    expect(regretOf(byBatch.map((one) => pickOf(rule, one, backends)))!.worst).toBe(1);
    expect(rule.powers).toEqual({ n: 0, batch: 1 });
  });

  it("is none without a time, and has no held-out figure for a single order", () => {
    expect(
      fitRule([{ problem: { n: 8, batch: 1 }, costs: [undefined, { over: 9 }, undefined] }], backends),
    ).toBe(undefined);
    expect(heldOutRegret(table.slice(0, 2), backends)).toBe(undefined);
  });
});
