import type { MeasureRequest } from "@tunelab/contract";
import type { NoiseKind } from "@tunelab/harness/simulate";
import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { entryOf, firstBand, type Truth } from "./simulated.ts";

/** Gaps of 40 plans to the fastest: two of them within noise of it, the others up to 60% behind, by x and memory. */
function truthOf(seed: number): Truth {
  const random = randomFrom(seed);
  const gaps = Array.from({ length: 40 }, () => 0.02 + 0.6 * random.float());
  gaps[random.integer(40)] = 0;
  gaps[random.integer(40)] = 0.001;
  return ({ x, memory }: MeasureRequest["config"]) =>
    100_000 * (1 + gaps[2 * Number(x) + Number(memory) / 1_024]!);
}

const PAIRS = 40;

/** Pairs of sessions with different seeds on one device each: how many name the same best, a declared tie, or neither. */
async function pairs(kind: NoiseKind) {
  const counts = { same: 0, tie: 0, apart: 0 };
  let regret = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const truth = truthOf(1_000 + pair);
    const [a, b] = [
      await entryOf(truth, kind, 2 * pair + 1, {}),
      await entryOf(truth, kind, 2 * pair + 2, {}),
    ];
    for (const { rows } of [a, b]) regret = Math.max(regret, truth(rows[0]!.config) / 100_000 - 1);
    const [first, second] = [firstBand(a), firstBand(b)];
    if (first[0] === second[0]) counts.same++;
    else if (first.includes(second[0]!) && second.includes(first[0]!)) counts.tie++;
    else counts.apart++;
  }
  return { ...counts, regret };
}

describe("two sessions with different seeds", { timeout: 60_000 }, () => {
  it.each(["iid", "ar"] as const)(
    "on a quiet device (%s) name the same best, or one that both declare a tie",
    async (kind) => {
      const { same, tie, apart, regret } = await pairs(kind);
      expect(same + tie + apart).toBe(PAIRS);
      expect(apart).toBe(0);
      expect(same).toBeGreaterThan(PAIRS / 2);
      // What either names is within the gate of the truly fastest.
      expect(regret).toBeLessThanOrEqual(0.005);
    },
  );
});
