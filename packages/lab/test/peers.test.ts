import type { MeasureRequest } from "@tunelab/contract";
import { CORE_CEILING, HOST_ALGORITHM } from "@tunelab/experiment";
import { describe, expect, it } from "vitest";
import { coreFlopsPerSecond } from "../src/peers/core-ceiling.ts";
import { measurePeer } from "../src/peers/peers.ts";

const request = (operation: string, problem: MeasureRequest["problem"]): MeasureRequest => ({
  operation,
  algorithm: HOST_ALGORITHM,
  problem,
  config: {},
  isDefault: false,
  grade: "screened",
  seeds: [1],
  oracleSample: 16,
});

describe("a peer on one core", () => {
  for (const [operation, problem, items, flops] of [
    ["matched-filter", { n: 64, data: 2, templates: 3, pairs: 6 }, 6, 6 * (5 * 64 * 6 + 6 * 64)],
    ["fft", { n: 256, batch: 4, direction: "inverse" }, 4, 4 * 5 * 256 * 8],
  ] as const) {
    it(`does the ${operation} of the suite's inputs, every item right, its core's ceiling beside its time`, async () => {
      const outcome = await measurePeer("fft.js", request(operation, problem));
      expect(outcome).toMatchObject({
        ...{ operation, algorithm: HOST_ALGORITHM, variant: "host/fft.js", status: "ok", grade: "screened" },
        ...{ problem, work: { items, flops }, verdict: { matched: items, total: items } },
      });
      expect(outcome.verdict!.maxError).toBeLessThan(1e-7);
      expect(outcome.timing!.clock).toBe("wall");
      expect(outcome.metrics![CORE_CEILING]).toBeGreaterThan(0);
    });
  }

  it("that there is not, or that cannot do the operation, is refused with what there is", async () => {
    const problem = { n: 64, batch: 1, direction: "forward" };
    await expect(measurePeer("fftw", request("fft", problem))).rejects.toThrow(
      "no peer fftw does fft: there is fft.js (matched-filter, fft)",
    );
    await expect(measurePeer("constructor", request("fft", problem))).rejects.toThrow("no peer constructor");
    await expect(measurePeer("fft.js", request("eigh", { n: 4, batch: 1, vectors: "no" }))).rejects.toThrow(
      "no peer fft.js does eigh",
    );
  });
});

describe("the ceiling of one core", () => {
  it("is the best reading's chains of two FLOPs a step, by the clock given", () => {
    let calls = 0;
    // Every reading seems to take 1 ms: the most chains are the most FLOPs.
    expect(coreFlopsPerSecond(() => calls++)).toBeCloseTo((2 * 16 * 200_000) / 1e-3, -3);
    expect(calls).toBe(2 * 4 * 60);
  });
});
