import { describe, expect, it } from "vitest";
import { compileDeadline, DEFAULT_DEADLINES } from "../src/index.ts";

describe("the compile deadline of a session", () => {
  it("is a tenth of its budget, no less than 20 s and no more than a host's own", () => {
    expect(compileDeadline(300_000)).toBe(30_000);
    expect(compileDeadline(10_000)).toBe(20_000);
    expect(compileDeadline(3_600_000)).toBe(DEFAULT_DEADLINES.compile);
  });
});
