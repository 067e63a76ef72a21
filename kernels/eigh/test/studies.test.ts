import {
  type Algorithm,
  type Capabilities,
  type Config,
  DEFAULT_CAPABILITIES,
  supports,
} from "@tunelab/contract";
import { checkConfig } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { type EighProblem, operation } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/** A large GPU, as an H200 presents itself. */
const LARGE: Capabilities = {
  features: ["subgroups", "timestamp-query"],
  limits: {
    ...DEFAULT_CAPABILITIES.limits,
    maxComputeWorkgroupStorageSize: 49_152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
  },
  subgroup: { minimum: 32, maximum: 32 },
};
/** The embedded software GPU. */
const EMBEDDED: Capabilities = {
  ...LARGE,
  limits: { ...LARGE.limits, maxComputeWorkgroupStorageSize: 32_768, maxComputeInvocationsPerWorkgroup: 256 },
  subgroup: { minimum: 4, maximum: 4 },
};

const studies = suite.studies!;
const loaded = async (): Promise<ReadonlyMap<string, Algorithm<EighProblem>>> =>
  new Map(
    await Promise.all(
      Object.entries(operation.algorithms).map(async ([name, load]) => [name, await load()] as const),
    ),
  );

describe("the five published tables", () => {
  it("are those of the document (threads, matrices a workgroup, modes, backends, inner sweeps) and the crossover with the CPU", () => {
    expect(studies.map(({ id }) => id)).toEqual([
      ...["threads", "matrices", "modes", "backends", "inner"],
      "crossover",
    ]);
  });

  for (const [name, capabilities] of [
    ["a large GPU", LARGE],
    ["the embedded GPU", EMBEDDED],
    ["WebGPU's defaults", DEFAULT_CAPABILITIES],
  ] as const) {
    it(`force variants that exist on ${name}; only a column of few parts has nothing for a row`, async () => {
      const algorithms = await loaded();
      for (const study of studies) {
        for (const problem of study.rows) {
          expect(operation.refuse(problem)).toBeUndefined();
          for (const column of study.columns) {
            if (column.host) continue;
            const variant = column.variant!(problem as never, capabilities);
            const where = `${study.id} n=${problem.n} batch=${problem.batch} ${column.name}`;
            if (!variant) {
              expect(["subgroup", "one-sided"], where).toContain(column.name);
              continue;
            }
            const algorithm = algorithms.get(variant.algorithm)!;
            const config = {
              ...algorithm.defaultConfig(problem as never, capabilities),
              ...variant.config,
            } as Config;
            expect(checkConfig(algorithm.space(problem as never), config), where).toBeUndefined();
          }
        }
      }
    });
  }

  it("have a subgroup column for every row on a GPU whose subgroups hold 32 threads", () => {
    const modes = studies.find(({ id }) => id === "modes")!;
    for (const problem of modes.rows) {
      expect(modes.columns[0]!.variant!(problem as never, LARGE), `n=${problem.n}`).toBeDefined();
    }
  });

  it("have a column of what runs without tuning, which fits the device", async () => {
    const algorithms = await loaded();
    const threads = studies.find(({ id }) => id === "threads")!;
    for (const problem of threads.rows) {
      const { algorithm, config } = threads.columns.at(-1)!.variant!(problem as never, EMBEDDED)!;
      const whole = { ...algorithms.get(algorithm)!.defaultConfig(problem as never, EMBEDDED), ...config };
      expect(supports(algorithms.get(algorithm)!.resources(problem as never, whole), EMBEDDED)).toEqual({
        supported: true,
      });
    }
  });

  it("all choose something among their own columns, told apart by parameters that each column fixes", async () => {
    const algorithms = await loaded();
    for (const { id, chooses, columns, rows } of studies) {
      expect(chooses!.of.length, id).toBeGreaterThan(1);
      for (const option of chooses!.of) {
        for (const name of option.columns) {
          const column = columns.find((one) => one.name === name)!;
          if (column.host) continue;
          const values = rows.flatMap((problem) => {
            const variant = column.variant?.(problem as never, LARGE);
            if (!variant) return [];
            const algorithm = algorithms.get(variant.algorithm)!;
            const whole = {
              ...algorithm.defaultConfig(problem as never, LARGE),
              ...variant.config,
            } as Config;
            return [
              JSON.stringify([
                variant.algorithm,
                ...chooses!.parameters.map((parameter) => whole[parameter]),
              ]),
            ];
          });
          expect(new Set(values).size, `${id} ${name}`).toBe(1);
        }
      }
    }
  });

  it("have the CPU solve the same matrices in float64, and judge what it left", async () => {
    const crossover = studies.find(({ id }) => id === "crossover")!;
    const cpu = crossover.columns.find(({ host }) => host)!;
    const run = await cpu.host!(crossover.rows.find(({ n, batch }) => n === 16 && batch === 16)! as never, 3);
    expect(run.verdict()).toMatchObject({ matched: 0, total: 16 });
    await run.run();
    const verdict = run.verdict();
    expect(verdict).toMatchObject({ matched: 16, total: 16 });
    expect(verdict.maxError).toBeLessThan(1);
  });

  it("stand beside the document's own figures, in microseconds, with its gaps", () => {
    const [threads, , , , inner] = studies;
    const figures = threads!.reference!.rows.find(({ problem }) => problem.n === 512)!.figures;
    expect(figures).toMatchObject({ 32: "--", 512: 1_811_007, auto: 1_026_077 });
    expect(threads!.reference!.rows).toHaveLength(24);
    expect(inner!.reference!.rows[0]!.figures["inner=1"]).toBe(14_731);
    for (const { reference, columns } of studies) {
      if (!reference) continue;
      const named = columns.map(({ name }) => name);
      for (const { figures: cells } of reference.rows) {
        const told = Object.keys(cells).filter((name) => name !== "auto");
        expect(told.length).toBeGreaterThan(1);
        expect(named).toEqual(expect.arrayContaining(told));
        for (const cell of Object.values(cells)) expect(cell === "--" || Number(cell) > 0).toBe(true);
      }
    }
  });
});
