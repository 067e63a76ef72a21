import {
  type Capabilities,
  type Config,
  checkPlan,
  DEFAULT_CAPABILITIES,
  DEFAULT_LIMITS,
  Fault,
  type LimitName,
  planHash,
  supports,
} from "@tunelab/contract";
import { capabilitiesOf, cutBatch, DEFAULT_BUDGETS, Executor, requestDeviceFor } from "@tunelab/executor";
import { checkConfig, checkSpace, countValid, formatId, randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { declaredWorkgroupBytes } from "../../../test/declared.ts";
import { type FftProblem, operation } from "../src/index.ts";
import { ALGORITHMS, type AlgorithmName, planOf } from "./cpu.ts";

// Referenced for as long as devices live, or the process crashes in the driver thread.
const gpu = create(["backend=null"]);
Object.assign(globalThis, globals, { gpu });

const LENGTHS: Readonly<Record<AlgorithmName, readonly number[]>> = {
  "one-workgroup": [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384],
  "four-step": [
    256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576,
  ],
};
const problemOf = (n: number): FftProblem => ({ n, batch: 6, direction: "forward" });

let executor: Executor;
let capabilities: Capabilities;

beforeAll(async () => {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter);
  capabilities = capabilitiesOf(device, adapter.info);
  executor = new Executor(device, capabilities, { clock: performance });
});

afterAll(() => {
  executor.dispose();
  executor.device.destroy();
});

for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
  const lengths = LENGTHS[name as AlgorithmName];
  describe(`the texts of ${name}`, () => {
    it("every sampled variant of every length compiles, and claims what its text declares", async () => {
      for (const n of lengths) {
        const space = algorithm.space(problemOf(n));
        expect(checkSpace(space)).toEqual([]);
        for (const config of sample(space, randomFrom(n), 3)) {
          const plan = algorithm.plan(problemOf(n), config, capabilities);
          const id = `n=${n} ${formatId(name, space, config)}`;
          expect(checkPlan(plan), id).toEqual([]);
          const resources = algorithm.resources(problemOf(n), config);
          const declared = Math.max(...plan.modules.map(({ wgsl }) => declaredWorkgroupBytes(wgsl)));
          expect(resources.workgroupBytes, id).toBe(declared);
          const sizes = plan.modules.map(({ wgsl }) => Number(/@workgroup_size\((\d+)\)/.exec(wgsl)?.[1]));
          expect(resources.invocations, id).toBe(Math.max(...sizes));
          const bound = plan.steps.map((step) =>
            "bindings" in step ? step.bindings.filter(({ access }) => access !== "uniform").length : 0,
          );
          expect(resources.storageBuffers, id).toBe(Math.max(...bound));
          const computes = plan.modules.some(({ wgsl }) => /\bcos\(/.test(wgsl));
          expect(resources.looseBuiltins, id).toEqual(computes ? ["cos", "sin"] : []);
          const scratch = plan.buffers.find(({ role }) => role === "scratch")?.itemBytes ?? 0;
          expect(resources.scratchBytesPerItem, id).toBe(scratch);
          if (supports(resources, capabilities).supported) await executor.prepare(plan);
        }
      }
    }, 60_000);

    it("no index is masked with & | or ^, which the compiler would clamp, but where that is asked for", () => {
      for (const n of lengths) {
        for (const config of sample(algorithm.space(problemOf(n)), randomFrom(n + 1), 4)) {
          for (const { wgsl } of algorithm.plan(problemOf(n), config, capabilities).modules) {
            if (config.index !== "mask") expect(wgsl).not.toMatch(/ [&|^] /);
          }
        }
      }
    });

    it("the default is one of the space's, and fits WebGPU's default limits at every length", () => {
      for (const n of lengths) {
        const config = algorithm.defaultConfig(problemOf(n), DEFAULT_CAPABILITIES);
        expect(supports(algorithm.resources(problemOf(n), config), DEFAULT_CAPABILITIES)).toEqual({
          supported: true,
        });
        expect(checkConfig(algorithm.space(problemOf(n)), config), `n = ${n}`).toBeUndefined();
      }
    });

    it("a new batch size changes no text, a new length or direction does", async () => {
      const [n] = lengths;
      const text = (problem: FftProblem): string =>
        planOf(name as AlgorithmName, problem)
          .modules.map(({ wgsl }) => wgsl)
          .join();
      expect(text({ ...problemOf(n!), batch: 99 })).toBe(text(problemOf(n!)));
      expect(text({ ...problemOf(n!), direction: "inverse" })).not.toBe(text(problemOf(n!)));
      expect(text(problemOf(2 * n!))).not.toBe(text(problemOf(n!)));
      const hash = (): Promise<string> => planHash(planOf(name as AlgorithmName, problemOf(n!)));
      expect(await hash()).toBe(await hash());
    });
  });
}

describe("lengths that an algorithm does not take", () => {
  it("leave its space empty and its plan refused, each with the algorithm to choose", () => {
    const long = problemOf(32_768);
    expect(countValid(ALGORITHMS["one-workgroup"].space(long))).toBe(0);
    expect(() => planOf("one-workgroup", long)).toThrow(/up to 16384 points, not 32768: choose four-step/);
    const short = problemOf(128);
    expect(countValid(ALGORITHMS["four-step"].space(short))).toBe(0);
    expect(() => planOf("four-step", short)).toThrow(
      /128 points are too few to split, 256 at least: choose one-workgroup/,
    );
  });
});

describe("bad problems", () => {
  const refusals: [Record<string, unknown>, RegExp][] = [
    [{ n: 100, batch: 1, direction: "forward" }, /n is 100, not a power of two from 64 to 1048576/],
    [{ n: 0, batch: 1, direction: "forward" }, /n is 0, not a power of two/],
    [{ n: 1, batch: 1, direction: "forward" }, /n is 1, not a power of two/],
    [{ n: 32, batch: 1, direction: "forward" }, /n is 32, not a power of two from 64/],
    [{ n: 2_097_152, batch: 1, direction: "forward" }, /n is 2097152, not a power of two from 64 to 1048576/],
    [{ n: -64, batch: 1, direction: "forward" }, /n is -64/],
    [{ n: "64", batch: 1, direction: "forward" }, /n is 64, not/],
    [{ n: Number.NaN, batch: 1, direction: "forward" }, /n is NaN/],
    [{ n: 64, batch: 0, direction: "forward" }, /batch is 0, not a positive integer/],
    [{ n: 64, batch: 1.5, direction: "forward" }, /batch is 1.5, not a positive integer/],
    [{ n: 64, batch: 2 ** 40, direction: "forward" }, /batch is 1099511627776, over 4294836225/],
    [{ n: 64, batch: 1, direction: "backward" }, /direction is backward, not one of forward, inverse/],
    [{ n: 64, batch: 1 }, /direction is undefined/],
    [{ n: 64, batch: 1, direction: "forward", m: 2 }, /no dimension m: it has n, batch, direction/],
  ];
  for (const [bad, message] of refusals) {
    it(`${JSON.stringify(bad)} is refused in one line`, () => {
      expect(operation.refuse(bad as never)).toMatch(message);
    });
  }
  it("good ones are not", () => {
    for (const n of [64, 16_384, 32_768, 1_048_576]) expect(operation.refuse(problemOf(n))).toBeUndefined();
  });
});

describe("buffers and limits", () => {
  it("an input of the wrong size, missing or unknown is refused with both sizes", async () => {
    const prepared = await executor.prepare(planOf("one-workgroup", problemOf(64)));
    const words = 2 * 64 * 6;
    await expect(prepared.bind({ input: new Float32Array(words - 1) })).rejects.toThrow(
      `port input has ${4 * (words - 1)} bytes, the plan needs ${4 * words}`,
    );
    await expect(prepared.bind({})).rejects.toThrow(`port input is missing: bind ${4 * words} bytes`);
    await expect(
      prepared.bind({ input: new Float32Array(words), window: new Float32Array(4) }),
    ).rejects.toThrow(/unknown port window/);
  });

  const cut = (name: AlgorithmName, problem: FftProblem, limits: Partial<Record<LimitName, number>>) =>
    cutBatch({
      plan: planOf(name, problem),
      limits: { ...DEFAULT_LIMITS, ...limits },
      budgets: DEFAULT_BUDGETS,
    });

  it("a batch over the binding limit is split into pieces that each fit, whole transforms apiece", () => {
    // 1 GiB in and out through bindings of 128 MiB; one of two dispatches too.
    for (const [name, n] of [
      ["one-workgroup", 4096],
      ["four-step", 65_536],
    ] as const) {
      const problem: FftProblem = { n, batch: 2 ** 27 / n, direction: "forward" };
      const { pieces, cut: how } = cut(name, problem, { maxBufferSize: 2 ** 32 });
      expect(how).toMatchObject({ pieces: 8, boundBy: "binding" });
      expect(pieces.reduce((sum, { items }) => sum + items, 0)).toBe(problem.batch);
      for (const { items } of pieces)
        expect(items * n * 8).toBeLessThanOrEqual(DEFAULT_LIMITS.maxStorageBufferBindingSize);
    }
  });

  it("one transform over the binding limit is refused with both numbers", () => {
    const problem: FftProblem = { n: 1_048_576, batch: 1, direction: "forward" };
    const small = (): unknown => cut("four-step", problem, { maxStorageBufferBindingSize: 2 ** 22 });
    expect(small).toThrow(Fault);
    expect(small).toThrow(/needs 8388608 bytes, over maxStorageBufferBindingSize = 4194304/);
    const large: FftProblem = { n: 4096, batch: 2 ** 18, direction: "forward" };
    expect(() => cut("one-workgroup", large, {})).toThrow(
      /needs 8589934592 bytes, over maxBufferSize = 268435456/,
    );
  });

  it("pieces hold whole workgroups of transforms side by side", () => {
    const config: Config = {
      ...ALGORITHMS["one-workgroup"].defaultConfig(problemOf(64), DEFAULT_CAPABILITIES),
      transforms: 16,
    };
    const plan = planOf("one-workgroup", { n: 64, batch: 1000, direction: "forward" }, config);
    const { pieces } = cutBatch({
      plan,
      limits: { ...DEFAULT_LIMITS, maxStorageBufferBindingSize: 100 * 512 },
      budgets: DEFAULT_BUDGETS,
    });
    expect(pieces.length).toBeGreaterThan(10);
    for (const { items } of pieces.slice(0, -1)) expect(items % 16).toBe(0);
  });
});
