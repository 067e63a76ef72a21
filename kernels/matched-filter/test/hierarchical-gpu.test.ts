import type { Config, TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tileFused, twoKernel } from "../src/index.ts";
import { errorBound } from "./accuracy.ts";

const entry = new URL("./hierarchical-host.ts", import.meta.url);
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(await chooseDevice("swiftshader"), { entry, profile: "portable" });
});
afterAll(() => bench.close());

const ALGORITHMS = { "two-kernel": twoKernel, "tile-fused": tileFused } as const;
type Name = keyof typeof ALGORITHMS;
const NAMES = Object.keys(ALGORITHMS) as Name[];

interface Asked {
  readonly threshold: number;
  readonly n?: number;
  readonly config?: Config;
  /** What the host makes of it: the matched filter, or one with other inputs or texts. */
  readonly operation?: string;
}

/** 5 x 20 pairs unless told, so that the last workgroup of any tile has fewer. */
function measure(
  name: Name,
  { threshold, n = 256, config = {}, operation = "matched-filter" }: Asked,
  data = 5,
): Promise<TrialOutcome> {
  const problem = { n, data, templates: 20, pairs: 20 * data, threshold };
  const algorithm = ALGORITHMS[name];
  const whole = { ...algorithm.defaultConfig(problem, bench.hello.info.capabilities), ...config } as Config;
  const request = { operation, algorithm: name, problem, config: whole, isDefault: false };
  return bench.measure({ ...request, grade: "screened", seeds: [1, 2], oracleSample: 100 });
}

function expectRight(outcome: TrialOutcome, what: string): void {
  expect(outcome.status, `${what}: ${outcome.reason}`).toBe("ok");
  expect(outcome.verdict!.matched, outcome.verdict!.detail).toBe(outcome.verdict!.total);
  expect(outcome.verdict!.maxError, what).toBeLessThan(errorBound(outcome.config));
}

/** Share of pairs that passed the coarse pass of the last run. */
const escalating = ({ probes, problem }: TrialOutcome): number =>
  probes!["passed.survivors"]! / Number(problem.pairs);

/** Parameters of the halves that were added later; subgroups have four lanes here. Of the first both halves' last exchanges are shuffles, of the coarse one the only one. */
const LATER: readonly Config[] = [
  {
    ...{ coarseRadix: 16, coarsePoints: 16, coarseChunk: 16, coarseTile: 2, coarseShuffle: 4 },
    ...{ coarseTwiddles: "constant", refineShuffle: 4, refineTwiddles: "constant" },
  },
  { coarseUnroll: false, refineIndex: "mask" },
  { coarseIndex: "mask", refineUnroll: false, refineReduction: "subgroup" },
];

/** Settings away from the default: radices, oversampling, loads by pairs, one pair at a time, subgroup reduction. */
const OTHERS: Readonly<Record<Name, readonly Config[]>> = {
  "two-kernel": [
    { coarseSides: 2, coarseTile: 1, coarseStaging: "split", refineReduction: "subgroup" },
    {
      ...{ band: 32, oversampling: 2, coarsePoints: 8, coarseLoads: "vector", coarseTile: 8, coarseSides: 4 },
      ...{ coarseHoist: true, coarseChunk: 8, boundWorkgroup: 128, refineTwiddles: "table-walk" },
    },
    ...LATER,
  ],
  "tile-fused": [
    { coarseStaging: "split", coarseTile: 2, refineReduction: "subgroup" },
    {
      band: 32,
      oversampling: 2,
      coarsePoints: 8,
      coarseRadix: 8,
      coarseChunk: 2,
      coarseTile: 8,
      coarseHoist: true,
    },
    ...LATER,
  ],
};

describe("hierarchical matched filters on the embedded GPU", () => {
  for (const name of NAMES) {
    it(`${name} misses no peak and invents none, at seven thresholds that let none to all of the pairs pass`, async () => {
      const shares: number[] = [];
      for (const threshold of [0.2, 0.6, 0.7, 0.8, 0.95, 1, 1.4]) {
        const outcome = await measure(name, { threshold });
        expectRight(outcome, `threshold ${threshold}`);
        shares.push(escalating(outcome));
      }
      expect(shares[0]).toBe(1);
      expect(shares.at(-1)).toBe(0);
      expect(shares.filter((share) => share > 0.3 && share < 1).length).toBeGreaterThan(0);
      expect(shares).toEqual([...shares].sort((a, b) => b - a));
    });

    it(`${name} tells peaks within a hundredth and a ten-thousandth of the threshold apart, on coarse lags and between them`, async () => {
      for (const config of [{}, { band: 32, centre: 0.25 }]) {
        const outcome = await measure(name, { threshold: 1, operation: "edges", config }, 6);
        expectRight(outcome, JSON.stringify(config));
        expect(escalating(outcome)).toBeGreaterThan(0.5);
        expect(outcome.verdict!.nearTies).toBe(0);
      }
    });

    it(`${name}: a NaN in a spectrum, in the band or beyond it, costs its own pairs their peak and no other`, async () => {
      const outcome = await measure(name, { threshold: 0.7, operation: "poisoned" });
      expectRight(outcome, "poisoned");
      expect(escalating(outcome)).toBeLessThan(0.9);
    });

    for (const [index, config] of OTHERS[name].entries()) {
      it(`${name} is right in settings away from the default (${index + 1})`, async () => {
        for (const threshold of [0.7, 1])
          expectRight(await measure(name, { threshold, config }), JSON.stringify(config));
      });
    }

    for (const [fault, operation] of [
      ["a coarse threshold without its slack", "no-slack"],
      ["a coarse pass that reads one bin too far", "band-off-by-one"],
    ] as const) {
      it(`${name}: ${fault} is called wrong, with the first pair that shows it`, async () => {
        const outcome = await measure(name, { threshold: operation === "no-slack" ? 0.7 : 0.95, operation });
        expect(outcome.status).toBe("wrong");
        expect(outcome.verdict!.detail).toMatch(/^pair \d+: no peak, float64 has/);
      });
    }
  }

  it("a worklist longer than a row of workgroups goes on in the next row", async () => {
    const outcome = await measure("two-kernel", { threshold: 0.2, operation: "rows-of-seven" });
    expectRight(outcome, "rows of seven");
    expect(escalating(outcome)).toBe(1);
  });

  for (const [fault, operation] of [
    ["a worklist whose counters nobody resets", "counters-kept"],
    ["a record written where its pair stood in the worklist", "record-by-slot"],
  ] as const) {
    it(`${fault} is called wrong`, async () => {
      const outcome = await measure("two-kernel", { threshold: 0.7, operation });
      expect(outcome.status).toBe("wrong");
    });
  }
});
