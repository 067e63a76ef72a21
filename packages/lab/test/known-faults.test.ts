import { describe, expect, it } from "vitest";
import { driver } from "../../../test/embedded.ts";
import { lab } from "./collect.ts";

describe("pnpm lab known-faults", () => {
  it.skipIf(!driver)("runs every reproducer on the device, and none shows on the embedded GPU", async () => {
    const { code, out, notes } = await lab(["known-faults", "--device", "swiftshader", "--json"]);
    expect(code, notes).toBe(0);
    const outcomes = JSON.parse(out) as {
      fault: string;
      expected: boolean;
      shows: boolean;
      detail: string;
    }[];
    expect(outcomes.length).toBeGreaterThan(5);
    for (const { fault, expected, shows, detail } of outcomes) {
      expect([expected, shows, detail], fault).toEqual([false, false, "right"]);
    }
  });
});
