import { operation } from "@tunelab/kernel-matched-filter";
import { describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { createRuntime, explainMatchedFilter } from "../src/index.ts";
import { TABLED, tableOf } from "./made-table.ts";

Object.assign(globalThis, globals);
// Held for as long as devices live: without a reference the process dies in the driver's thread.
const gpu = create(["backend=null"]);
const n = 256;

/** What `auto` says of a shape where the device's own table gives this time for its nine pairs. */
async function routed(usOfNinePairs: number, shape: { readonly data: number; readonly templates: number }) {
  const bare = await createRuntime({ gpu });
  const table = await tableOf(bare.info, n, "shelf", usOfNinePairs / 2);
  bare.dispose();
  const runtime = await createRuntime({ gpu, backend: "auto", tables: [table] });
  const explanation = await explainMatchedFilter(runtime, { n, ...shape });
  runtime.dispose();
  return explanation;
}

describe("auto on a GPU", () => {
  /** 200,000 pairs: seconds on any CPU, against which a round trip to the null device is nothing. */
  const many = { data: 400, templates: 500 };

  it("follows the device's own table: the same call goes where the table's time sends it", async () => {
    expect((await routed(0.001, many)).variant).toBe(TABLED);
    const slow = await routed(1e9, many);
    expect(slow.variant).toBe("cpu/fft.js");
    // 1e9 us for nine pairs are 2.22e10 ms for 200,000: scaled by the batch.
    expect(slow.why).toMatch(/ms on the CPU against 22200000000 ms on the GPU \(22200000000 ms to compute/);
  });

  it("says both figures, the GPU's scaled from the measured nine pairs to the one asked for", async () => {
    const { variant, why } = await routed(9e9, { data: 1, templates: 1 });
    expect(variant).toBe("cpu/fft.js");
    expect(why).toMatch(
      /^auto: \S+ ms on the CPU against 1000000 ms on the GPU \(1000000 ms to compute, \S+ ms round trip, \S+ ms transfer\)/,
    );
  });

  it("asks the device's cost models where no table tells, and goes where they send it", async () => {
    const bound = { expectedMsPerItem: 1 };
    const sides = await Promise.all(
      [1e-9, 1e9].map(async (ms) => {
        const runtime = await createRuntime({ gpu });
        const source = { operation, tables: async () => [], expecting: async () => () => ({ ms, bound }) };
        const problem = { n, data: 1, templates: 1, pairs: 1 };
        const found = await runtime.operation(source).expectedMs(problem as never);
        runtime.dispose();
        return found;
      }),
    );
    expect(sides).toEqual([1e-9, 1e9]);
  });

  it("without a table goes to the GPU once, to learn its time", async () => {
    const runtime = await createRuntime({ gpu, backend: "auto" });
    const { variant } = await explainMatchedFilter(runtime, { n, data: 1, templates: 1 });
    expect(variant).toMatch(/^(fused|corr-reduce)\//);
    runtime.dispose();
  });
});
