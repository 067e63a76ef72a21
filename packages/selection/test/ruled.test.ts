import type { Algorithm, CostModel, Operation, Problem, Rule, StudyResult } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { explain, type RuleSet, renderShipped, ruleSets, rulingOf, select } from "../src/index.ts";
import { ask, tableOf, variant, variants } from "./asking.ts";
import { BIG, DEFAULT_CAPABILITIES, H200, scale } from "./made.ts";

const plain = await scale.algorithms.plain!();
/** A second algorithm that asks for a place in memory; all of its 1024 threads need the smallest. */
const wide: Algorithm = {
  ...plain,
  name: "wide",
  space: () => ({
    parameters: [
      { name: "workgroup", values: [32, 64, 128, 256, 512, 1024], doc: "invocations" },
      { name: "memory", values: ["both", "matrix", "global"], doc: "where" },
    ],
    constraints: [
      {
        name: "room",
        doc: "",
        parameters: ["workgroup", "memory"],
        holds: ({ workgroup, memory }) => Number(workgroup) < 512 || memory === "global",
      },
    ],
  }),
  defaultConfig: () => ({ workgroup: 64, memory: "both" }),
};
const operation: Operation = {
  ...scale,
  algorithms: { ...scale.algorithms, wide: async () => wide },
};

const rule = (
  options: Rule["options"],
  steps: readonly (readonly [option: string, from: number])[],
): Rule => ({
  powers: { n: 1 },
  options,
  steps: steps.map(([option, from]) => ({ option, from })),
});
const threads = rule(
  [64, 256, 512].map((count) => ({ name: String(count), algorithm: "wide", config: { workgroup: count } })),
  [
    ["64", 0],
    ["512", 500],
  ],
);
const backends = rule(
  ["plain", "wide"].map((name) => ({ name, algorithm: name, config: {} })),
  [
    ["plain", 0],
    ["wide", 100],
  ],
);
const problems: Problem[] = [{ n: 64 }, { n: 1024 }];
const regret = { count: 2, median: 1.02, worst: 1.1 };
const shipped = (study: string, made: Rule) => ({
  study: `nvidia-h200/tint-vulkan.portable/studies/scale-${study}.json`,
  rule: made,
  problems,
  regret,
});
const set = (changes: Partial<RuleSet> = {}): RuleSet => ({
  operation: "scale",
  profile: "portable",
  device: { identity: H200, capabilities: BIG },
  rules: [shipped("backends", backends), shipped("threads", threads)],
  ...changes,
});
const asked = (changes: Parameters<typeof ask>[0] = {}, sets: readonly RuleSet[] = [set()]) =>
  ask({ operation, tables: [], rules: rulingOf(sets), ...changes });

describe("rules that studies gave", () => {
  it("order the algorithms and fix their parameters, completed to what is valid", async () => {
    expect((await variants(asked({ problem: { n: 1024 } })))[0]).toBe("wide/workgroup=512,memory=global");
    expect((await variants(asked({ problem: { n: 64 } }))).slice(0, 2)).toEqual([
      "plain/workgroup=64",
      "wide/workgroup=64,memory=both",
    ]);
  });

  it("give way to the next setting where the device refuses the first", async () => {
    const found = await variants(asked({ problem: { n: 1024 }, capabilities: DEFAULT_CAPABILITIES }));
    expect(found[0]).toBe("wide/workgroup=256,memory=both");
  });

  it("say which studies they are of and what they cost", async () => {
    const { why, borrowed, table } = explain(await select(asked({ problem: { n: 1024 } })));
    expect(borrowed).toBe(false);
    expect(table).toContain("scale-backends.json");
    expect(why).toMatch(
      /scale-backends.json and .*scale-threads.json, measured on this device: median 1.02x/,
    );
  });

  it("leave a problem that the table has to the table, and take one that they were measured nearer to", async () => {
    const tables = [tableOf(H200, [variant(256, 10, 128), variant(32, 20, 128)])];
    expect((await variants(asked({ tables, problem: { n: 128 } })))[0]).toBe("plain/workgroup=256");
    expect((await variants(asked({ tables, problem: { n: 700 } })))[0]).toBe(
      "wide/workgroup=512,memory=global",
    );
    expect((await variants(asked({ tables, problem: { n: 120 } })))[0]).toBe("plain/workgroup=256");
  });

  it("of this device go before another device's table, of another device only before the defaults", async () => {
    const other = { ...H200, device: "nvidia-a10", description: "NVIDIA A10" };
    const tables = [tableOf(other, [variant(128, 10, 1024)])];
    const mine = await variants(asked({ tables, problem: { n: 1024 } }));
    expect(mine[0]).toBe("wide/workgroup=512,memory=global");
    const theirs = [set({ device: { identity: other, capabilities: BIG } })];
    const borrowed = await select(asked({ tables, problem: { n: 1024 } }, theirs));
    expect(borrowed.candidates.map((one) => one.variant).slice(0, 2)).toEqual([
      "plain/workgroup=128",
      "wide/workgroup=512,memory=global",
    ]);
    expect(explain(borrowed, borrowed.candidates[1]).borrowed).toBe(true);
  });

  it("of a device whose costs are known stand in one set with them, and still choose", async () => {
    const device = { identity: H200, capabilities: BIG };
    const study = {
      ...{ operation: "scale", profile: "portable", device, auto: { rule: threads, regret } },
      ...{ id: "threads", rows: problems.map((problem) => ({ problem, cells: [{ us: 5 }] })) },
    } as unknown as StudyResult;
    const alone = ruleSets([study], "scale");
    const plain: CostModel = {
      ...{ fixedUs: 20, serialUs: 0, flopUs: 0, byteUs: 0 },
      ...{ runs: 9, medianOff: 1, worstOff: 1, shortBy: 1 },
    };
    const costs = { device, profile: "portable", costs: { plain } } as const;
    const sets = ruleSets([study], "scale", new Map([["nvidia-h200/tint-vulkan.portable", costs]]));
    expect(sets).toEqual([{ ...alone[0]!, costs: { plain } }]);
    expect((await variants(asked({ problem: { n: 1024 } }, sets)))[0]).toBe(
      "wide/workgroup=512,memory=global",
    );
  });

  it("ship as a module of the operations whose suites have such studies", async () => {
    const files = await renderShipped([], [operation], new Map([["scale", [set()]]]));
    const text = files.get("packages/runtime/src/generated/scale/rules.ts")!;
    expect(JSON.parse(text.slice(text.indexOf("= [") + 2, text.lastIndexOf(";")))).toEqual([set()]);
    expect([...(await renderShipped([], [operation])).keys()].some((path) => path.endsWith("rules.ts"))).toBe(
      false,
    );
  });
});
