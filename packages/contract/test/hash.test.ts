import { describe, expect, it } from "vitest";
import { canonicalJson, sha256 } from "../src/index.ts";

describe("canonicalJson", () => {
  it("does not depend on the order of keys, at any depth", () => {
    expect(canonicalJson({ b: { d: 1, c: 2 }, a: 3 })).toBe(canonicalJson({ a: 3, b: { c: 2, d: 1 } }));
  });

  it("depends on the order of lists", () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });

  it("tells typed arrays by type and bits", () => {
    const bits = canonicalJson(new Uint32Array([0x80000000]));
    expect(canonicalJson(new Float32Array([-0]))).not.toBe(bits);
    expect(canonicalJson(new Float32Array([-0]))).not.toBe(canonicalJson(new Float32Array([0])));
    expect(canonicalJson(new Float32Array([Number.NaN]))).not.toBe(canonicalJson(new Float32Array([0])));
    expect(canonicalJson(new Int32Array([1]))).not.toBe(canonicalJson(new Uint32Array([1])));
  });

  it("reads a view's own words, not the buffer behind it", () => {
    const whole = new Float32Array([1, 2, 3, 4]);
    expect(canonicalJson(whole.subarray(1, 3))).toBe(canonicalJson(new Float32Array([2, 3])));
  });
});

describe("sha256", () => {
  it("gives the digest of FIPS 180-2, appendix B.1", async () => {
    expect(await sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
