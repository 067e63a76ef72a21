import type { DispatchStep, LoopStep, Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { interpretPlan } from "../src/interpreter/index.ts";

/** A loop whose dispatch writes its iteration into the next word, and whose check counts the iterations to `goal`. */
function planOf(goal: number, maximum: number, checkEvery: number): Plan {
  const text = (body: string): string => `
    struct Extents { items: u32, first: u32, total: u32, iteration: u32, }
    @group(0) @binding(0) var<uniform> extents: Extents;
    @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    @group(0) @binding(2) var<storage, read_write> left: array<u32>;
    @compute @workgroup_size(1)
    fn main(@builtin(local_invocation_index) t: u32) { ${body} }`;
  const step = (module: string): DispatchStep => ({
    kind: "dispatch",
    stage: module,
    module,
    entry: "main",
    bindings: ["out", "left"].map((buffer) => ({ buffer, access: "read-write" })),
    groups: { fixed: 1 },
  });
  const buffer = (name: string, role: "out" | "counter", fixedBytes: number) =>
    ({ name, role, dtype: "u32", fixedBytes, itemBytes: 0 }) as const;
  return {
    contract: 1,
    operation: "count",
    algorithm: "loop",
    buffers: [buffer("out", "out", 32), buffer("left", "counter", 4)],
    modules: [
      { name: "work", wgsl: text("out[extents.iteration] = extents.iteration;") },
      { name: "check", wgsl: text(`if (extents.iteration + 1u < ${goal}u) { left[0] = 1u; }`) },
    ],
    steps: [
      {
        kind: "loop",
        stage: "loop",
        steps: [step("work")],
        closing: [{ kind: "clear", stage: "check", buffer: "left" }, step("check")],
        maximum,
        checkEvery,
        until: { buffer: "left", offset: 0, equals: 0 },
      },
    ],
    batch: { dimension: "batch", items: 1, order: "independent", quantum: 1, minimum: 1 },
    extents: {},
    requires: { features: [], limits: {} },
  };
}

const ran = (plan: Plan): number => interpretPlan(plan, {}).buffers.out!.indexOf(0xffffffff);

describe("a host-driven loop in the interpreter of kernel texts", () => {
  it("ends at the first look that finds the word, looking after every interval alone", () => {
    expect(ran(planOf(3, 8, 1))).toBe(3);
    expect(ran(planOf(3, 8, 2))).toBe(4);
  });

  it("is none where steps are repeated: every pass runs, with its index", () => {
    const plan = planOf(0, 1, 1);
    const [loop] = plan.steps;
    const steps = [{ kind: "repeat", stage: "passes", steps: (loop as LoopStep).steps, count: 6 }] as const;
    expect([...interpretPlan({ ...plan, steps }, {}).buffers.out!].slice(0, 7)).toEqual([
      0, 1, 2, 3, 4, 5, 0xffffffff,
    ]);
  });

  it("ends at its bound where the word never comes", () => {
    expect(ran(planOf(100, 5, 2))).toBe(5);
  });
});
