import type { Study, StudyPoint } from "@tunelab/contract";
import { chartSvg, paddingChart, saturationChart } from "@tunelab/report";
import { describe, expect, it } from "vitest";
import { collapseFindings, collapseText } from "../src/commands/collapse.ts";
import { paddingFindings, paddingSizes, paddingText } from "../src/commands/padding.ts";
import { batchSizes, saturationFindings, saturationText } from "../src/commands/saturation.ts";
import { leastPoints } from "../src/study.ts";

const point = (x: number, ns: number | undefined, more: Partial<StudyPoint> = {}): StudyPoint => ({
  x,
  items: 1,
  workgroups: 1,
  status: ns === undefined ? "hung" : "ok",
  ...(ns === undefined
    ? {}
    : { timing: { clock: "gpu", tickNs: 1, repeats: 2, samplesNs: [2 * ns, 2 * ns + 10], rejected: {} } }),
  ...more,
});

describe("collapse", () => {
  it("finds what global memory costs, beyond what the measurements scatter", () => {
    const found = collapseFindings([0, 1, 1, 0].map((x, index) => point(x, (x ? 800 : 1_000) + index)));
    expect(found).toMatchObject({ plainNs: 1_000, collapsedNs: 801 });
    expect(found.gain).toBeCloseTo(1_000 / 801 - 1, 12);
    expect(found.scatter).toBeCloseTo(0.003, 3);
    expect(collapseText(found)).toMatch(/1\.25x as fast: at most 19\.9% of the time waits for global memory/);
  });

  it("claims nothing inside the scatter, and nothing when one of the two failed", () => {
    const noisy = collapseFindings([point(0, 1_000), point(0, 1_300), point(1, 900), point(1, 910)]);
    expect(collapseText(noisy)).toMatch(/^No difference beyond the scatter of 30\.0%/);
    expect(collapseText(collapseFindings([point(0, 1_000), point(1, undefined)]))).toMatch(
      /nothing can be said/,
    );
    expect(collapseText({ gain: -0.3, scatter: 0.01, plainNs: 70, collapsedNs: 100 })).toMatch(/slower/);
  });
});

describe("padding", () => {
  it("goes in even steps to what is free, in whole 16 bytes, never over it", () => {
    expect(paddingSizes(32_768, 4)).toEqual([8_192, 16_384, 24_576, 32_768]);
    expect(paddingSizes(100, 3)).toEqual([32, 64, 96]);
    expect(paddingSizes(20, 8)).toEqual([16]);
    expect(paddingSizes(15, 8)).toEqual([]);
    expect(paddingSizes(-40, 8)).toEqual([]);
  });

  it("finds from where on it costs, and not in a size that is slow alone", () => {
    const times = [1_000, 1_010, 1_400, 1_020, 1_300, 1_600];
    const found = paddingFindings([...times.map((ns, index) => point(16 * index, ns)), point(0, 1_005)]);
    expect(found).toMatchObject({ plainNs: 1_000, worst: 1.6, costsFromBytes: 64 });
    expect(paddingText({ ...found, declaredBytes: 960 }, "native")).toMatch(
      /1 KiB .* 1\.60x .*needs its occupancy\.$/,
    );
    expect(paddingText(found, "portable")).toMatch(/zeroing the padding; --profile native/);
  });

  it("costs nothing where all sizes stay within the scatter of the unpadded kernel", () => {
    const found = paddingFindings([point(0, 1_000), point(16, 1_180), point(32, 1_150), point(0, 1_200)]);
    expect(found).not.toHaveProperty("costsFromBytes");
    expect(paddingText(found, "native")).toMatch(/cost nothing/);
    expect(paddingText(paddingFindings([point(0, 1_000)]), "native")).toMatch(/nothing can be said/);
  });
});

describe("saturation", () => {
  it("tries batches in half octaves, the largest among them", () => {
    expect(batchSizes(16)).toEqual([1, 2, 3, 4, 6, 8, 11, 16]);
    expect(batchSizes(1)).toEqual([1]);
    expect(batchSizes(100).at(-1)).toBe(100);
  });

  const sweep = [1, 2, 4, 8, 16, 32].map((batch) =>
    point(batch, 1_000 * Math.ceil(batch / 4), { items: batch, workgroups: 2 * batch }),
  );

  it("finds the plateau in workgroups and how many fill a unit", () => {
    const found = saturationFindings(sweep, 4);
    expect(found).toEqual({
      tolerance: 0.05,
      plateauWorkgroups: 8,
      plateauNsPerItem: 250,
      beyond: 3,
      computeUnits: 4,
      workgroupsPerUnit: 2,
    });
    expect(saturationText(found, "estimated")).toMatch(
      /^Filled from 8 workgroups on 4 \(estimated\) compute units, 2\.0 a unit: 250 ns an item/,
    );
  });

  it("takes for level what the two measurements of a batch scatter by", () => {
    const times = [100, 30, 26, 25, 27];
    const once = (factor: number): StudyPoint[] =>
      times.map((ns, index) => point(index + 1, factor * ns, { workgroups: 2 ** index }));
    expect(saturationFindings(once(1), undefined).plateauWorkgroups).toBeUndefined();
    const twice = saturationFindings([...once(1), ...once(1.3)], undefined);
    expect(twice).toMatchObject({ plateauWorkgroups: 2, plateauNsPerItem: 25, beyond: 3 });
    expect(twice.tolerance).toBeCloseTo(0.3, 9);
  });

  it("says so when the sweep ended too early or shows no plateau", () => {
    const early = saturationFindings(sweep.slice(0, 3), undefined);
    expect(saturationText(early, "estimated")).toMatch(/^Not filled yet.*an unknown number of/);
    const rising = saturationFindings([point(1, 100), point(2, 900, { workgroups: 2 })], 2);
    expect(saturationText(rising, "declared")).toMatch(/^No plateau.*2 \(declared\)/);
  });

  it("takes the better of two measurements of one batch, and a batch that failed once from the other", () => {
    const twice = [point(1, 500), point(2, undefined), point(2, 700), point(1, 400)];
    expect(leastPoints(twice)).toEqual([twice[3], twice[2]]);
    expect(leastPoints([point(3, undefined)])).toHaveLength(1);
  });

  const study = (points: readonly StudyPoint[], findings: Study["findings"]): Study => ({
    kind: "saturation",
    operation: "toy",
    algorithm: "toy",
    problem: {},
    variant: "toy",
    config: {},
    planHash: "",
    points,
    findings,
  });
  const labels = (svg: string): string[] => [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text!);

  it("is drawn with the plateau marked and what is under it in another colour", async () => {
    const svg = await chartSvg(saturationChart(study(sweep, saturationFindings(sweep, 4)))!);
    expect(labels(svg)).toEqual(
      expect.arrayContaining([
        "workgroups",
        "time of one item",
        "filled from 8",
        "compute units: 4",
        "under-filled",
      ]),
    );
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("and padding are drawn from one point too, and not from none", async () => {
    const one = [point(16, 5)];
    expect(await chartSvg(saturationChart(study(one, {}))!)).not.toMatch(/NaN|undefined|Infinity/);
    const padding = await chartSvg(paddingChart(study(one, { costsFromBytes: 16, declaredBytes: 1_008 }))!);
    expect(padding).not.toMatch(/NaN|undefined|Infinity/);
    expect(labels(padding)).toEqual(
      expect.arrayContaining(["workgroup memory of a workgroup, KiB", "time of one run", "costs from here"]),
    );
    for (const chart of [saturationChart, paddingChart]) {
      expect(chart(study([point(1, undefined)], {}))).toBeUndefined();
      expect(chart(study([], {}))).toBeUndefined();
    }
  });
});
