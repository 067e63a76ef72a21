import { describe, expect, it } from "vitest";
import { driver } from "../../../test/embedded.ts";
import { lab } from "./collect.ts";

describe("pnpm lab library", () => {
  it.skipIf(!driver)(
    "sets the library beside the bare executor four ways, on one variant and the same buffers",
    async () => {
      const shape = ["--n", "64", "--data", "2", "--templates", "4", "--budget", "300ms"];
      const { code, out, notes } = await lab(["library", ...shape, "--device", "swiftshader", "--json"]);
      expect(code, notes).toBe(0);
      const { problem, variant, costs } = JSON.parse(out);
      expect(problem).toEqual({ n: 64, data: 2, templates: 4, pairs: 8 });
      expect(variant).toMatch(/^(fused|corr-reduce)\//);
      expect(costs).toMatchObject([
        { what: "harness", clock: "gpu" },
        { what: "encoded", clock: "gpu" },
        { what: "bound", clock: "wall" },
        { what: "call", clock: "wall" },
      ]);
      for (const { bareUs, libraryUs, judgement } of costs) {
        for (const time of [bareUs, libraryUs]) expect(time).toBeGreaterThan(0);
        expect(Number.isFinite(judgement.ratio) || judgement.count === 0).toBe(true);
      }
      expect(notes).toContain("n = 64: whole call");
    },
  );

  it("refuses a length that is none, and a device that is not here", async () => {
    expect(await lab(["library", "--n", "many", "--device", "swiftshader"])).toMatchObject({ code: 2 });
    expect(await lab(["library", "--device", "abacus"])).toMatchObject({
      code: 2,
      notes: expect.stringContaining("unknown device abacus"),
    });
  });
});
