import { describe, expect, it } from "vitest";
import { chooseDevice } from "../src/discover.ts";
import { dumpIn, dumpSpirv } from "../src/spirv.ts";

const text = (index: string): string => `
var<workgroup> stage: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> output: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {
  stage[t] = t;
  workgroupBarrier();
  output[t] = stage[${index}];
}`;

const dump = async (wgsl: string, profile: "portable" | "native" = "portable"): Promise<string> =>
  dumpSpirv({ target: await chooseDevice("swiftshader"), profile, wgsl, entryPoint: "main" });

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")(
  "the SPIR-V of a text on the embedded GPU",
  () => {
    it("clamps an index that is masked, and none that is a remainder by a constant", async () => {
      expect(await dump(text("(t + 9u) & 63u"))).toMatch(/UMin/);
      expect(await dump(text("(t + 9u) % 64u"))).not.toMatch(/UMin/);
    }, 60_000);

    it("has neither clamps nor zeroed memory under the native profile", async () => {
      const [portable, native] = [await dump(text("t & 63u")), await dump(text("t & 63u"), "native")];
      expect(portable).toMatch(/%stage = OpVariable \S+ Workgroup %/);
      expect(native).toMatch(/%stage = OpVariable \S+ Workgroup$/m);
      expect(native).not.toMatch(/UMin/);
    }, 60_000);

    it("is whole: every name of the text is defined in it, the entry point last", async () => {
      const lines = (await dump(text("t"))).split("\n");
      expect(lines[0]).toBe("; SPIR-V");
      expect(lines.at(-1)!.trim()).toBe("OpFunctionEnd");
      expect(lines.filter((line) => / = OpFunction /.test(line)).at(-1)).toMatch(/%main = /);
    }, 60_000);

    it("a text that does not compile is a validation fault that says why", async () => {
      await expect(dump(text("nonsense"))).rejects.toMatchObject({
        kind: "validation",
        message: expect.stringMatching(/nonsense/),
      });
    }, 60_000);

    it("a process that compiles nothing in time is given up", async () => {
      const target = await chooseDevice("swiftshader");
      await expect(
        dumpSpirv({ target, profile: "portable", wgsl: text("t"), entryPoint: "main", deadlineMs: 1 }),
      ).rejects.toMatchObject({ kind: "compile-timeout" });
    }, 60_000);
  },
);

it("a backend without SPIR-V is refused before anything starts", async () => {
  const target = { id: "mac", environment: {}, host: { backend: "metal", software: false } };
  await expect(
    dumpSpirv({ target, profile: "portable", wgsl: text("t"), entryPoint: "main" }),
  ).rejects.toMatchObject({ kind: "unsupported", message: expect.stringMatching(/metal.*Vulkan device/) });
});

describe("what Dawn has written so far", () => {
  const module = [
    "; SPIR-V",
    '               OpName %helper "helper"',
    '               OpName %main "main"',
    "     %helper = OpFunction %void None %3",
    "               OpFunctionEnd",
  ].join("\n");
  const log = (body: string): string =>
    `info:\n// Dumped WGSL:\nfn main() {}\n\ninfo:\n/* Dumped SPIRV disassembly */\n${body}`;

  it("is no dump before every named function is there", () => {
    expect(dumpIn("info:\n// Dumped WGSL:\n")).toBeUndefined();
    expect(dumpIn(log(module))).toBeUndefined();
    const whole = `${module}\n       %main = OpFunction %void None %3\n               OpFunctionEnd\n`;
    expect(dumpIn(log(whole))).toBe(whole.trimEnd());
    expect(dumpIn(log(whole.slice(0, -5)))).toBeUndefined();
  });

  it("is a dump once another message begins", () => {
    expect(dumpIn(`${log(module)}\ninfo:\nmore`)).toBe(module);
  });
});
