import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asFault,
  type BufferSpec,
  bestNs,
  bufferBytes,
  Fault,
  groupCount,
  portOf,
  problemKey,
  type Trial,
} from "../src/index.ts";

describe("groupCount", () => {
  it("adds the groups of every started bundle of items to the fixed ones", () => {
    const groups = { fixed: 3, perItem: { groups: 2, items: 4 } };
    expect([0, 1, 4, 5].map((items) => groupCount(groups, items))).toEqual([3, 5, 5, 7]);
    expect(groupCount({ fixed: 7 }, 100)).toBe(7);
  });

  it("covers every item with the least bundles", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 64 }), (items, bundle) => {
        const count = groupCount({ fixed: 0, perItem: { groups: 1, items: bundle } }, items);
        expect(count * bundle).toBeGreaterThanOrEqual(items);
        expect((count - 1) * bundle).toBeLessThan(items || 1);
      }),
    );
  });
});

const buffer: BufferSpec = { name: "x", role: "in", dtype: "f32", fixedBytes: 0, itemBytes: 8 };

describe("buffers", () => {
  it("have fixed bytes or bytes for each item, in whole words", () => {
    expect(bufferBytes(buffer, 5)).toBe(40);
    expect(bufferBytes({ ...buffer, itemBytes: 0, fixedBytes: 13 }, 5)).toBe(16);
  });

  it("carry the port of their own name unless they name another; a plan's own buffers carry none", () => {
    expect(portOf(buffer)).toBe("x");
    expect(portOf({ ...buffer, port: "signal" })).toBe("signal");
    expect(portOf({ ...buffer, role: "scratch" })).toBeUndefined();
    expect(portOf({ ...buffer, role: "scratch", port: "kq" })).toBe("kq");
  });
});

describe("problemKey", () => {
  it("sorts dimensions by name and never by order of declaration", () => {
    expect(problemKey({ pairs: 32768, n: 4096, mode: "full" })).toBe("mode=full,n=4096,pairs=32768");
    expect(problemKey({ n: 4096, mode: "full", pairs: 32768 })).toBe("mode=full,n=4096,pairs=32768");
    expect(problemKey({})).toBe("");
  });
});

describe("bestNs", () => {
  const trial = (status: Trial["status"], samplesNs: readonly number[]): Trial =>
    ({
      status,
      timing: { clock: "gpu", tickNs: 1, repeats: 4, samplesNs, rejected: {} },
    }) as unknown as Trial;

  it("is one repeat of the fastest sample", () => {
    expect(bestNs(trial("ok", [4200, 4000, 5000]))).toBe(1000);
    expect(bestNs(trial("noisy", [4200]))).toBe(1050);
  });

  it("is undefined where no time may be ranked, however fast it looks", () => {
    expect(bestNs(trial("wrong", [4]))).toBeUndefined();
    expect(bestNs(trial("ok", []))).toBeUndefined();
    expect(bestNs({ status: "ok" } as Trial)).toBeUndefined();
  });
});

describe("asFault", () => {
  it("leaves a fault as it is", () => {
    const fault = new Fault("hung", "waited 5 s");
    expect(asFault(fault, "data")).toBe(fault);
  });

  it("keeps the first line of anything else and the whole in the details", () => {
    const fault = asFault(new Error("first\nsecond"), "environment");
    expect(fault).toMatchObject({
      kind: "environment",
      message: "first",
      details: { cause: "first\nsecond" },
    });
    expect(asFault(undefined, "data").message).toBe("undefined");
    // naga begins its messages with an empty line
    expect(asFault(new Error("\nShader 'items' parsing error\n"), "validation").message).toBe(
      "Shader 'items' parsing error",
    );
  });
});
