import { describe, expect, it } from "vitest";
import { type BufferSpec, checkPlan, type Plan, type Step } from "../src/index.ts";
import { fusedMatchedFilter, hierarchicalMatchedFilter } from "./paper-plans/matched-filter.ts";

const problem = { n: 64, data: 4, templates: 8, pairs: 32 };
const plan = hierarchicalMatchedFilter(problem, { band: 16, threshold: 1 });
const fused = fusedMatchedFilter(problem);

const withBuffer = (name: string, change: Partial<BufferSpec>): Plan => ({
  ...plan,
  buffers: plan.buffers.map((buffer) => (buffer.name === name ? { ...buffer, ...change } : buffer)),
});
const withSteps = (...steps: readonly Step[]): Plan => ({ ...plan, steps: [...plan.steps, ...steps] });
const dispatch = fused.steps[0] as Extract<Step, { kind: "dispatch" }>;
const table: BufferSpec = {
  name: "table",
  role: "constant",
  dtype: "f32",
  fixedBytes: 8,
  itemBytes: 0,
  data: new Float32Array(2),
};

const FAULTS: readonly (readonly [string, Plan, RegExp])[] = [
  ["another contract", { ...plan, contract: 99 }, /speaks contract 99/],
  ["two buffers of one name", { ...plan, buffers: [...plan.buffers, plan.buffers[0]!] }, /share a name/],
  ["two modules of one name", { ...plan, modules: [...plan.modules, plan.modules[0]!] }, /modules share/],
  ["two buffers for one port", withBuffer("worklist", { port: "peak" }), /two buffers carry the port peak/],
  ["fixed and item bytes", withBuffer("worklist", { fixedBytes: 4 }), /both fixed and item/],
  ["an empty buffer", withBuffer("worklist", { itemBytes: 0 }), /is empty/],
  ["half a word", withBuffer("worklist", { itemBytes: 6 }), /not whole 4-byte words/],
  ["data in scratch", withBuffer("worklist", { data: new Uint32Array(1) }), /has data but the role scratch/],
  [
    "a constant without its data",
    { ...plan, buffers: [...plan.buffers, { ...table, data: new Float32Array(1) }] },
    /4 of 8 bytes/,
  ],
  [
    "a probe of each item",
    withBuffer("found", { fixedBytes: 0, itemBytes: 4 }),
    /must not depend on the batch/,
  ],
  ["a probe without fields", withBuffer("found", { fields: {} }), /without fields/],
  [
    "a field outside its probe",
    withBuffer("found", { fields: { far: { offset: 4, dtype: "u32" } } }),
    /found\.far at byte 4/,
  ],
  ["an empty batch", { ...plan, batch: { ...plan.batch, items: 0 } }, /batch items is 0/],
  ["a quantum of nothing", { ...plan, batch: { ...plan.batch, quantum: 0.5 } }, /quantum is 0.5/],
  ["a negative extent", { ...plan, extents: { lag: -1 } }, /extent lag is -1/],
  ["no steps", { ...plan, steps: [] }, /no steps/],
  ["an unknown module", withSteps({ ...dispatch, module: "gone" }), /unknown module gone/],
  [
    "an unknown buffer",
    withSteps({ ...dispatch, bindings: [{ buffer: "gone", access: "read" }] }),
    /unknown buffer gone/,
  ],
  [
    "an input that is written",
    withSteps({ ...dispatch, bindings: [{ buffer: "data", access: "read-write" }] }),
    /writes the in buffer data/,
  ],
  [
    "an input that is cleared",
    withSteps({ kind: "clear", stage: "s", buffer: "data" }),
    /writes the in buffer/,
  ],
  [
    "a buffer written under two bindings",
    withSteps({
      ...dispatch,
      bindings: [
        { buffer: "peak", access: "read" },
        { buffer: "peak", access: "read-write" },
      ],
    }),
    /binds peak for writing and once more/,
  ],
  [
    "a uniform that is no constant",
    withSteps({ ...dispatch, bindings: [{ buffer: "peak", access: "uniform" }] }),
    /binds peak as a uniform, which is no constant/,
  ],
  [
    "half a workgroup",
    withSteps({ ...dispatch, groups: { fixed: 0.5 } }),
    /group count that is not a whole number/,
  ],
  [
    "groups for no items",
    withSteps({ ...dispatch, groups: { fixed: 0, perItem: { groups: 1, items: 0 } } }),
    /group count that is not a whole number/,
  ],
  [
    "a copy onto itself",
    withSteps({
      kind: "copy",
      stage: "s",
      from: { buffer: "peak", offset: 0 },
      to: { buffer: "peak", offset: 16 },
      bytes: { fixed: 16, perItem: 0 },
    }),
    /copies peak to itself/,
  ],
  [
    "a copy of half a word",
    withSteps({
      kind: "copy",
      stage: "s",
      from: { buffer: "index", offset: 2 },
      to: { buffer: "peak", offset: 0 },
      bytes: { fixed: 4, perItem: 0 },
    }),
    /parts of 4-byte words/,
  ],
  [
    "group counts from an output",
    withSteps({ ...dispatch, kind: "indirect", arguments: { buffer: "index", offset: 0 } } as Step),
    /a out and not a counter/,
  ],
  [
    "group counts beyond the buffer",
    withSteps({ ...dispatch, kind: "indirect", arguments: { buffer: "grid", offset: 4 } } as Step),
    /outside grid/,
  ],
  [
    "a dispatch that writes its own group counts",
    withSteps({
      ...dispatch,
      kind: "indirect",
      bindings: [{ buffer: "grid", access: "read-write" }],
      arguments: { buffer: "grid", offset: 0 },
    } as Step),
    /holds its own group counts/,
  ],
  [
    "a loop without a bound",
    withSteps({
      kind: "loop",
      stage: "l",
      steps: [dispatch],
      maximum: 0,
      checkEvery: 1,
      until: { buffer: "survivors", offset: 0, equals: 0 },
    }),
    /no bound or check interval/,
  ],
  [
    "steps that are repeated half a time",
    withSteps({ kind: "repeat", stage: "passes", steps: [dispatch], count: 0.5 }),
    /stage passes is repeated 0.5 times/,
  ],
  [
    "a repetition of nothing, and one that clears an unknown buffer",
    withSteps(
      { kind: "repeat", stage: "passes", steps: [], count: 2 },
      {
        kind: "repeat",
        stage: "more",
        steps: [{ kind: "clear", stage: "more", buffer: "nowhere" }],
        count: 2,
      },
    ),
    /stage passes repeats no steps[\s\S]*stage more names the unknown buffer nowhere|stage more names the unknown buffer nowhere[\s\S]*stage passes repeats no steps/,
  ],
  [
    "a step that closes a loop's submissions and clears an unknown buffer",
    withSteps({
      kind: "loop",
      stage: "loop",
      steps: [dispatch],
      closing: [{ kind: "clear", stage: "check", buffer: "nowhere" }],
      maximum: 2,
      checkEvery: 1,
      until: { buffer: "survivors", offset: 0, equals: 0 },
    }),
    /stage check names the unknown buffer nowhere/,
  ],
  [
    "a loop that waits for a word outside its buffer",
    withSteps({
      kind: "loop",
      stage: "l",
      steps: [],
      maximum: 1,
      checkEvery: 1,
      until: { buffer: "survivors", offset: 4, equals: -1 },
    }),
    /reads outside survivors[\s\S]*waits for -1[\s\S]*has no steps/,
  ],
  [
    "a once-step on the items of the batch",
    withSteps({ kind: "once", stage: "table", steps: [dispatch] }),
    /once-stage table uses pairs/,
  ],
];

describe("checkPlan", () => {
  it.each(FAULTS)("refuses %s", (_name, bad, words) => {
    expect(checkPlan(bad).join("\n")).toMatch(words);
  });

  it("finds every fault, not only the first", () => {
    expect(checkPlan({ ...plan, contract: 99, extents: { lag: -1 } })).toHaveLength(2);
  });
});
