import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inspectSpirv, isAvoidable } from "../src/spirv/index.ts";

const read = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
const wgsl = read("safety.wgsl");
/** What Dawn 0.6.2 made of it for SwiftShader, default toggles. */
const dump = read("safety.spvasm");
const found = inspectSpirv(dump, wgsl);

const at = (text: string): number => wgsl.split("\n").findIndex((line) => line.includes(text)) + 1;

describe("clamps in a disassembly", () => {
  it("are found where the index has no range, each at its line, and nowhere else", () => {
    const places = found.clamps.map(({ array, bound, origin, line }) => [array, bound, origin, line?.number]);
    expect(places).toEqual([
      ["stage", "fixed", "known", at("fn twice")],
      ["stage", "fixed", "known", at("fn twice")],
      ["input", "runtime", "known", at("= vec2f(input")],
      ["at", "fixed", "known", at("at[t & 63u]")],
      ["stage", "fixed", "known", at("half > 0u")],
      ["stage", "fixed", "data", at("stage[at[t]]")],
      ["output", "runtime", "known", at("output[group.x] =")],
    ]);
  });

  it("could be spared where the array's length is declared and the index is not read from memory", () => {
    expect(found.clamps.filter(isAvoidable).map(({ array }) => array)).toEqual([
      "stage",
      "stage",
      "at",
      "stage",
    ]);
  });

  it("say which memory they protect", () => {
    const spaces = new Map(found.clamps.map(({ array, space }) => [array, space]));
    expect(Object.fromEntries(spaces)).toEqual({
      stage: "workgroup",
      at: "workgroup",
      input: "storage",
      output: "storage",
    });
  });

  it("are no clamps where a kernel takes a minimum of its own that is not the array's last index", () => {
    const other = dump.replace("UMin %180 %uint_63", "UMin %180 %uint_32");
    expect(other).not.toBe(dump);
    expect(inspectSpirv(other, wgsl).clamps).toHaveLength(found.clamps.length - 1);
  });

  it("are no clamps where the text gives the minimum a name, for then it is the text's own", () => {
    const other = dump.replace(/(\n\s+)OpName /, '$1OpName %80 "mine"$1OpName ');
    expect(other).not.toBe(dump);
    expect(inspectSpirv(other, wgsl).clamps.map(({ array }) => array)).toEqual(
      found.clamps.map(({ array }) => array).filter((array) => array !== "at"),
    );
  });

  it("are found as selections too", () => {
    const other = dump.replace(
      /(\s+)(%80) = OpExtInst %uint %38 UMin (%79) %uint_63/,
      "$1%cond = OpULessThan %bool $3 %uint_63$1$2 = OpSelect %uint %cond $3 %uint_63",
    );
    expect(other).not.toBe(dump);
    const [clamp] = inspectSpirv(other, wgsl).clamps.filter(({ by }) => by === "select");
    expect(clamp).toMatchObject({ array: "at", bound: "fixed", origin: "known" });
  });

  it("have no line where the text's accesses are not those of the module", () => {
    const { clamps } = inspectSpirv(dump, wgsl.replace("sum += stage[at[t]];", ""));
    expect(clamps.filter(({ array }) => array === "stage").every(({ line }) => line === undefined)).toBe(
      true,
    );
    expect(clamps.find(({ array }) => array === "output")!.line).toBeDefined();
  });
});

describe("what else keeps a text safe", () => {
  it("is counted: loops, those not proven to end, zeroed bytes, divisors that are no constant", () => {
    expect(found.safety).toEqual({
      loops: 2,
      guardedLoops: 1,
      zeroedBytes: 64 * 8 + 64 * 4,
      checkedDivisions: 1,
      shuffleGuards: 0,
    });
  });

  it("counts what keeps the lanes of shuffles in their subgroup, with the load of the own lane only where Tint asks for it", () => {
    const shuffles = (own: string, ...body: readonly string[]): number =>
      inspectSpirv(
        [
          'OpName %last "tint_subgroup_last_id"',
          'OpName %kept "tint_subgroup_invocation_id"',
          `OpName %own "${own}"`,
          "%main = OpFunction %void None %type",
          "%own = OpFunctionParameter %uint",
          "%sum = OpGroupNonUniformIAdd %uint %uint_3 Reduce %uint_1",
          "%less = OpISub %uint %sum %uint_1",
          "OpStore %last %less None",
          ...body,
          "OpReturn",
          "OpFunctionEnd",
        ].join("\n"),
        "",
      ).safety.shuffleGuards;
    const keep = "OpStore %kept %own None";
    const at = ["%a = OpLoad %uint %last None", "%b = OpExtInst %uint %1 UMin %lane %a"];
    const xor = ["%c = OpLoad %uint %kept None", "%d = OpLoad %uint %last None"];
    expect(shuffles("id", ...at)).toBe(3 + 2);
    expect(shuffles("id", keep, ...at, ...xor)).toBe(3 + 1 + 2 + 5);
    expect(shuffles("tint_subgroup_invocation_id", keep, ...xor)).toBe(3 + 1 + 1 + 5);
  });

  it("the memory is zeroed by nobody where variables have no initialiser", () => {
    const without = dump.replace(/(OpVariable \S+ Workgroup) %\d+/g, "$1");
    expect(inspectSpirv(without, wgsl).safety.zeroedBytes).toBe(0);
  });
});

describe("instructions", () => {
  it("are counted by kind for every function, and add up to all that does something", () => {
    const names = found.functions.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["twice", "main_inner", "main", "tint_mod_u32"]));
    for (const { counts, total } of found.functions) {
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total);
    }
    const inner = found.functions.find(({ name }) => name === "main_inner")!;
    expect(inner.counts.barrier).toBe(1);
    const lines = dump.split("\n").map((line) => line.trim());
    const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
    const all = (kind: "address" | "memory"): number =>
      found.functions.reduce((sum, { counts }) => sum + counts[kind], 0);
    expect(all("address")).toBe(count(/Op(AccessChain|ArrayLength)\b/));
    expect(all("memory")).toBe(count(/Op(Load|Store)\b/));
  });
});

describe("a text that is no disassembly", () => {
  it("is refused with the line", () => {
    expect(() => inspectSpirv("               OpNop\nnonsense here", "")).toThrow(/line 2 .*nonsense here/);
    expect(() => inspectSpirv("; SPIR-V\n               OpCapability Shader", "")).toThrow(/no function/);
  });
});
