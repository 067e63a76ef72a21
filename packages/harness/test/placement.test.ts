import { type BufferSpec, CONTRACT_VERSION, type PairedSeries, type Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { commonPorts } from "../src/pair/common-ports.ts";
import { agreed, placementNote } from "../src/pair/placement.ts";

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

describe("two placements", () => {
  const series = (ratio: number, verdict: PairedSeries["verdict"]): PairedSeries => ({
    ...{ clock: "gpu", tickNs: 1, repeats: { base: 1, candidate: 1 }, quads: [], mode: "interleaved" },
    ...{
      rejected: {},
      verdict,
      ratio,
      low: ratio - 0.001,
      high: ratio + 0.001,
      confidence: 0.99,
      p: 0,
      mde: 0.01,
    },
    count: 16,
  });

  it("agree on a change in the same direction, the smaller of the two", () => {
    const both = agreed(series(1.05, "changed"), series(1.02, "changed"));
    expect(both).toMatchObject({
      verdict: "changed",
      ratio: 1.02,
      low: 1.02 - 0.001,
      placements: [1.05, 1.02],
    });
    expect(placementNote(both)).toBeUndefined();
  });

  it.each([
    ["the other way", series(0.95, "changed")],
    ["not at all", series(1.001, "same")],
    ["perhaps", series(1.004, "unresolved")],
  ] as const)("resolve nothing where the second shows a change %s", (_, second) => {
    const both = agreed(series(1.0719, "changed"), second);
    expect(both).toMatchObject({ verdict: "unresolved", placements: [1.0719, second.ratio] });
    expect(placementNote(both)).toMatch(/^ratio 1\.0719, and /);
  });
});
