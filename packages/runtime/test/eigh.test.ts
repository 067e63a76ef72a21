import { eighProblem, KINDS, suite } from "@tunelab/kernel-eigh/suite";
import { describe, expect, it } from "vitest";
import { bindEigh, calibrateEigh, createRuntime, eigh, explainEigh, prepareEigh } from "../src/eigh.ts";
import { eighTrial } from "../src/operations/eigh/calibrate.ts";

const runtime = await createRuntime({ backend: "cpu" });

describe("the eigensolver on the CPU", () => {
  it.each([1, 2, 7, 20])(
    "passes the laboratory's oracle on every kind of matrix, padded: n = %i",
    async (n) => {
      const problem = eighProblem(n, KINDS.length, { spectrum: "mixed", pad: 2, gap: 3 });
      const inputs = suite.inputs(problem, 5);
      const { values, vectors, nonFinite, unconverged } = await eigh(runtime, {
        n,
        pad: 2,
        gap: 3,
        matrices: inputs.matrices as Float32Array,
      });
      const status = new Uint32Array(2 * KINDS.length);
      for (const item of nonFinite) status[2 * item] = 2;
      const verdict = suite
        .oracle(problem, inputs)
        .check({ values, vectors: vectors!, status }, { count: KINDS.length, seed: 1 });
      expect(verdict.matched, verdict.detail).toBe(verdict.total);
      expect(verdict.maxError).toBeLessThan(1);
      expect(unconverged).toEqual([]);
      expect(nonFinite).toEqual(
        [...KINDS.entries()].flatMap(([item, kind]) => (kind.nonFinite ? [item] : [])),
      );
    },
  );

  it("gives values alone where vectors are not wanted", async () => {
    const matrices = Float32Array.of(2, 1, 1, 2);
    const answer = await eigh(runtime, { n: 2, matrices, vectors: false });
    expect([...answer.values]).toEqual([1, 3]);
    expect(answer).not.toHaveProperty("vectors");
    expect(answer).toMatchObject({ backend: "cpu", variant: "cpu/ml-matrix" });
    expect((await explainEigh(runtime, { n: 2, batch: 9 })).variant).toBe("cpu/ml-matrix");
  });

  it("refuses an empty batch ahead of time, and buffers for vectors that are not wanted, in one line each", async () => {
    const fault = (message: RegExp) => ({ kind: "usage", message: expect.stringMatching(message) });
    await expect(explainEigh(runtime, { n: 4, batch: 0 })).rejects.toMatchObject(
      fault(/^eigh: batch is 0, not/),
    );
    await expect(prepareEigh(runtime, { n: 4, batch: 0 })).rejects.toMatchObject(
      fault(/^eigh: batch is 0, not/),
    );
    await expect(calibrateEigh(runtime, { n: 4, batch: 0 }, { maxMilliseconds: 1 })).rejects.toMatchObject(
      fault(/^eigh: batch is 0, not/),
    );
    const results = { vectors: { size: 64 } as GPUBuffer };
    await expect(
      bindEigh(runtime, { n: 2, matrices: new Float32Array(4), vectors: false, results }),
    ).rejects.toMatchObject(fault(/vectors is false$/));
  });

  const refusals: [string, { n: number; floats: number; pad?: number }, RegExp][] = [
    ["an order of 0", { n: 0, floats: 4 }, /n is 0/],
    ["an order over 512", { n: 513, floats: 513 * 513 }, /n is 513, over 512/],
    ["an empty batch", { n: 2, floats: 0 }, /matrices has 0 floats, not a positive multiple of 4/],
    ["a buffer that is too short", { n: 4, floats: 15 }, /matrices has 15 floats.*16/],
    ["a negative padding", { n: 2, floats: 4, pad: -1 }, /pad is -1/],
  ];
  for (const [what, { n, floats, pad }, message] of refusals) {
    it(`refuses ${what} in one line`, async () => {
      const asked = { n, matrices: new Float32Array(floats), ...(pad === undefined ? {} : { pad }) };
      await expect(eigh(runtime, asked)).rejects.toMatchObject({
        kind: "usage",
        message: expect.stringMatching(message),
      });
    });
  }
});

describe("a race of eigensolvers", () => {
  it("takes the CPU's own answer, and turns down a wrong value, a wrong vector and a status that is not converged", async () => {
    const n = 5;
    const problem = eighProblem(n, 30);
    const { inputs, verify } = await eighTrial(problem, 10);
    const { values, vectors } = await eigh(runtime, { n, matrices: inputs.matrices as Float32Array });
    const status = new Uint32Array(60);
    const outputs = { values, vectors: vectors!, status };
    expect(await verify(outputs)).toBeUndefined();
    const spoiled = (of: Float32Array): Float32Array => of.map((x, at) => (at === 1 ? x + 0.1 : x));
    expect(await verify({ ...outputs, values: spoiled(values) })).toMatch(/matrix 0 is off by/);
    expect(await verify({ ...outputs, vectors: spoiled(vectors!) })).toMatch(/matrix 0 is off by/);
    expect(await verify({ ...outputs, status: status.map((x, at) => (at === 8 ? 1 : x)) })).toMatch(
      /matrix 4 ended with status 1/,
    );
  });
});
