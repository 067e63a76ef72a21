import type { Config } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corrReduce, fused } from "../src/index.ts";
import { EXACT } from "./accuracy.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

const WIDE: Config = {
  radix: 16,
  butterfly: "fused",
  chunk: 4,
  staging: "split",
  padding: 16,
  gap: 4,
  twiddles: "table",
  reduction: "subgroup",
  tile: 2,
  hoist: true,
};

// A software GPU compiles these texts for seconds.
describe("long transforms on the embedded GPU", () => {
  for (const n of [2048, 4096, 8192, 16_384]) {
    for (const algorithm of [fused, corrReduce] as const) {
      it(`${algorithm.name} finds every planted lag at n = ${n}`, async () => {
        const problem = { n, data: 2, templates: 3, pairs: 6 };
        const configs = [algorithm.defaultConfig(problem, bench.hello.info.capabilities) as Config];
        if (algorithm === fused) configs.push({ ...WIDE, workgroup: Math.min(256, n / 16) });
        if (algorithm === fused && n <= 4096)
          configs.push({
            ...WIDE,
            radix: 32,
            butterfly: "merged",
            twiddles: "table-pairs",
            chunk: 16,
            workgroup: n / 32,
            gap: 2,
            tile: 1,
            hoist: false,
          });
        if (algorithm === fused && n === 2048)
          configs.push({
            ...WIDE,
            radix: 64,
            butterfly: "merged",
            chunk: 32,
            workgroup: n / 64,
            tile: 1,
            hoist: false,
          });
        for (const config of configs) {
          const outcome = await bench.measure({
            operation: "matched-filter",
            algorithm: algorithm.name,
            problem,
            config,
            isDefault: false,
            grade: "screened",
            seeds: [1, 2],
            oracleSample: 6,
          });
          expect(outcome.status, `${outcome.variant}: ${outcome.reason}`).toBe("ok");
          expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(outcome.verdict!.total);
          expect(outcome.verdict!.maxError).toBeLessThan(EXACT);
        }
      }, 300_000);
    }
  }
});
