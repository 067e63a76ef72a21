import type { Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { burdenPlan, burdenText } from "../src/burden.ts";

const text = `struct Extents {
  items: u32,
  first: u32,
}
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4u>;
fn helper(a: u32) -> u32 { return a; }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
  y[t] = vec4u(t);
}
@compute @workgroup_size(64) fn finish() { y[1] = vec4u(); }`;

describe("a burden", () => {
  it("begins every entry point and nothing else, from a number that no compiler knows, to an array it may write", () => {
    const heavier = burdenText(text, 12);
    expect(heavier.match(/burden = fma/g)).toHaveLength(2 * 12);
    expect(heavier).toContain("var burden = f32(extents.items);");
    expect(heavier).toContain("if (burden < 0.0) { y[0u] = y[1u]; }");
    expect(heavier).toContain("fn helper(a: u32) -> u32 { return a; }");
    expect(heavier.replace(/\n {2}var burden[\s\S]*?\n.*\n.*(?=\n| y\[1\])/g, "")).toBe(text);
  });

  it("leaves everything of a plan but the texts as it was", () => {
    const plan = { operation: "o", modules: [{ name: "m", wgsl: text }], steps: [] } as unknown as Plan;
    const { modules, ...rest } = burdenPlan(plan, 4);
    expect(rest).toEqual({ operation: "o", steps: [] });
    expect(modules).toEqual([{ name: "m", wgsl: burdenText(text, 4) }]);
  });

  it("is refused where nothing could keep it alive", () => {
    expect(() => burdenText("@compute fn main() {}", 4)).toThrow(/no uniform/);
  });
});
