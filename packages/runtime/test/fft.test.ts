import { type Fault, problemKey } from "@tunelab/contract";
import { suite } from "@tunelab/kernel-fft/suite";
import { describe, expect, it } from "vitest";
import { calibrateFft, createRuntime, explainFft, fft } from "../src/fft.ts";
import { fftTrial } from "../src/operations/fft/calibrate.ts";

const runtime = await createRuntime({ backend: "cpu" });

describe("the Fourier transform on the CPU", () => {
  const problems = (["forward", "inverse"] as const).flatMap((direction) =>
    [64, 1024, 16384].map((n) => ({ n, batch: 3, direction })),
  );
  it.each(problems)("passes the laboratory's oracle: $direction, n = $n", async (problem) => {
    const inputs = suite.inputs(problem, 5);
    const { n, direction } = problem;
    const { output } = await fft(runtime, { n, direction, input: inputs.input as Float32Array });
    const verdict = suite.oracle(problem, inputs).check({ output }, { count: problem.batch, seed: 1 });
    expect(verdict.matched, `${problemKey(problem)}: ${verdict.detail}`).toBe(verdict.total);
    expect(verdict.maxError).toBeLessThan(1e-6);
  });

  it("is not normalised: inverse after forward gives n times the input", async () => {
    const n = 64;
    const input = Float32Array.from({ length: 4 * n }, (_, at) => Math.cos(at * at));
    const there = await fft(runtime, { n, input });
    const back = await fft(runtime, { n, input: there.output, direction: "inverse" });
    for (const [at, value] of back.output.entries()) expect(value / n).toBeCloseTo(input[at]!, 5);
    expect(back).toMatchObject({ backend: "cpu", variant: "cpu/fft.js" });
  });

  it("refuses what is no whole number of transforms, and a length that is no power of two", async () => {
    const faultOf = (n: number, floats: number): Promise<Fault> =>
      fft(runtime, { n, input: new Float32Array(floats) }).then(
        () => expect.fail("nothing was thrown"),
        (error) => error,
      );
    expect(await faultOf(64, 100)).toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/input has 100.*128/),
    });
    expect(await faultOf(96, 192)).toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/96.*power of two/),
    });
    expect((await explainFft(runtime, { n: 64, batch: 9 })).variant).toBe("cpu/fft.js");
  });
});

describe("a race of transforms", () => {
  const problem = { n: 64, batch: 40, direction: "inverse" } as const;

  it("takes the CPU's own answer, and turns down one that is off in a compared transform, or no number", async () => {
    const { inputs, verify } = await fftTrial(problem, 2e-6);
    const { n, direction } = problem;
    const { output } = await fft(runtime, { n, direction, input: inputs.input as Float32Array });
    expect(await verify({ output })).toBeUndefined();
    const spoiled = (at: number, value: number): Float32Array => {
      const other = output.slice();
      other[at] = value;
      return other;
    };
    // Transforms 0, 2, 4, ... are compared: the third item is one of them.
    expect(await verify({ output: spoiled(2 * n * 2 + 5, 0) })).toMatch(/transform 2 is .* over 0.000002/);
    expect(await verify({ output: spoiled(0, Number.NaN) })).toMatch(/transform 0 is NaN/);
    expect(await verify({ output: output.map((value, at) => value * (at % 2 ? 1 : 1 + 1e-5)) })).toMatch(
      /transform 0/,
    );
  });

  it("needs a GPU, and refuses a problem that is none", async () => {
    const faultOf = (n: number): Promise<Fault> =>
      calibrateFft(runtime, { n, batch: 1 }, { maxMilliseconds: 10 }).then(
        () => expect.fail("nothing was thrown"),
        (error) => error,
      );
    expect(await faultOf(96)).toMatchObject({ kind: "usage" });
    expect(await faultOf(64)).toMatchObject({
      kind: "unsupported",
      message: expect.stringMatching(/CPU alone/),
    });
  });
});
