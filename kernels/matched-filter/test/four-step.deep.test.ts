import { beforeAll, describe, expect, it } from "vitest";
import { driver, reportOf } from "../../../test/embedded.ts";
import type { LongCase, LongRun } from "./four-step.child.ts";

/** Odd and even powers of two, batches that are no multiple of a piece. */
const CASES: readonly LongCase[] = [
  [{ n: 32_768, data: 2, templates: 3, pairs: 5 }, 2],
  [{ n: 65_536, data: 1, templates: 2, pairs: 2 }, 1],
  [{ n: 524_288, data: 1, templates: 1, pairs: 1 }, 1],
  [{ n: 1_048_576, data: 1, templates: 1, pairs: 1 }, 1],
  // 8 workgroups a pair in both steps: 65,600 of them fold into a second dimension.
  [{ n: 256, data: 82, templates: 100, pairs: 8200 }, 8200, { side: 2, rows: 2 }],
];

describe.skipIf(!driver)("four-step on the embedded GPU, once each", () => {
  let runs: readonly LongRun[];
  beforeAll(async () => {
    runs = await reportOf(new URL("four-step.child.ts", import.meta.url), {
      ...{ words: [JSON.stringify(CASES)], timeout: 300_000 },
    });
  }, 300_000);

  for (const [at, [problem, most]] of CASES.entries()) {
    it(`finds every planted lag to 5e-7 at n = ${problem.n}, ${problem.pairs} pairs in pieces of ${most} at most`, () => {
      const { matched, detail, maxError, pieces, itemsPerPiece } = runs[at]!;
      expect(matched, detail).toBe(problem.pairs);
      expect(maxError).toBeLessThan(5e-7);
      expect(itemsPerPiece).toBeLessThanOrEqual(most);
      expect(pieces).toBe(Math.ceil(problem.pairs / itemsPerPiece));
    });
  }
});
