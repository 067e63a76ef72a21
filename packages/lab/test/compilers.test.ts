import { describe, expect, it } from "vitest";
import { compilerCount } from "../src/compilers.ts";

const target = (kind: "hardware" | "software", adapterType: string) =>
  ({ kind, info: { identity: { adapterType } } }) as unknown as Parameters<typeof compilerCount>[0];

describe("hosts that compile while another times", () => {
  it("are half of the cores beside a discrete GPU, eight at most", () => {
    expect(compilerCount(target("hardware", "discrete"), 8)).toBe(4);
    expect(compilerCount(target("hardware", "discrete"), 128)).toBe(8);
  });

  it("are none where compiling would take from what is timed: few cores, shared power, a software GPU", () => {
    expect(compilerCount(target("hardware", "discrete"), 7)).toBe(0);
    expect(compilerCount(target("hardware", "integrated"), 16)).toBe(0);
    expect(compilerCount(target("software", "cpu"), 64)).toBe(0);
  });
});
