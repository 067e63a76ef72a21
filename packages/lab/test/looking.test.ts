import { planHash } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { ceilingsGrid, readingsGrid, sharesText } from "../src/ceilings-text.ts";
import { figuresOf, histogram } from "../src/commands/noise.ts";
import { subjectFor, variantOf } from "../src/subject.ts";
import { lab } from "./collect.ts";

/** A corner of the space that is counted in a second; the whole of it takes twenty. */
const CORNER = ["--where", "radix=4,twiddles=table,index=modulo,unroll=true,shuffle=0,loads=scalar"];

describe("looking at a kernel", () => {
  it("wgsl prints the text that the plan holds, under the plan's hash", async () => {
    const subject = await subjectFor("matched-filter", { problem: "n=256" });
    const { algorithm, config } = variantOf(subject, "fused/radix=2");
    const plan = algorithm.plan(subject.problem, config, subject.capabilities);
    const { code, out } = await lab([
      "wgsl",
      "matched-filter",
      "--problem",
      "n=256",
      "--variant",
      "fused/radix=2",
    ]);
    expect(code).toBe(0);
    expect(out).toContain(await planHash(plan));
    for (const { wgsl } of plan.modules) expect(out).toContain(wgsl.trimEnd());
  });

  it("a canonical id names the variant it was printed from", async () => {
    const first = JSON.parse((await lab(["wgsl", "matched-filter", "--json"])).out);
    const again = JSON.parse(
      (await lab(["wgsl", "matched-filter", "--json", "--variant", first.variant])).out,
    );
    expect(again).toEqual(first);
  });

  it("a variant that does not fit is printed all the same, with the limit that refuses it", async () => {
    const words = ["wgsl", "matched-filter", "--problem", "n=1024", "--variant", "fused/reduction=subgroup"];
    const { code, out, notes } = await lab(words);
    expect(code).toBe(0);
    expect(notes).toMatch(/Does not fit WebGPU's default limits: .*subgroups/);
    expect(out).toContain("@compute");
  });

  it("space counts what is valid and what fits", async () => {
    const words = ["space", "matched-filter", "--problem", "n=64", "--json", ...CORNER];
    const { algorithms } = JSON.parse((await lab(words)).out);
    const valid = algorithms.filter(({ valid }: { valid: number }) => valid > 0);
    expect(valid.map(({ algorithm }: { algorithm: string }) => algorithm)).toEqual(["fused", "corr-reduce"]);
    for (const { raw, valid, constraints, fit } of algorithms) {
      expect(constraints[0].before).toBe(raw);
      expect(constraints.at(-1).after).toBe(valid);
      const refused = Object.values<number>(fit.refused).reduce((sum, count) => sum + count, 0);
      expect(fit.fits + refused).toBe(fit.looked);
    }
    for (const { fit } of valid) expect(fit.fits).toBeGreaterThan(0);
  });

  it("space names the constraint that leaves four-step nothing of a short length, and the hierarchical algorithms nothing without a threshold", async () => {
    const { algorithms } = JSON.parse(
      (await lab(["space", "matched-filter", "--n", "64", "--json", ...CORNER])).out,
    );
    for (const { valid, empty, algorithm } of algorithms.slice(2)) {
      expect([algorithm, valid]).toEqual([algorithm, 0]);
      const why = algorithm === "four-step" ? /long-enough-to-split.*choose fused/ : /needs-a-threshold/;
      expect(empty.reason).toMatch(why);
    }
  });
});

describe("a space under the glass", () => {
  it("takes --n for the problem, and not both", async () => {
    const short = await lab(["space", "matched-filter", "--n", "64", "--json", ...CORNER]);
    expect(short.code).toBe(0);
    const long = await lab(["space", "matched-filter", "--problem", "n=64", "--json", ...CORNER]);
    expect(short.out).toBe(long.out);
    const both = await lab(["space", "matched-filter", "--n", "64", "--problem", "n=64"]);
    expect(both.code).toBe(2);
    expect(both.notes).toMatch(/give one of the two/);
  });

  it("counts variants that come to the text or the plan of another", async () => {
    const words = ["space", "matched-filter", "--n", "64", "--json", ...CORNER];
    const { algorithms } = JSON.parse((await lab(words)).out);
    for (const { distinct, fit } of algorithms.slice(0, 2)) {
      expect(distinct.looked).toBeGreaterThan(0);
      expect(distinct.looked).toBeLessThanOrEqual(fit.fits);
      expect(distinct.texts).toBeLessThanOrEqual(distinct.plans);
      expect(distinct.plans).toBeLessThanOrEqual(distinct.looked);
    }
  });

  it("names the constraint that leaves an algorithm nothing", async () => {
    const { code, out } = await lab([
      "space",
      "fft",
      "--n",
      "64",
      "--where",
      "radix=4,twiddles=table,loads=scalar",
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/no variant is valid: long-enough-to-split \(.*\) holds for no combination/);
  });
});

describe("figures of the noise probe", () => {
  it("every sample is in exactly one bar, the slowest too", () => {
    const samples = [100, 101, 101, 150, 199, 200];
    const counts = histogram(samples).map((line) => Number(/(\d+)$/.exec(line)![1]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(samples.length);
    expect(counts[0]).toBe(3);
    expect(counts.at(-1)).toBe(2);
  });

  it("equal samples have no spread and one full bar", () => {
    expect(figuresOf({ samplesNs: [7, 7, 7] })).toEqual({ minNs: 7, medianNs: 7, maxNs: 7, spread: 0 });
    expect(histogram([7, 7, 7])[0]).toMatch(/#{40} 3$/);
  });

  it("a ceiling that was not measured is not printed as zero", () => {
    const { rows } = ceilingsGrid({ copyBytesPerSecond: 4e12, dispatchAloneNs: 5_700 });
    const measured = rows.filter(([, figure]) => figure !== "--");
    expect(measured).toEqual([
      ["global copy, read and written", "4.00 TB/s"],
      ["one dispatch alone in its pass", "5.70 µs"],
    ]);
    expect(rows.length).toBeGreaterThan(9);
  });

  it("compute units are printed with where the number comes from", () => {
    const { rows } = ceilingsGrid({ computeUnits: { value: 132, source: "estimated" } });
    expect(rows).toContainEqual(["compute units", "132 (estimated)"]);
  });

  it("a probe is printed with its own unit, and one that did not run with the reason", () => {
    const { rows } = readingsGrid([
      { name: "read", ceiling: "read", perSecond: 2e9, samples: 8, cv: 0.01 },
      { name: "indirect", ceiling: "indirect", perSecond: 5e5, samples: 8, cv: 0.02 },
      { name: "subgroup-add", ceiling: "subgroup", samples: 0, cv: 0, reason: "no subgroups" },
    ]);
    expect(rows.map(([, , figure, , cv, why]) => [figure, cv, why])).toEqual([
      ["2.00 GB/s", "1.00%", ""],
      ["2.00 µs", "2.00%", ""],
      ["--", "--", "no subgroups"],
    ]);
  });

  it("a trial's shares are told with their labels, and nothing is told where no ceiling is known", () => {
    expect(
      sharesText({ ofFma: 0.182, ofCopy: 0.004, ofWorkgroup: 0.61, cacheServed: true, underFilled: true }),
    ).toBe(", 18.2% of FMA, 0.400% of copy, 61.0% of workgroup memory, cache-served, under-filled");
    expect(sharesText({ cacheServed: false, underFilled: false })).toBe("");
  });
});
