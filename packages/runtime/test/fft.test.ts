import { type Fault, problemKey } from "@tunelab/contract";
import { suite } from "@tunelab/kernel-fft/suite";
import { describe, expect, it } from "vitest";
import { createRuntime, explainFft, fft } from "../src/fft.ts";

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
