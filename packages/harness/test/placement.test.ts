import {
  type BufferSpec,
  CONTRACT_VERSION,
  type PairedSeries,
  type PairJudgement,
  type Plan,
  type QuadNs,
  SIDES,
} from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { codeApart, gap, gapsOf } from "../src/pair/apart.ts";
import { commonPorts } from "../src/pair/common-ports.ts";
import { type Further, placementNote, replaced } from "../src/pair/placement.ts";
import { confirmed, judgePlacements, type PlacedStatistics, swappedAt } from "../src/placements.ts";

const buffer = (name: string, role: BufferSpec["role"], itemBytes = 4): BufferSpec => ({
  ...{ name, role, dtype: "f32", fixedBytes: 0, itemBytes },
});

const planOf = (...buffers: readonly BufferSpec[]): Plan => ({
  contract: CONTRACT_VERSION,
  operation: "o",
  algorithm: "a",
  buffers,
  modules: [],
  steps: [],
  batch: { dimension: "items", items: 100, order: "independent", quantum: 1, minimum: 1 },
  extents: {},
  requires: { features: [], limits: {} },
});

/** A device that remembers which buffers it made, what was written to them and which were destroyed. */
function fakeDevice() {
  const made: { label: string; size: number; written?: unknown; destroyed: boolean }[] = [];
  const device = {
    pushErrorScope: () => {},
    popErrorScope: async () => null,
    createBuffer: ({ label, size }: { label: string; size: number }) => {
      const one = { label, size, destroyed: false };
      made.push(one);
      return Object.assign(one, { destroy: () => Object.assign(one, { destroyed: true }) });
    },
    queue: {
      writeBuffer: (target: (typeof made)[number], _: number, words: unknown) => {
        target.written = words;
      },
    },
  };
  return { device: device as unknown as GPUDevice, made };
}

describe("ports that both sides of a timing have in common", () => {
  it("lie in one set of buffers: what is read with its words, what is written without", () => {
    const { device, made } = fakeDevice();
    const x = new Float32Array(100);
    const plan = planOf(buffer("x", "in"), buffer("y", "out"), buffer("mid", "scratch"));
    const common = commonPorts(device, [plan, plan], { x });
    expect(made).toMatchObject([
      { label: "common x", size: 400, written: x },
      { label: "common y", size: 400 },
    ]);
    expect(made[1]).not.toHaveProperty("written");
    expect(Object.keys(common.ports).sort()).toEqual(["x", "y"]);
    expect(common.ports.x).toBe(made[0]);
    common.dispose();
    expect(made.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it("are not those of another size, nor what is changed in place: each side keeps its own words", () => {
    const { device, made } = fakeDevice();
    const [x, state] = [new Float32Array(100), new Float32Array(100)];
    const base = planOf(buffer("x", "in"), buffer("state", "inout"), buffer("y", "out"));
    const candidate = planOf(buffer("x", "in"), buffer("state", "inout"), buffer("y", "out", 8));
    const common = commonPorts(device, [base, candidate], { x, state });
    expect(made.map(({ label }) => label)).toEqual(["common x"]);
    expect(common.ports.state).toBe(state);
    expect(common.ports).not.toHaveProperty("y");
  });
});

describe("what lies apart", () => {
  const plan: Plan = {
    ...planOf(),
    modules: [
      { name: "m", wgsl: "fn f() {}" },
      { name: "n", wgsl: "" },
    ],
  };

  it("is the code of each side and placement: the texts differ, by a last line of comment alone", () => {
    const texts = [0, 1].flatMap((placement) =>
      SIDES.map((side) => codeApart(plan, { side, placement }).modules.map(({ wgsl }) => wgsl)),
    );
    expect(new Set(texts.map(([first]) => first)).size).toBe(4);
    for (const [first, second] of texts) {
      expect(first).toMatch(/^fn f\(\) \{\}\n\/\/ .+\n$/);
      expect(second).toMatch(/^\n\/\/ .+\n$/);
    }
  });

  it("is what comes after gaps of other sizes, which are freed with the placement", () => {
    const sizes = Array.from({ length: 6 }, (_, placement) =>
      [0, 1, 2].map((part) => gapsOf(placement, part).join()),
    );
    expect(new Set(sizes.flat()).size).toBeGreaterThan(15);
    for (const part of [0, 1, 2]) expect(new Set(sizes.map((all) => all[part])).size).toBeGreaterThan(4);
    const { device, made } = fakeDevice();
    const one = gap(device, 3, 1);
    expect(made.map(({ size }) => size)).toEqual(gapsOf(3, 1));
    one.dispose();
    expect(made.every(({ destroyed }) => destroyed)).toBe(true);
  });
});

describe("further placements", () => {
  const rules = { alpha: 0.01, gate: 0.005, equivalence: 0.01 };
  const placed = (...values: readonly number[]): PlacedStatistics[] =>
    values.map((value, index) => ({ swapped: swappedAt(index + 1), statistics: [value, value, value] }));

  it("come candidate first as often as base first, among the first six and among the six after the first", () => {
    for (const from of [0, 1]) {
      const six = Array.from({ length: 6 }, (_, index) => swappedAt(from + index));
      expect(six.filter((swapped) => swapped)).toHaveLength(3);
    }
  });

  it("have an interval by hand: Student's over what is left within either order", () => {
    // Base first: 0.01, 0.02, 0.03; candidate first: 0.03, 0.05, 0.04. Mean of means 0.03, variance 1e-4 within each.
    const values: readonly PlacedStatistics[] = [
      ...[0.01, 0.02, 0.03].map((value) => ({ swapped: false, statistics: [value] })),
      ...[0.03, 0.05, 0.04].map((value) => ({ swapped: true, statistics: [value] })),
    ];
    const { ratio, low, high, confidence, count } = judgePlacements(values, rules);
    // t(0.995, 4) = 4.60409; standard error 0.01 * sqrt(2 / 3) / 2.
    const half = 4.60409 * 0.01 * Math.sqrt(2 / 3) * 0.5;
    expect(Math.log(ratio)).toBeCloseTo(0.03, 9);
    expect(Math.log(low)).toBeCloseTo(0.03 - half, 6);
    expect(Math.log(high)).toBeCloseTo(0.03 + half, 6);
    expect([confidence, count]).toEqual([0.99, 6]);
  });

  it("take what being first is worth out of the estimate, whatever it is", () => {
    // Placements 1 to 6: candidate first in 1, 2 and 5.
    const { verdict, ratio } = judgePlacements(placed(0.04, 0.041, -0.04, -0.041, 0.0405, -0.0402), rules);
    expect(verdict).toBe("same");
    expect(ratio).toBeCloseTo(1, 3);
  });

  it("find no change where each is off by chance, and one where all show it", () => {
    expect(judgePlacements(placed(0.05, -0.02, 0.04, 0.01, 0.06, -0.03), rules).verdict).toBe("unresolved");
    expect(judgePlacements(placed(0.011, 0.01, 0.0105, 0.0098, 0.0102, 0.0099), rules).verdict).toBe(
      "changed",
    );
  });

  it("say nothing with fewer than two of an order, or one without quads", () => {
    const nothing = { verdict: "unresolved", low: 0, high: Number.POSITIVE_INFINITY, p: 1 };
    expect(judgePlacements([], rules)).toMatchObject(nothing);
    expect(judgePlacements(placed(0.05), rules)).toMatchObject(nothing);
    expect(judgePlacements([...placed(0.05, 0.05), { swapped: true, statistics: [] }], rules)).toMatchObject(
      nothing,
    );
  });

  const said = (ratio: number, verdict: PairJudgement["verdict"], p = 0.001): PairJudgement => ({
    ...{ verdict, ratio, low: ratio - 0.001, high: ratio + 0.001, confidence: 0.99, p, mde: 0.01, count: 6 },
  });

  it("confirm a change in the direction of the first, and tell it as they see it", () => {
    expect(confirmed(said(1.05, "changed", 0.02), said(1.02, "changed"))).toEqual(
      said(1.02, "changed", 0.02),
    );
    expect(confirmed(said(0.95, "changed"), said(1.02, "changed")).verdict).toBe("unresolved");
    expect(confirmed(said(1.05, "changed"), said(1.001, "same")).verdict).toBe("same");
    expect(confirmed(said(1.05, "changed"), said(1.02, "unresolved")).verdict).toBe("unresolved");
  });
});

describe("a series whose change was looked for elsewhere", () => {
  const quad: QuadNs = { first: "A", slotsNs: [100, 105, 105, 100] };
  const first: PairedSeries = {
    ...{ clock: "gpu", tickNs: 1, repeats: { base: 1, candidate: 1 }, mode: "interleaved", rejected: {} },
    ...{
      verdict: "changed",
      ratio: 1.05,
      low: 1.04,
      high: 1.06,
      confidence: 0.9997,
      p: 0,
      mde: 0.01,
      count: 1,
    },
    quads: [quad, quad],
  };
  const timing = { kind: "looks", alpha: 0.001, looks: [16] } as const;
  const others = (slower: number, count = 6): Further[] =>
    Array.from({ length: count }, (_, index) => {
      const ns = 100 * (1 + slower + 1e-4 * (index % 3));
      const one: QuadNs = { first: "A", slotsNs: [100, ns, ns, 100] };
      return { ...first, ratio: ns / 100, quads: [one, one], swapped: swappedAt(index + 1) };
    });

  it("has their judgement and their quads beside its own", () => {
    const series = replaced(first, others(0.02), { timing });
    expect(series).toMatchObject({ verdict: "changed", count: 6, quads: first.quads });
    expect(series.ratio).toBeCloseTo(1.0201, 4);
    expect(series.placements).toHaveLength(6);
    expect(placementNote(series)).toBeUndefined();
  });

  it("is the same where they are, and says what the first showed", () => {
    const series = replaced(first, others(0), { timing });
    expect(series.verdict).toBe("same");
    expect(placementNote(series)).toMatch(/^ratio 1\.0500, but 1\.0000, .* in other places/);
  });

  it("is unresolved as soon as one of them could not be timed, with the reason", () => {
    const [one, two, ...rest] = others(0.05);
    const broken: Further = { ...two!, quads: [], fault: "candidate stopped running" };
    const series = replaced(first, [one!, broken, ...rest], { timing });
    expect(series).toMatchObject({
      verdict: "unresolved",
      fault: "in another placement: candidate stopped running",
    });
  });
});
