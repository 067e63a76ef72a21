import type { Plan } from "@tunelab/contract";
import { randomFrom, sample } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type TridiagonalConfig, tridiagonal } from "../src/index.ts";
import { eighProblem, KINDS } from "../src/suite.ts";
import { type CpuRun, runOnCpu } from "./cpu.ts";

const WIDTHS = [4, 8, 16, 32] as const;
const once = KINDS.length;
const plain: TridiagonalConfig = {
  threads: 32,
  memory: "workgroup",
  groups: 1,
  reduction: "workgroup",
  solver: "ql",
  sweeps: 2,
  matrices: 1,
};

function expectRight(n: number, config: TridiagonalConfig, width: number, rest: object = {}): CpuRun {
  const problem = eighProblem(n, once, { spectrum: "mixed", pad: n % 3, gap: n % 5, ...rest });
  const run = runOnCpu(tridiagonal, problem, config, width, n);
  const what = `n=${n} ${JSON.stringify(config)} at width ${width}: ${run.verdict.detail}`;
  expect(run.faults, what).toEqual([]);
  expect(run.verdict, what).toMatchObject({ matched: once, total: once });
  expect(run.verdict.maxError, what).toBeLessThan(4);
  expect([run.buffers.report![1], run.buffers.report![2]], what).toEqual([0, 2]);
  return run;
}

describe("the cost of the tridiagonal form", () => {
  const cost = (n: number, rest: object, change: object = {}) =>
    tridiagonal.cost(eighProblem(n, 3, rest), { ...plain, memory: "global", ...change });

  it("is three times that of three matrices alone, and less without vectors", () => {
    const [all, none] = [cost(64, {}), cost(64, { vectors: "no" })];
    expect(all.flops).toBeCloseTo(3 * cost(64, { batch: 1 }).flops, -1);
    expect(none.flops).toBeLessThan(all.flops / 2);
    expect(none.requestedBytes).toBeLessThan(all.requestedBytes);
  });

  it("is within the figures that are quoted for QL, 4/3 n^3 to reduce, as much to form Q and 5 n^3 to turn it", () => {
    const n = 512;
    expect(cost(n, {}).flops / 3 / n ** 3).toBeGreaterThan(7.6);
    expect(cost(n, {}).flops / 3 / n ** 3).toBeLessThan(7.9);
    // Products of pieces: 2 n^3 (1 + 1/2 + 1/4 + ...), and roots.
    expect(cost(n, {}, { solver: "divide" }).flops / 3 / n ** 3).toBeLessThan(7.6);
  });

  it("asks less of global memory where workgroup memory has the matrix, or more sweeps pass together", () => {
    const { requestedBytes } = cost(48, {});
    expect(cost(48, {}, { memory: "workgroup" }).requestedBytes).toBeLessThan(requestedBytes / 2);
    expect(cost(48, {}, { sweeps: 8 }).requestedBytes).toBeLessThan(requestedBytes);
  });
});

describe("the tridiagonal form, its text run on the CPU", () => {
  for (const n of [1, 2, 3, 4, 7, 16]) {
    it(`decomposes every kind of matrix at n = ${n} without races, in sampled variants at several subgroup widths`, () => {
      const configs = sample(tridiagonal.space(eighProblem(n, 1)), randomFrom(n), 40).filter(
        // In global memory one workgroup's threads hand elements on within a dispatch, which the interpreter takes for a fault.
        ({ threads, memory, groups }) => threads <= 64 && (memory === "workgroup" || groups > 1),
      );
      for (const [ran, config] of configs.slice(0, n < 9 ? 3 : 2).entries())
        expectRight(n, config, WIDTHS[(n + ran) % 4]!);
      expect(configs.length).toBeGreaterThan(2);
    });
  }

  for (const n of [1, 2, 3, 5, 13]) {
    it(`divides and conquers every kind of matrix at n = ${n} without races, several pieces a workgroup or one`, () => {
      const { maxError } = expectRight(n, { ...plain, solver: "divide" }, 8).verdict;
      expect(maxError).toBeLessThan(2);
    });
  }

  it("reduces a matrix by several workgroups, a dispatch a column", () => {
    const config = { ...plain, threads: 64, memory: "global", groups: 4, reduction: "subgroup" } as const;
    expectRight(17, config, 16);
  });

  it("writes no vectors where none are wanted, and the same values", () => {
    const [yes, no] = [expectRight(6, plain, 8), expectRight(6, plain, 8, { vectors: "no" })];
    expect(no.buffers.vectors).toBeUndefined();
    expect(no.buffers.values).toEqual(yes.buffers.values);
  });

  it("gives a matrix the same bits whoever sums, one thread or a subgroup of one width, and whatever its neighbours are", () => {
    const problem = eighProblem(6, once, { spectrum: "mixed" });
    const all = runOnCpu(tridiagonal, problem, plain, 32);
    const alone = runOnCpu(tridiagonal, { ...problem, batch: 1 }, plain, 8);
    expect(alone.buffers.values!.slice(0, 6)).toEqual(all.buffers.values!.slice(0, 6));
    expect(alone.buffers.vectors!.slice(0, 36)).toEqual(all.buffers.vectors!.slice(0, 36));
  });

  it("applies the same rotations however many sweeps pass over the vectors together", () => {
    const [one, eight] = [1, 8].map((sweeps) => expectRight(12, { ...plain, sweeps }, 8));
    expect(eight!.buffers.values).toEqual(one!.buffers.values);
    expect(eight!.buffers.vectors).toEqual(one!.buffers.vectors);
  });

  it("turns a matrix to the same bits alone or with others in a workgroup, the last of which is not full", () => {
    for (const n of [2, 9, 12]) {
      const [one, four] = [1, 4].map((matrices) => expectRight(n, { ...plain, matrices }, 8));
      expect(four!.buffers.values).toEqual(one!.buffers.values);
      expect(four!.buffers.vectors).toEqual(one!.buffers.vectors);
      expect(four!.buffers.status).toEqual(one!.buffers.status);
    }
  });

  it("a matrix that is cut off after some sweeps is flagged, and no other", () => {
    const short = {
      ...tridiagonal,
      plan: (...given: Parameters<typeof tridiagonal.plan>): Plan => {
        const plan = tridiagonal.plan(...given);
        const modules = plan.modules.map(({ name, wgsl }) => ({
          name,
          wgsl: wgsl.replace("swept >= 200u", "swept >= 2u"),
        }));
        return { ...plan, modules };
      },
    };
    const run = runOnCpu(short, eighProblem(5, once, { spectrum: "mixed" }), plain, 16);
    const status = Array.from({ length: once }, (_, item) => run.buffers.status![2 * item]);
    const diagonal = KINDS.findIndex(({ name }) => name === "diagonal");
    expect(status[0]).toBe(1);
    expect(status[diagonal]).toBe(0);
    expect(run.buffers.report![1]).toBe(status.filter((one) => one === 1).length);
    expect(run.verdict.detail).toMatch(/^matrix 0: status 1 after 1 sweeps/);
  });
});
