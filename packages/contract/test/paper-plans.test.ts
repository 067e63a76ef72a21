import { describe, expect, it } from "vitest";
import { checkPlan, flatSteps, type Plan, planHash, stagesOf } from "../src/index.ts";
import { blockEigh, scalarEigh } from "./paper-plans/eigh.ts";
import { gatedDeltaNet } from "./paper-plans/gated-delta-net.ts";
import { fusedMatchedFilter, hierarchicalMatchedFilter, SURVIVORS } from "./paper-plans/matched-filter.ts";

const pairs = { n: 64, data: 4, templates: 8, pairs: 32 };
const PLANS: Readonly<Record<string, () => Plan>> = {
  "fused matched filter": () => fusedMatchedFilter(pairs),
  "hierarchical matched filter": () => hierarchicalMatchedFilter(pairs, { band: 16, threshold: 3.5 }),
  "scalar eigh": () => scalarEigh({ n: 8, matrices: 5 }),
  "block eigh": () => blockEigh({ n: 16, matrices: 5 }),
  "gated delta net": () => gatedDeltaNet({ heads: 2, d: 8, tokens: 37 }, 4),
};

describe.each(Object.entries(PLANS))("the plan of a %s", (_name, plan) => {
  it("is well formed", () => {
    expect(checkPlan(plan())).toEqual([]);
  });

  it("has the same hash whenever it is made", async () => {
    expect(await planHash(plan())).toBe(await planHash(plan()));
  });

  it("has another hash when any word of it changes", async () => {
    const original = plan();
    const hash = await planHash(original);
    const changed = [...variations(original)];
    expect(changed.length).toBeGreaterThan(30);
    const hashes = await Promise.all(changed.map((one) => planHash(one as Plan)));
    expect(new Set([hash, ...hashes]).size).toBe(hashes.length + 1);
  });
});

describe("what the four plans need the contract to say", () => {
  it("a survivor rate is a trait of the data and changes no plan", async () => {
    const plan = (survivors: number) =>
      hierarchicalMatchedFilter({ ...pairs, survivors }, { band: 16, threshold: 3.5 });
    expect(SURVIVORS.role).toBe("trait");
    expect(await planHash(plan(0.01))).toBe(await planHash(plan(0.5)));
  });

  it("a coarse threshold travels in the extents and changes no text", () => {
    const plan = (threshold: number) => hierarchicalMatchedFilter(pairs, { band: 16, threshold });
    expect(plan(1).modules).toEqual(plan(2).modules);
    expect(plan(1).extents).not.toEqual(plan(2).extents);
  });

  it("another number of items changes no text", () => {
    expect(fusedMatchedFilter({ ...pairs, pairs: 70_000 }).modules).toEqual(
      fusedMatchedFilter(pairs).modules,
    );
    const layer = (tokens: number) => gatedDeltaNet({ heads: 2, d: 8, tokens }, 4).modules;
    expect(layer(1)).toEqual(layer(2048));
  });

  it("two algorithms of one operation share their ports", () => {
    const ports = (plan: Plan) => plan.buffers.filter(({ role }) => ["in", "out", "inout"].includes(role));
    expect(ports(scalarEigh({ n: 8, matrices: 5 }))).toEqual(ports(blockEigh({ n: 8, matrices: 5 })));
  });

  it("stages are listed in order, those of a loop's steps included", () => {
    expect(stagesOf(PLANS["block eigh"]!())).toEqual(["start", "rotate", "check", "finish"]);
    expect(stagesOf(PLANS["gated delta net"]!())).toEqual(["pre", "scan", "post"]);
    expect([...flatSteps(PLANS["block eigh"]!().steps)]).toHaveLength(5);
  });

  it("intermediates that parity compares have ports, whatever their token block", () => {
    const named = (block: number) =>
      gatedDeltaNet({ heads: 2, d: 8, tokens: 37 }, block).buffers.flatMap(({ port }) => port ?? []);
    expect(named(1)).toContain("conv");
    expect(named(1)).toEqual(named(16));
  });
});

/** The plan with each leaf changed in turn. */
function* variations(value: unknown): Generator<unknown> {
  if (typeof value === "number") yield value + 1;
  else if (typeof value === "string") yield `${value}x`;
  else if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) {
      for (const other of variations(part)) yield value.with(index, other);
    }
  } else if (value && typeof value === "object") {
    for (const [key, part] of Object.entries(value)) {
      for (const other of variations(part)) yield { ...value, [key]: other };
    }
  }
}
