import type { Config, MeasureRequest, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BlockConfig,
  block,
  type EighProblem,
  oneSided,
  scalar,
  type TridiagonalConfig,
  tridiagonal,
} from "../src/index.ts";
import { eighProblem, KINDS } from "../src/suite.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

async function measure(
  problem: EighProblem,
  algorithm: string,
  config: Config,
  operation = "eigh",
): Promise<TrialOutcome> {
  const request: MeasureRequest = {
    operation,
    algorithm,
    problem,
    config,
    isDefault: false,
    grade: "screened",
    seeds: [1],
    oracleSample: 1000,
  };
  return await bench.measure(request);
}

async function expectRight(problem: EighProblem, algorithm: string, config: Config): Promise<TrialOutcome> {
  const outcome = await measure(problem, algorithm, config);
  const { matched, total, maxError, detail } = outcome.verdict ?? {};
  const what = `n=${problem.n} ${outcome.variant}: ${outcome.reason ?? ""} ${detail ?? ""}`;
  expect([outcome.status, matched], what).toEqual(["ok", total]);
  expect(maxError, what).toBeLessThanOrEqual(10);
  return outcome;
}

const once = KINDS.length;

describe("whole-matrix Jacobi on the embedded GPU", () => {
  for (const n of [1, 2, 5, 8]) {
    it(`decomposes every kind of matrix at n = ${n}, in rows and matrices that are padded`, async () => {
      const problem = eighProblem(n, once, { spectrum: "mixed", pad: 3, gap: 5 });
      const { capabilities } = bench.hello.info;
      const config = scalar.defaultConfig(problem, capabilities);
      const outcome = await expectRight(problem, "scalar", config);
      expect(outcome.probes).toMatchObject({ "report.unconverged": 0, "report.nonFinite": 2 });
    });
  }

  for (const memory of ["both", "matrix", "global"] as const) {
    for (const vectors of ["yes", "no"] as const) {
      if (memory === "matrix" && vectors === "no") continue;
      it(`keeps ${memory} in workgroup memory, with vectors: ${vectors}, in sampled variants`, async () => {
        const problem = eighProblem(6, once, { spectrum: "mixed", vectors });
        const space = scalar.space(problem);
        const some = sample(
          {
            ...space,
            parameters: space.parameters.map((one) =>
              one.name === "memory" ? { ...one, values: [memory] } : one,
            ),
          },
          randomFrom(6),
          1,
        ).filter(({ threads, matrices }) => threads * matrices <= 256);
        for (const config of some) await expectRight(problem, "scalar", config);
      });
    }
  }

  for (const fault of [
    "half-the-sweeps",
    "vectors-turned-back",
    "values-unsorted",
    "upper-triangle",
    "no-flag",
  ]) {
    it(`a text with ${fault} is not accepted, and the first matrix that shows it is named`, async () => {
      const problem = eighProblem(6, once, { spectrum: "mixed" });
      const config = { threads: 16, matrices: 1, memory: "both", padding: 0 };
      const outcome = await measure(problem, "scalar", config, fault);
      expect(["wrong", "inaccurate"]).toContain(outcome.status);
      if (outcome.status === "wrong") expect(outcome.verdict!.detail).toMatch(/^(matrix \d+: |\d+ of)/);
    });
  }
});

describe("one-sided Jacobi on the embedded GPU", () => {
  for (const [n, exchange, split] of [
    [2, "subgroup", 1],
    [8, "subgroup", 1],
    [8, "memory", 2],
  ] as const) {
    it(`decomposes every kind of matrix at n = ${n}, columns moving by ${exchange}, split ${split}`, async () => {
      const problem = eighProblem(n, once, { spectrum: "mixed", pad: 1 });
      const outcome = await expectRight(problem, "one-sided", { workgroup: 32, split, exchange, chunk: 4 });
      expect(outcome.probes).toMatchObject({ "report.unconverged": 0, "report.nonFinite": 2 });
    });
  }

  it("needs subgroups as wide as a matrix has threads, and says so", async () => {
    const config = { workgroup: 64, split: 1, exchange: "subgroup", chunk: 4 };
    const outcome = await measure(eighProblem(16, 4), "one-sided", config);
    expect(outcome.status).toBe("refused");
    expect(outcome.reason).toMatch(/right for subgroups of 8 to 64, the device uses 4 to 4/);
  });

  it("fits the default configuration to the device", () => {
    const { capabilities } = bench.hello.info;
    expect(oneSided.defaultConfig(eighProblem(8, 4), capabilities).exchange).toBe("memory");
  });
});

describe("block Jacobi on the embedded GPU", () => {
  const cases: readonly (readonly [n: number, change: Partial<BlockConfig>])[] = [
    [3, {}],
    [9, {}],
    [12, { block: 4, exchange: "subgroup", split: 1, workgroup: 32 }],
    [11, { inner: 2, check: 1 }],
  ];
  for (const [n, change] of cases) {
    it(`decomposes every kind of matrix at n = ${n} with ${JSON.stringify(change)}`, async () => {
      const problem = eighProblem(n, once, { spectrum: "mixed", pad: 2, gap: 1 });
      const config = { ...block.defaultConfig(problem, bench.hello.info.capabilities), ...change };
      const outcome = await expectRight(problem, "block", config);
      expect(outcome.probes).toMatchObject({ "report.unconverged": 0, "report.nonFinite": 2 });
    });
  }

  it("gives values alone where no vectors are wanted", async () => {
    const problem = eighProblem(6, once, { spectrum: "mixed", vectors: "no" });
    await expectRight(problem, "block", block.defaultConfig(problem, bench.hello.info.capabilities));
  });
});

describe("the tridiagonal form on the embedded GPU", () => {
  const cases: readonly (readonly [n: number, change: Partial<TridiagonalConfig>])[] = [
    [1, {}],
    [7, { sweeps: 4, matrices: 4 }],
    [13, { memory: "global", groups: 2, reduction: "subgroup", sweeps: 1 }],
  ];
  for (const [n, change] of cases) {
    it(`decomposes every kind of matrix at n = ${n} with ${JSON.stringify(change)}`, async () => {
      const problem = eighProblem(n, once, { spectrum: "mixed", pad: 2, gap: 1 });
      const config = { ...tridiagonal.defaultConfig(problem, bench.hello.info.capabilities), ...change };
      const outcome = await expectRight(problem, "tridiagonal", config);
      expect(outcome.probes).toMatchObject({ "report.unconverged": 0, "report.nonFinite": 2 });
    });
  }

  it("goes on where the dispatch before stopped, in both loops of the host", async () => {
    const problem = eighProblem(65, 3, { spectrum: "mixed" });
    const config = {
      // 8 teams of threads: each asks for all its rows of a column at once.
      threads: 256,
      memory: "global",
      groups: 1,
      reduction: "workgroup",
      solver: "ql",
      sweeps: 2,
      matrices: 1,
    };
    await expectRight(problem, "tridiagonal", config);
  });

  it("divides and conquers what is more than a tile of the product and leaves a piece of one element", async () => {
    const problem = eighProblem(33, 3, { spectrum: "mixed" });
    const base = tridiagonal.defaultConfig(problem, bench.hello.info.capabilities);
    await expectRight(problem, "tridiagonal", { ...base, solver: "divide", threads: 32 });
  });

  it("gives values alone where no vectors are wanted", async () => {
    const problem = eighProblem(13, once, { spectrum: "mixed", vectors: "no" });
    for (const solver of ["ql", "divide"] as const) {
      const config = { ...tridiagonal.defaultConfig(problem, bench.hello.info.capabilities), solver };
      await expectRight(problem, "tridiagonal", config);
    }
  });
});
