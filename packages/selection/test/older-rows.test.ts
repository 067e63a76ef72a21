import { type Algorithm, type Operation, planHash } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { checkShipped, renderShipped, select } from "../src/index.ts";
import { ask, tableOf, variant } from "./asking.ts";
import { BIG, H200, scale } from "./made.ts";

const plain = await scale.algorithms.plain!();

/** The algorithm after a parameter was added to it; without it a row means the text that was there before. */
const grown: Algorithm = {
  ...plain,
  space: (problem) => {
    const space = plain.space(problem);
    const vector = { name: "vector", values: [true, false], doc: "", absent: false };
    return { ...space, parameters: [...space.parameters, vector] };
  },
  defaultConfig: () => ({ workgroup: 64, vector: false }),
  resources: (problem, config) => {
    if (typeof config.vector !== "boolean") throw new Error("the configuration is not whole");
    return plain.resources(problem, config);
  },
  plan: (problem, config, capabilities) => {
    const plan = plain.plan(problem, config, capabilities);
    if (config.vector === false) return plan;
    return { ...plan, modules: plan.modules.map((one) => ({ ...one, wgsl: `${one.wgsl} // vector` })) };
  },
};
const later: Operation = { ...scale, algorithms: { plain: async () => grown } };

/** A table as it was published before the parameter. */
const measured = await Promise.all(
  [256, 32].map(async (workgroup, index) => ({
    ...variant(workgroup, 10 + index),
    planHash: await planHash(plain.plan({ n: 64 }, { workgroup }, BIG)),
  })),
);
const older = tableOf(H200, measured);

describe("rows older than a parameter of their algorithm", () => {
  it("are still current: their plan is the one that was measured", async () => {
    expect(await checkShipped([older], [later])).toEqual([]);
  });

  it("ship as they are, and are asked for resources with the parameter filled in", async () => {
    const [before, after] = [await renderShipped([older], [scale]), await renderShipped([older], [later])];
    expect(after).toEqual(before);
  });

  it("are what a row ships as that has the parameter at the value its id implies", async () => {
    const whole = tableOf(
      H200,
      measured.map((row) => ({ ...row, config: { ...row.config, vector: false } })),
    );
    const [before, after] = [await renderShipped([older], [later]), await renderShipped([whole], [later])];
    expect(after).toEqual(before);
  });

  it("are selected under their own id, with a whole configuration", async () => {
    const { candidates, refused } = await select(ask({ tables: [older], operation: later }));
    expect(refused).toEqual([]);
    expect(candidates[0]).toMatchObject({
      variant: "plain/workgroup=256",
      config: { workgroup: 256, vector: false },
    });
    const [first] = candidates;
    expect(await planHash(first.algorithm.plan({ n: 64 }, first.config, BIG))).toBe(measured[0]!.planHash);
  });

  it("are found again by their id when pinned, even where the default has the new value", async () => {
    const defaults = { ...grown, defaultConfig: () => ({ workgroup: 64, vector: true }) } as Algorithm;
    const operation = { ...later, algorithms: { plain: async () => defaults } };
    const pinned = ask({ tables: [], operation, demand: { variant: "plain/workgroup=32" } });
    expect((await select(pinned)).candidates[0].config).toEqual({ workgroup: 32, vector: false });
  });
});
