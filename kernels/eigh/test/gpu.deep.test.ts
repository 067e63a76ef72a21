import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { driver } from "../../../test/embedded.ts";
import { KINDS } from "../src/suite.ts";

interface Judged {
  readonly case: string;
  readonly matched: number;
  readonly total: number;
  readonly maxError: number;
  readonly detail?: string;
  readonly sweeps: number;
  readonly converged: boolean;
}

/** Verdicts of cases "algorithm n batch", one run each, without a deadline: a software GPU needs minutes for the large ones. */
async function judged(cases: readonly string[]): Promise<readonly Judged[]> {
  const child = fileURLToPath(new URL("deep.child.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx"), child],
    { env: { ...process.env, ...driver, EIGH_CASES: cases.join(",") }, maxBuffer: 1 << 26 },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as readonly Judged[];
}

const algorithms = ["scalar", "one-sided", "block", "tridiagonal"];
const every = KINDS.length;
/**
 * Every order to 20, orders about powers of two and multiples of a block to 128, then large ones of some forms: what a change may break. All orders by all forms take hours
 * and are `bench/accuracy.ts`.
 */
const small = Array.from({ length: 20 }, (_, i) => i + 1);
const middle = [24, 31, 32, 33, 48, 63, 65];
const wide = [100, 128];
const cases: Readonly<Record<string, readonly string[]>> = {
  "to 20": algorithms.flatMap((name) => small.map((n) => `${name} ${n} ${every}`)),
  "24 to 65": algorithms.flatMap((name) => middle.map((n) => `${name} ${n} ${every}`)),
  "100 and 128": algorithms.flatMap((name) => wide.map((n) => `${name} ${n} ${every}`)),
  // One or two matrices: a software GPU takes minutes for 512 points.
  "192 and 512": ["block 192 2", "block 512 1"],
  "192 and 512 by a tridiagonal matrix": ["tridiagonal 192 2", "tridiagonal 512 1"],
  "192 in global memory": ["scalar 192 1"],
};

describe.skipIf(!driver)("every kind of matrix, residual, orthogonality and values within 10 n eps", () => {
  for (const [name, list] of Object.entries(cases)) {
    it(`at orders ${name}`, async () => {
      const verdicts = await judged(list);
      expect(verdicts.length).toBeGreaterThan(0);
      for (const { case: what, matched, total, maxError, detail, converged } of verdicts) {
        expect([matched, converged], `${what}: ${detail}`).toEqual([total, true]);
        expect(maxError, what).toBeLessThanOrEqual(10);
      }
      console.log(
        verdicts
          .map((one) => `${one.case}: ${one.maxError.toFixed(2)} n eps, ${one.sweeps} sweeps`)
          .join("\n"),
      );
    }, 7_200_000);
  }
});
