import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_RATES_DATA, errorRatesFiles, readErrorRates } from "../src/error-rates.ts";
import { requireCheckout } from "../src/places.ts";
import { differences, writeGenerated } from "../src/published.ts";
import { lab } from "./collect.ts";

describe("the published error rates", () => {
  it("are repeated by the reduced set, meet every bound, and give the committed page and picture", async () => {
    const { code, out } = await lab(["error-rates", "--check"]);
    expect(out).toMatch(/^\d+ sets of \d+ runs repeat the committed figures\.$/);
    expect(code).toBe(0);
  }, 60_000);

  it("have 3000 runs behind each figure", async () => {
    expect((await readErrorRates(requireCheckout())).full.runs).toBeGreaterThanOrEqual(3_000);
  });

  it("differ from what is committed as soon as one figure does", async () => {
    const root = await mkdtemp(join(tmpdir(), "error-rates-"));
    const file = await readErrorRates(requireCheckout());
    await writeGenerated(root, await errorRatesFiles(file), []);
    expect(await differences(root, await errorRatesFiles(file), [])).toEqual([]);
    const [first, ...rest] = file.reduced.comparisons;
    const changed = { ...file.reduced, comparisons: [{ ...first!, power1: 0.5 }, ...rest] };
    const found = await differences(root, await errorRatesFiles({ ...file, reduced: changed }), []);
    expect(found.map(({ path }) => path)).toEqual([ERROR_RATES_DATA]);
  });

  it("that are missing or no figures are one clear fault", async () => {
    const root = await mkdtemp(join(tmpdir(), "error-rates-"));
    await expect(readErrorRates(root)).rejects.toThrow(/error-rates.json is missing: pnpm lab error-rates/);
    await mkdir(join(root, "reports/harness"), { recursive: true });
    for (const text of ["", "{", "{}", '{"full": {"comparisons": 3}}', "null"]) {
      await writeFile(join(root, ERROR_RATES_DATA), text);
      await expect(readErrorRates(root)).rejects.toThrow(/holds no error rates/);
    }
  });
});

describe("error rates by hand", () => {
  it("of a few runs are printed as promises with their bounds, and written nowhere", async () => {
    const { code, out, notes } = await lab(["error-rates", "--runs", "1"]);
    expect(code).toBe(0);
    expect(out).toMatch(/false changed, one process +at most 1\.00%/);
    expect(notes).toMatch(/1 runs say little of shares under 100\.0%: reports take 3000/);
  }, 30_000);

  it("are JSON on request", async () => {
    const { out } = await lab(["error-rates", "--runs", "1", "--seed", "3", "--json"]);
    const { seed, comparisons, bounds } = JSON.parse(out);
    expect(seed).toBe(3);
    expect(comparisons.length).toBeGreaterThan(90);
    expect(bounds[0]).toMatchObject({ what: "false changed, one process", limit: 0.01 });
  }, 30_000);

  it("stop at Ctrl-C", async () => {
    const controller = new AbortController();
    controller.abort();
    expect((await lab(["error-rates", "--runs", "1"], controller.signal)).code).not.toBe(0);
  });
});
