import {
  type Capabilities,
  type Config,
  DEFAULT_CAPABILITIES,
  DEFAULT_LIMITS,
  type Space,
  supports,
  type TuningTable,
} from "@tunelab/contract";
import { select } from "@tunelab/selection";
import { formatId, randomFrom, sample } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type FftProblem, fourStep, type OneWorkgroupConfig, oneWorkgroup, operation } from "../src/index.ts";
import { bitsOf, planOf, runOnCpu } from "./cpu.ts";

/** Workgroup memory that devices grant, in KiB: 16 is WebGPU's default, 32 Apple's, 48 an H200's, 64 AMD's. */
const BUDGETS = [8, 16, 32, 48, 64] as const;

const problemOf = (n: number): FftProblem => ({ n, batch: 1, direction: "forward" });
const bytesOf = (n: number, config: OneWorkgroupConfig): number =>
  oneWorkgroup.resources(problemOf(n), config).workgroupBytes;

/** The build of a length that stages as much at a time as so many KiB hold. */
function build(
  n: number,
  kibibytes: number,
  base: Pick<OneWorkgroupConfig, "radix" | "workgroup">,
): OneWorkgroupConfig {
  const builds = [16, 0].flatMap((padding) =>
    (["split", "whole"] as const).flatMap((staging) =>
      Array.from(
        { length: Math.log2(n / base.workgroup) + 1 },
        (_, bit): OneWorkgroupConfig => ({
          ...base,
          butterfly: "split",
          chunk: 2 ** bit,
          staging,
          padding,
          gap: 1,
          twiddles: "table",
          transforms: 1,
          loads: "scalar",
        }),
      ),
    ),
  );
  return builds
    .filter((config) => bytesOf(n, config) <= kibibytes * 1024)
    .reduce((most, config) => (bytesOf(n, config) > bytesOf(n, most) ? config : most));
}

const lengths = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];

describe("builds of one length for different amounts of workgroup memory", () => {
  for (const n of lengths) {
    it(`agree bit for bit at n = ${n}, from 8 to 64 KiB`, () => {
      // The largest radix has the fewest exchanges to interpret.
      const base = { radix: 16, workgroup: Math.min(1024, n / 16) };
      const builds = BUDGETS.map((kibibytes) => build(n, kibibytes, base));
      for (const [at, config] of builds.entries()) {
        expect(bytesOf(n, config)).toBeLessThanOrEqual(BUDGETS[at]! * 1024);
      }
      const distinct = [...new Map(builds.map((config) => [JSON.stringify(config), config])).values()];
      // 8 KiB hold 1024 points whole; from 8192 points on every budget has a build of its own.
      if (n >= 8192) expect(distinct).toHaveLength(BUDGETS.length);
      const [first, ...others] = distinct.map((config) => {
        const run = runOnCpu(planOf("one-workgroup", problemOf(n), config), problemOf(n), {
          subgroupSize: 32,
        });
        expect(run.faults).toEqual([]);
        expect(run.verdict.matched).toBe(1);
        return bitsOf(run.output, n, 0);
      });
      for (const bits of others) expect(bits).toEqual(first);
    }, 60_000);
  }
});

const limited = (kibibytes: number, invocations: number): Capabilities => ({
  features: [],
  limits: {
    ...DEFAULT_LIMITS,
    maxComputeWorkgroupStorageSize: kibibytes * 1024,
    maxComputeInvocationsPerWorkgroup: invocations,
    maxComputeWorkgroupSizeX: invocations,
  },
});

/** A table that ranks these builds in order, as a device with every limit high would have measured them. */
function tableOf(problem: FftProblem, configs: readonly OneWorkgroupConfig[]): TuningTable {
  const rows = configs.map((config, at) => ({
    rank: at + 1,
    variant: formatId("one-workgroup", oneWorkgroup.space(problem), config),
    algorithm: "one-workgroup",
    config: config as Config,
    planHash: "",
    status: "ok" as const,
    grade: "certified" as const,
    minUs: 10 + at,
    medianUs: 10 + at,
    cv: 0,
    samples: 12,
    isDefault: false,
    tie: false,
    matched: 1,
    total: 1,
    maxError: 2e-7,
    workgroupBytes: bytesOf(problem.n, config),
    invocations: config.workgroup,
    trial: "",
  }));
  const text = "";
  const identity = {
    implementation: text,
    implementationVersion: text,
    compiler: text,
    backend: text,
    vendor: "maker",
    architecture: text,
    device: "large",
    description: text,
    driver: text,
    adapterType: "discrete" as const,
  };
  return {
    schema: 1,
    operation: "fft",
    epoch: 1,
    protocol: 1,
    contract: 1,
    device: { identity, capabilities: limited(64, 1024) },
    deviceSlug: "large",
    profile: "portable",
    noisy: false,
    ceilings: {},
    sessions: [],
    commit: text,
    entries: [{ problem, measured: rows.length, failed: 0, rows }],
  };
}

describe("selection under limits", () => {
  for (const kibibytes of BUDGETS) {
    it(`on a device of ${kibibytes} KiB picks the fastest build that fits, and refuses the others by name`, async () => {
      const problem = problemOf(8192);
      const builds = [...BUDGETS].reverse().map((size) => build(8192, size, { radix: 16, workgroup: 512 }));
      const capabilities = limited(kibibytes, 1024);
      const { candidates, refused } = await select({
        tables: [tableOf(problem, builds)],
        operation,
        problem,
        capabilities,
      });
      expect(candidates[0].config).toMatchObject(build(8192, kibibytes, { radix: 16, workgroup: 512 }));
      expect(candidates[0].resources.workgroupBytes).toBeLessThanOrEqual(kibibytes * 1024);
      const over = refused.filter(({ limit }) => limit === "maxComputeWorkgroupStorageSize");
      expect(over).toHaveLength(BUDGETS.filter((size) => size > kibibytes).length);
    });
  }

  for (const n of [...lengths, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576]) {
    it(`without a table something runs at n = ${n} on every device from 8 KiB and 256 invocations up`, async () => {
      for (const kibibytes of BUDGETS) {
        for (const invocations of [256, 512, 1024]) {
          const capabilities = limited(kibibytes, invocations);
          const { candidates } = await select({ tables: [], operation, problem: problemOf(n), capabilities });
          const [first] = candidates;
          expect(first.algorithm.name).toBe(n <= 16_384 ? "one-workgroup" : "four-step");
          expect(supports(first.resources, capabilities)).toEqual({ supported: true });
        }
      }
    });
  }

  it("where one workgroup is refused for its invocations, four-step takes its place", async () => {
    // Half of what WebGPU's compatibility mode grants.
    const capabilities = limited(16, 64);
    const { candidates, refused } = await select({
      tables: [],
      operation,
      problem: problemOf(16_384),
      capabilities,
    });
    expect(candidates.map(({ algorithm }) => algorithm.name)).toEqual(["four-step"]);
    expect(refused[0]!.variant).toMatch(/^one-workgroup\//);
  });

  for (const n of [256, 1024, 4096, 16_384]) {
    it(`the crossover is a table's to say: where four-step was faster at n = ${n} it is chosen, and one-workgroup where it was not`, async () => {
      const problem = problemOf(n);
      const whole = tableOf(problem, [oneWorkgroup.defaultConfig(problem, DEFAULT_CAPABILITIES)]);
      const [own] = whole.entries[0]!.rows;
      const config = fourStep.defaultConfig(problem, DEFAULT_CAPABILITIES);
      const split = {
        ...own!,
        ...{ algorithm: "four-step", config: config as Config },
        variant: formatId("four-step", fourStep.space(problem), config),
      };
      for (const first of ["four-step", "one-workgroup"]) {
        const rows = [own!, split]
          .sort((a) => (a.algorithm === first ? -1 : 1))
          .map((row, at) => ({ ...row, rank: at + 1, minUs: 10 + at, medianUs: 10 + at }));
        const table = { ...whole, entries: [{ ...whole.entries[0]!, rows }] };
        const capabilities = limited(64, 1024);
        const { candidates } = await select({ tables: [table], operation, problem, capabilities });
        expect(candidates[0].algorithm.name).toBe(first);
      }
    });
  }

  it("every length from 64 to 1048576 has variants, of both algorithms from 256 to 16384", () => {
    for (let n = 64; n <= 1_048_576; n *= 2) {
      const of = (algorithm: typeof oneWorkgroup | typeof fourStep): number =>
        sample(algorithm.space(problemOf(n)) as Space, randomFrom(n), 1).length;
      expect([of(oneWorkgroup), of(fourStep)], `n = ${n}`).toEqual([n <= 16_384 ? 1 : 0, n >= 256 ? 1 : 0]);
    }
  });

  it("a row of the other direction serves, the same direction's goes first", async () => {
    const problem = problemOf(1024);
    const config = oneWorkgroup.defaultConfig(problem, DEFAULT_CAPABILITIES);
    const table = tableOf(problem, [config]);
    const inverse: FftProblem = { ...problem, direction: "inverse" };
    const borrowed = await select({
      tables: [table],
      operation,
      problem: inverse,
      capabilities: limited(64, 1024),
    });
    expect(borrowed.candidates[0].origin).toMatchObject({ kind: "table", problem, distance: 0.01 });
    const own = { ...config, padding: 8 };
    const both = { ...table, entries: [...table.entries, ...tableOf(inverse, [own]).entries] };
    const chosen = await select({
      tables: [both],
      operation,
      problem: inverse,
      capabilities: limited(64, 1024),
    });
    expect(chosen.candidates[0].config).toEqual(own);
  });

  it("four-step fits WebGPU's default limits at every length it takes", () => {
    for (let n = 256; n <= 1_048_576; n *= 2) {
      const config = fourStep.defaultConfig(problemOf(n), DEFAULT_CAPABILITIES);
      expect(supports(fourStep.resources(problemOf(n), config), DEFAULT_CAPABILITIES)).toEqual({
        supported: true,
      });
    }
  });
});
