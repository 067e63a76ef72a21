import type { Algorithm } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { checkConfig } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block, type EighProblem, oneSided, scalar } from "../src/index.ts";
import { eighProblem, KINDS } from "../src/suite.ts";

const entry = new URL("./host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

const algorithms = [scalar, oneSided, block] as unknown as readonly Algorithm<EighProblem>[];
/** Every order to 20, orders about powers of two and multiples of a block to 128, then the large ones. */
const small = Array.from({ length: 20 }, (_, i) => i + 1);
const middle = [21, 24, 31, 32, 33, 47, 48, 63, 64, 65, 96, 100, 127, 128];
const large = [192, 256, 384, 512];

async function expectAccurate(algorithm: Algorithm<EighProblem>, n: number, batch: number): Promise<void> {
  const problem = eighProblem(n, batch, { spectrum: "mixed", pad: n % 3 });
  const config = algorithm.defaultConfig(problem, bench.hello.info.capabilities);
  if (checkConfig(algorithm.space(problem), config)) return;
  const outcome = await bench.measure({
    operation: "eigh",
    algorithm: algorithm.name,
    problem,
    config,
    isDefault: true,
    grade: "screened",
    seeds: [n],
    oracleSample: batch,
  });
  const what = `${algorithm.name} n=${n}: ${outcome.reason ?? ""} ${outcome.verdict?.detail ?? ""}`;
  expect(outcome.status, what).toBe("ok");
  expect(outcome.verdict!.maxError, what).toBeLessThanOrEqual(10);
  console.log(
    `${algorithm.name} n=${n}: ${outcome.verdict!.maxError.toFixed(2)} n eps, ${outcome.probes!["report.sweeps"]} sweeps`,
  );
}

describe("every kind of matrix, residual, orthogonality and values within 10 n eps", () => {
  for (const algorithm of algorithms) {
    it(`${algorithm.name} at every order to 20`, async () => {
      for (const n of small) await expectAccurate(algorithm, n, KINDS.length);
    }, 600_000);

    for (const n of middle) {
      it(`${algorithm.name} at n = ${n}`, () => expectAccurate(algorithm, n, KINDS.length), 600_000);
    }
  }

  for (const n of large) {
    it(`block at n = ${n}`, () => expectAccurate(algorithms[2]!, n, KINDS.length), 1_800_000);
  }

  // Every element passes through global memory twice a round: the two of the largest are for a real device.
  for (const n of large.slice(0, 2)) {
    it(`scalar at n = ${n}`, () => expectAccurate(algorithms[0]!, n, 3), 1_800_000);
  }
});
