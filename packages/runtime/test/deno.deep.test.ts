import { beforeAll, describe, expect, it } from "vitest";
import { denoOf, runInDeno } from "../../../test/deno.ts";
import { driver } from "../../../test/embedded.ts";
import type { RuntimeEvent } from "../src/index.ts";

const deno = denoOf(new URL("../package.json", import.meta.url));

interface Report {
  readonly adapter: Record<string, string>;
  readonly features: readonly string[];
  /** A line a variant: `right`, `wrong by ...` or the kind of its fault, then its id. */
  readonly defaults: readonly string[];
  readonly shipped: readonly string[];
  readonly ffts: readonly string[];
  readonly table: string;
  readonly events: readonly RuntimeEvent[];
}

describe.skipIf(!deno || !driver)("in Deno, through wgpu and naga on the embedded software GPU", () => {
  let report: Report;
  beforeAll(async () => {
    // 15 s on two idle cores: naga and SwiftShader compile some thirty kernels.
    report = JSON.parse(await runInDeno(deno!, new URL("deno.child.ts", import.meta.url), {}, 280_000));
  }, 300_000);
  const how = (lines: readonly string[]): readonly string[] => lines.map((line) => line.split(" ")[0]!);

  it("the adapter says decimal ids, and has no subgroups to offer", () => {
    expect(report.adapter).toMatchObject({ vendor: "6880", compiler: "naga", adapterType: "cpu" });
    expect(report.features).not.toContain("subgroups");
  });

  it("every algorithm of the matched filter computes what the CPU does, within WebGPU's default limits", () => {
    // The default and the algorithms in order, at 64, 1024, 2048 and 32768 points. Without a threshold the last two answer nothing.
    const answers = [
      [true, true, true, false, false, false],
      [true, true, true, true, false, false],
      [true, true, true, true, false, false],
      [true, false, false, true, false, false],
    ].flat();
    expect(report.defaults).toHaveLength(answers.length);
    for (const [at, line] of report.defaults.entries()) {
      if (answers[at]) expect(line).toMatch(/^right /);
      else expect(line).toMatch(/^(usage|unsupported) (fused|corr-reduce|four-step|two-kernel|tile-fused): /);
    }
    expect(report.defaults[18]).toMatch(/^right four-step/);
  });

  it("every shipped variant compiles and is right, or is refused for the feature that it needs", () => {
    expect(report.shipped.length).toBeGreaterThan(5);
    for (const line of report.shipped) {
      if (line.includes("reduction=subgroup"))
        expect(line).toMatch(/^unsupported .*needs the feature subgroups/);
      else expect(line).toMatch(/^right /);
    }
  });

  it("transforms are right in one workgroup and in four steps, and too long ones are refused by the first", () => {
    expect(how(report.ffts)).toEqual(["right", "right", "right", "right", "usage", "right"]);
    expect(report.ffts[4]).toMatch(/longer transforms than 16384/);
  });

  it("the table of SwiftShader behind Dawn is recognised as this device's, and as another compiler's", () => {
    expect(report.table).toBe("swiftshader/tint-vulkan.portable/matched-filter.json");
    expect(report.events).toContainEqual(
      expect.objectContaining({
        kind: "borrowed",
        why: expect.stringContaining("this device under another"),
      }),
    );
  });
});
