import { checkPlan, type Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { padPlan } from "../src/padding.ts";

const TEXT = `struct Extents { items: u32, first: u32, total: u32, iteration: u32, }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
fn helper(x: u32) -> u32 { return x; }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  out[group.x * 64u + local] = helper(local);
}
@compute @workgroup_size(1)
fn setup() { out[0] = 1u; }
`;

const plan = (wgsl: string): Plan => ({
  contract: 1,
  operation: "toy",
  algorithm: "toy",
  buffers: [{ name: "out", role: "out", dtype: "u32", fixedBytes: 0, itemBytes: 256 }],
  modules: [{ name: "kernel", wgsl }],
  steps: [
    {
      kind: "dispatch",
      stage: "run",
      module: "kernel",
      entry: "main",
      bindings: [{ buffer: "out", access: "read-write" }],
      groups: { fixed: 0, perItem: { groups: 1, items: 1 } },
    },
  ],
  batch: { dimension: "items", items: 8, order: "independent", quantum: 1, minimum: 1 },
  extents: {},
  requires: { features: [], limits: {} },
});

describe("padding", () => {
  it("adds the memory to the entry points that are timed, and leaves the rest of the plan alone", () => {
    const padded = padPlan(plan(TEXT), 4_096);
    const text = padded.modules[0]!.wgsl;
    expect(text).toContain("var<workgroup> tunelabPadding: array<u32, 1024>;");
    expect(text).toMatch(
      /fn main\([^{]*\{\s+if \(extents\.total == 4294967295u\) \{[^}]*workgroupUniformLoad/,
    );
    expect(text).toContain("fn setup() { out[0] = 1u; }");
    expect(text).toContain("fn helper(x: u32) -> u32 { return x; }");
    expect({ ...padded, modules: [] }).toEqual({ ...plan(TEXT), modules: [] });
    expect(checkPlan(padded)).toEqual([]);
    // Taken out again, the text is the one that was measured.
    const bare = text
      .replace(/\n {2}if \(extents\.total == 4294967295u\).*\} \}(?=\n)/, "")
      .replace(/\n\nvar<workgroup> tunelabPadding.*\n/, "\n");
    expect(bare).toBe(TEXT);
  });

  it.each([0, -16, 8, 24.5, Number.NaN])("of %d bytes is refused", (bytes) => {
    expect(() => padPlan(plan(TEXT), bytes)).toThrow(/multiple of 16/);
  });

  it("says why where the text has no extents or no such function", () => {
    expect(() => padPlan(plan(TEXT.replace("extents:", "sizes:")), 16)).toThrow(/no uniform named extents/);
    expect(() => padPlan(plan(TEXT.replace("fn main", "fn other")), 16)).toThrow(/no function main to pad/);
  });
});
