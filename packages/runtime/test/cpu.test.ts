import { type Fault, problemKey } from "@tunelab/contract";
import { suite } from "@tunelab/kernel-matched-filter/suite";
import { describe, expect, it } from "vitest";
import {
  createRuntime,
  explainMatchedFilter,
  matchedFilter,
  NO_PEAK,
  type RuntimeEvent,
} from "../src/index.ts";
import { matchedFilterTrial } from "../src/operations/matched-filter/calibrate.ts";
import { correlateOnCpu, cpuPairMs } from "../src/operations/matched-filter/cpu.ts";
import { routeFor } from "../src/route.ts";
import { planted } from "./signal.ts";

describe("the matched filter on the CPU", () => {
  const problems = [64, 128, 512, 4096, 16384].map((n) => ({ n, data: 3, templates: 4, pairs: 12 }));
  it.each(problems)("passes the laboratory's oracle at n = $n, every pair in full", async (problem) => {
    const inputs = suite.inputs(problem, 7);
    const { data, templates, pairs } = inputs as Record<"data" | "templates", Float32Array> & {
      pairs: Uint32Array;
    };
    const records = await correlateOnCpu({ n: problem.n, data, templates, pairs, threshold: 0 });
    const verdict = suite.oracle(problem, inputs).check({ records }, { count: problem.pairs, seed: 1 });
    expect(verdict.matched, `${problemKey(problem)}: ${verdict.detail}`).toBe(problem.pairs);
    expect(verdict.sampled).toBe(problem.pairs);
    // What rounding the float64 answer to f32 costs.
    expect(verdict.maxError).toBeLessThan(1.2e-7);
  });

  it.each([
    { n: 32_768, data: 1, templates: 2, pairs: 2 },
    { n: 1_048_576, data: 1, templates: 1, pairs: 1 },
  ])("passes it at n = $n, which no workgroup holds", async (problem) => {
    const inputs = suite.inputs(problem, 7);
    const runtime = await createRuntime({ backend: "cpu" });
    const { n } = problem;
    const [data, templates] = [inputs.data, inputs.templates] as [Float32Array, Float32Array];
    const { indices, values, magnitudes } = await matchedFilter(runtime, { n, data, templates });
    const records = new Uint32Array(4 * problem.pairs);
    const floats = new Float32Array(records.buffer);
    for (const [pair, index] of indices.entries()) {
      records[4 * pair] = index;
      floats.set([values[2 * pair]!, values[2 * pair + 1]!, magnitudes[pair]!], 4 * pair + 1);
    }
    const verdict = suite.oracle(problem, inputs).check({ records }, { count: problem.pairs, seed: 1 });
    expect(verdict.matched, verdict.detail).toBe(problem.pairs);
    expect(verdict.maxError).toBeLessThan(1.2e-7);
  });

  it("refuses a longer one with the number", async () => {
    const runtime = await createRuntime({ backend: "cpu" });
    const n = 2_097_152;
    const spectra = new Float32Array(2 * n);
    await expect(matchedFilter(runtime, { n, data: spectra, templates: spectra })).rejects.toThrow(
      /n is 2097152, not a power of two from 64 to 1048576/,
    );
  });

  it("takes the lowest of equal peaks, index 0 of silence, and none where every value is NaN", async () => {
    const n = 64;
    const flat = new Float32Array(2 * n);
    flat[0] = 1; // a constant in time: every lag is equal
    const nothing = new Float32Array(2 * n).fill(Number.NaN);
    const data = new Float32Array([...flat, ...new Float32Array(2 * n), ...nothing]);
    const records = await correlateOnCpu({
      n,
      data,
      templates: flat,
      pairs: new Uint32Array([0, 0, 1, 0, 2, 0]),
      threshold: 0,
    });
    expect([records[0], records[4], records[8]]).toEqual([0, 0, NO_PEAK]);
    expect(new Float32Array(records.buffer)[3]).toBe(1);
    expect([...records.subarray(9, 12)]).toEqual([0, 0, 0]);
  });

  it("lets others run while it works", async () => {
    const { n, data, templates } = planted(16384, 3);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const pairs = new Uint32Array(2 * 200);
    await correlateOnCpu({ n, data, templates, pairs, threshold: 0 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it("measures once what a pair costs", async () => {
    const first = await cpuPairMs(64);
    expect(first).toBeGreaterThan(0);
    expect(await cpuPairMs(64)).toBe(first);
  });
});

describe("a runtime without a GPU", () => {
  const { n, data, templates, lags } = planted(256, 3);

  it("with backend cpu opens no device and answers with the same fields", async () => {
    const runtime = await createRuntime({ backend: "cpu" });
    const peaks = await matchedFilter(runtime, { n, data, templates });
    expect([0, 4, 8].map((at) => peaks.indices[at])).toEqual(lags);
    expect(peaks.magnitudes[0]).toBeCloseTo(n, 3);
    expect(Math.hypot(peaks.values[0]!, peaks.values[1]!)).toBeCloseTo(n, 3);
    expect(peaks).toMatchObject({ backend: "cpu", variant: "cpu/fft.js" });
    expect(runtime.hasGpu).toBe(false);
    expect(() => runtime.device).toThrow(/on the CPU alone/);
    runtime.dispose();
  });

  it("with a threshold reports the peaks that reach it, zeros for the others, and refuses one that is none", async () => {
    const runtime = await createRuntime({ backend: "cpu" });
    const peaks = await matchedFilter(runtime, { n, data, templates, threshold: n * 0.99 });
    expect([...peaks.indices]).toEqual(
      [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => (row === column ? lags[row] : NO_PEAK))),
    );
    expect([peaks.magnitudes[1], peaks.values[2], peaks.values[3]]).toEqual([0, 0, 0]);
    const silent = await matchedFilter(runtime, { n, data, templates, threshold: n * 1.01 });
    expect(new Set(silent.indices)).toEqual(new Set([NO_PEAK]));
    await expect(matchedFilter(runtime, { n, data, templates, threshold: -1 })).rejects.toThrow(
      /threshold is -1/,
    );
  });

  it("a race under a threshold takes the answer with few peaks, and turns down the one with all", async () => {
    const problem = { n: 64, data: 4, templates: 4, pairs: 16, threshold: 3 };
    const { inputs, verify } = await matchedFilterTrial(problem, 2e-6);
    const spectra = inputs as { data: Float32Array; templates: Float32Array; pairs: Uint32Array };
    const records = await correlateOnCpu({ n: 64, ...spectra, threshold: 3 });
    expect([...records].filter((_, at) => at % 4 === 0 && records[at] !== NO_PEAK)).toHaveLength(4);
    expect(await verify({ records })).toBeUndefined();
    expect(await verify({ records: await correlateOnCpu({ n: 64, ...spectra, threshold: 0 }) })).toMatch(
      /pair 1 peaks/,
    );
  });

  it("with backend auto says that there is none, once, and answers", async () => {
    const events: RuntimeEvent[] = [];
    const runtime = await createRuntime({ backend: "auto", onEvent: (event) => events.push(event) });
    const { backend, explanation } = await matchedFilter(runtime, { n, data, templates });
    expect(backend).toBe("cpu");
    expect(explanation.why).toMatch(/no GPU/);
    expect(events).toMatchObject([{ kind: "no-gpu", reason: expect.stringContaining("no WebGPU") }]);
  });

  it("refuses the same problems in the same words", async () => {
    const runtime = await createRuntime({ backend: "cpu" });
    const odd = { n: 96, data: new Float32Array(192), templates: new Float32Array(192) };
    const fault = await matchedFilter(runtime, odd).catch((error: Fault) => error);
    expect(fault).toMatchObject({ kind: "usage", message: expect.stringMatching(/96.*power of two/) });
    const shape = { n: 64, data: 1, templates: 1 };
    expect((await explainMatchedFilter(runtime, shape)).why).toMatch(/asks for the CPU/);
    const pinned = await explainMatchedFilter(runtime, { ...shape, backend: "gpu" }).catch(
      (error: Fault) => error,
    );
    expect(pinned).toMatchObject({ kind: "unsupported" });
  });
});

describe("auto", () => {
  const costs = { gpuMs: 1, roundTripMs: 0.5, msPerByte: 1e-6, bytes: 500_000, cpuMs: 3 };

  it("takes the side that is expected to answer first, counting round trip and transfer", () => {
    expect(routeFor(costs)).toMatchObject({ backend: "gpu", expectedMs: 2 });
    expect(routeFor({ ...costs, cpuMs: 1.9 })).toMatchObject({ backend: "cpu", expectedMs: 1.9 });
    expect(routeFor({ ...costs, bytes: 5_000_000 })).toMatchObject({ backend: "cpu" });
    expect(routeFor({ ...costs, roundTripMs: 3 }).why).toMatch(
      /3 ms on the CPU against 4.5 ms on the GPU \(1 ms/,
    );
  });

  it("takes a GPU of unknown speed, which is known after that", () => {
    expect(routeFor({ ...costs, gpuMs: undefined, cpuMs: 0 })).toMatchObject({ backend: "gpu" });
  });
});
