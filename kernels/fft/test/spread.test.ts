import { interpret } from "@tunelab/variants/interpreter";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bitSum, bitSumPlus, gather, scatter, weightsOf } from "../src/bits.ts";
import {
  accesses,
  type ExchangeOptions,
  inputPosition,
  layoutOf,
  outputPosition,
  paired,
  positionText,
  RADICES,
  shapeOf,
  simulate,
} from "../src/index.ts";
import { dft, noise, worst } from "./dft.ts";

/** The value of a u32 expression over `t` for every thread, by the interpreter. */
function valuesOf(expression: string, threads: number): number[] {
  const got = new Uint32Array(threads);
  const wgsl = `@group(0) @binding(0) var<storage, read_write> got: array<u32>;
    @compute @workgroup_size(${threads}) fn main(@builtin(local_invocation_index) t: u32) { got[t] = ${expression}; }`;
  interpret({ wgsl, buffers: { got }, extents: {}, groups: 1 });
  return [...got];
}

describe("bits", () => {
  const places = fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 8 });

  it("gathered are what was scattered, wherever they were", () => {
    fc.assert(
      fc.property(places, fc.nat(255), (where, value) => {
        const low = value % 2 ** where.length;
        expect(gather(scatter(low, where), where)).toBe(low);
      }),
    );
  });

  it("of any permutation come out of the WGSL that is printed for them", () => {
    fc.assert(
      fc.property(places, fc.nat(1000), (where, constant) => {
        const threads = 2 ** where.length;
        const value = (t: number): number => scatter(t, where) + constant * 8192;
        const text = bitSumPlus("t", weightsOf(threads, value), value(0));
        expect(valuesOf(text, threads)).toEqual(Array.from({ length: threads }, (_, t) => value(t)));
      }),
      { numRuns: 60 },
    );
  });

  it("that stay where they are cost nothing", () => {
    expect(bitSum("t", [1, 2, 4, 8])).toBe("t");
    expect(bitSum("t", [2, 4, 8, 16])).toBe("t * 2u");
    expect(bitSum("t", [1, 2, 16, 32])).toBe("t % 4u + (t / 4u) * 16u");
    expect(bitSum("t", [0, 0])).toBe("0u");
  });
});

/** Every way to hold n points with two butterflies a thread. */
function* holdings(n: number): Generator<{ radix: number; threads: number; chunk: number }> {
  for (const radix of RADICES) {
    for (let points = radix; points <= 64; points *= 2) {
      const threads = n / points;
      if (threads < 2 || threads > 1024 || points < 2 * radix) continue;
      for (let chunk = points; chunk >= 1; chunk /= 2) yield { radix, threads, chunk };
    }
  }
}

describe("a shape with neighbouring butterflies in the first pass", () => {
  for (const n of [64, 128, 256, 512]) {
    it(`is the float64 DFT at n = ${n} for every radix, thread count and chunk`, () => {
      const input = noise(n, n);
      const truth = dft(input, 1);
      for (const { radix, threads, chunk } of holdings(n)) {
        const shape = paired(shapeOf(n, radix, threads));
        const options: ExchangeOptions = { chunk, staging: "whole", padding: 16, gap: 2 };
        const where = `radix ${radix} threads ${threads} chunk ${chunk}`;
        expect(worst(simulate(shape, options, 1, input), truth), where).toBeLessThan(1e-12);
      }
    });
  }

  it("loads points 2 t and 2 t + 1 of each row", () => {
    const shape = paired(shapeOf(4096, 16, 128));
    for (const t of [0, 1, 77, 127]) {
      for (let m = 0; m < 16; m++) {
        const [a, b] = [m, 16 + m].map((r) => inputPosition(shape, shape.passes[0]!, t, r));
        expect([a, b]).toEqual([2 * t + 256 * m, 2 * t + 1 + 256 * m]);
      }
    }
  });

  it("stages a chunk of whole butterflies without asking which thread it is, on both sides", () => {
    for (const n of [512, 1024, 4096]) {
      for (const { radix, threads, chunk } of holdings(n)) {
        if (chunk < radix) continue;
        const options: ExchangeOptions = { chunk, staging: "split", padding: 0, gap: 1 };
        const shape = paired(shapeOf(n, radix, threads));
        for (const [index, pass] of shape.passes.slice(0, -1).entries()) {
          const layout = layoutOf(shape, pass, shape.passes[index + 1]!, options);
          for (const side of ["write", "read"] as const) {
            for (const { register, chunk: known } of accesses(layout, side, "p").list) {
              const where = `n ${n} radix ${radix} threads ${threads} chunk ${chunk} pass ${index} ${side} ${register}`;
              expect(known, where).toBeDefined();
            }
          }
        }
      }
    }
  });

  it("prints the positions that it computes", () => {
    for (const radix of [4, 16]) {
      const shape = paired(shapeOf(1024, radix, 32));
      for (const pass of shape.passes) {
        for (const [side, position] of [
          ["input", inputPosition],
          ["output", outputPosition],
        ] as const) {
          const want = Array.from({ length: 32 }, (_, t) => position(shape, pass, t, 5));
          expect(valuesOf(positionText(shape, pass, side, 5), 32)).toEqual(want);
        }
      }
    }
  });

  it("is refused where a thread holds one butterfly, with the most threads that hold two", () => {
    expect(() => paired(shapeOf(4096, 16, 256))).toThrow(
      /256 threads hold one butterfly of radix 16 of 4096 points each: use at most 128/,
    );
  });
});
