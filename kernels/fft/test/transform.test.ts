import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BUTTERFLIES,
  type Complex,
  codelet,
  type ExchangeOptions,
  evaluate,
  exchangeWords,
  factorsOf,
  factorValue,
  fusedCodelet,
  instructionsOf,
  layoutOf,
  RADICES,
  readPlace,
  type Sign,
  shapeOf,
  simulate,
  writePlace,
} from "../src/index.ts";
import { dft, noise, worst } from "./dft.ts";

const lengths = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];
const signs: readonly Sign[] = [1, -1];

describe("codelets", () => {
  for (const radix of RADICES) {
    for (const sign of signs) {
      it(`radix ${radix}, sign ${sign}, is the DFT to float64 rounding`, () => {
        fc.assert(
          fc.property(fc.integer(), (seed) => {
            const input = noise(radix, seed);
            expect(worst(evaluate(codelet(radix, sign), input), dft(input, sign))).toBeLessThan(1e-14);
          }),
          { numRuns: 20 },
        );
      });
    }
  }

  for (const radix of RADICES) {
    for (const sign of signs) {
      it(`fused and merged radix ${radix}, sign ${sign}, are the DFT with and without twiddles, to float64 rounding`, () => {
        fc.assert(
          fc.property(fc.integer(), fc.constantFrom(1, 4, 64), fc.boolean(), (seed, before, merged) => {
            const input = noise(radix, seed);
            const k = Math.abs(seed) % before;
            const twiddled = before > 1;
            const butterfly = merged ? "merged" : "fused";
            const options = { sign, butterfly, twiddles: "table" } as const;
            const factors = twiddled
              ? factorsOf({ radix, before }, options).map((factor) => factorValue(factor, k, sign))
              : [];
            const turned = input.map(([re, im], m): Complex => {
              const angle = (sign * 2 * Math.PI * k * m) / (before * radix);
              const [c, s] = [Math.cos(angle), Math.sin(angle)];
              return [re * c - im * s, re * s + im * c];
            });
            const kind = merged ? "merged" : "twiddled";
            const output = evaluate(fusedCodelet(radix, sign, twiddled ? kind : "points"), [
              ...input,
              ...factors,
            ]);
            expect(worst(output, dft(turned, sign))).toBeLessThan(1e-14);
          }),
          { numRuns: 20 },
        );
      });
    }
  }

  for (const radix of RADICES) {
    it(`fused radix ${radix} of products a conj(h) is the DFT of the products`, () => {
      const [a, h] = [noise(radix, 5), noise(radix, 6)];
      const points = a.map(([re, im], m): Complex => {
        const [c, s] = h[m]!;
        return [re * c + im * s, im * c - re * s];
      });
      const output = evaluate(fusedCodelet(radix, 1, "products"), [...a, ...h]);
      expect(worst(output, dft(points, 1))).toBeLessThan(1e-14);
    });
  }

  it("fused radix 16 takes 6 instructions a radix-2 step with twiddles, 144 without", () => {
    expect(instructionsOf(fusedCodelet(16, 1, "twiddled"))).toBe(4 * 8 * 6);
    expect(instructionsOf(fusedCodelet(16, 1, "points"))).toBe(148);
    expect(instructionsOf(fusedCodelet(16, 1, "products"))).toBe(148 + 16 * 4 - 16);
    expect(instructionsOf(fusedCodelet(16, 1, "merged"))).toBe(148 + 7 * 10 + 6 - 8 * 4);
    expect(instructionsOf(codelet(16, 1)) + 15 * 4).toBe(220);
  });

  it("radix 16 spends no more than the 4x4 split: 144 real additions and 8 rotations by a constant", () => {
    const kinds = codelet(16, 1).operations.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "add" || kind === "sub")).toHaveLength(64);
    expect(kinds.filter((kind) => kind === "scale")).toHaveLength(8);
  });
});

/** Every way to hold n points: radix, threads, chunk. */
function* holdings(n: number): Generator<{ radix: number; threads: number; chunk: number }> {
  for (const radix of RADICES) {
    // 256 invocations hold 16384 points at 64 a thread.
    for (let points = radix; points <= Math.max(64, n / 256); points *= 2) {
      const threads = n / points;
      if (threads < 2 || threads > 1024) continue;
      for (let chunk = points; chunk >= 1; chunk /= 2) yield { radix, threads, chunk };
    }
  }
}

describe("a workgroup's transform, simulated by the index functions that the text is printed from", () => {
  for (const n of lengths) {
    it(`finds every value where the scatter put it, at n = ${n} for every radix, thread count and chunk`, () => {
      for (const { radix, threads, chunk } of holdings(n)) {
        const shape = shapeOf(n, radix, threads);
        // The long lengths take seconds each: one padding there, the others where they are cheap.
        const paddings = [{ padding: 32, gap: 2 }];
        if (n <= 1024)
          paddings.push({ padding: 0, gap: 1 }, { padding: 32, gap: 1 }, { padding: 16, gap: 4 });
        for (const { padding, gap } of paddings) {
          const options: ExchangeOptions = { chunk, staging: "split", padding, gap };
          for (const [index, pass] of shape.passes.slice(0, -1).entries()) {
            const layout = layoutOf(shape, pass, shape.passes[index + 1]!, options);
            const words = exchangeWords(shape, options);
            const written = new Set<number>();
            const where = `radix ${radix}, threads ${threads}, chunk ${chunk}, padding ${padding}, gap ${gap}`;
            for (let t = 0; t < threads; t++) {
              for (let r = 0; r < shape.points; r++) {
                const { chunk: c, slot } = writePlace(layout, t, r);
                if (slot >= words || c >= layout.chunks) expect.fail(`${where}: slot ${slot} is outside`);
                written.add(c * words + slot);
              }
            }
            if (written.size !== n) expect.fail(`${where}: two writers share a slot`);
            for (let t = 0; t < threads; t++) {
              for (let r = 0; r < shape.points; r++) {
                const { chunk: c, slot } = readPlace(layout, t, r);
                if (!written.has(c * words + slot))
                  expect.fail(`${where}: nobody wrote what thread ${t} reads`);
              }
            }
          }
        }
      }
    });
  }

  for (const n of [64, 128, 256, 512, 1024]) {
    it(`equals the float64 DFT at n = ${n} in both directions, odd and even powers of two`, () => {
      const input = noise(n, n);
      for (const sign of signs) {
        const truth = dft(input, sign);
        for (const { radix, threads, chunk } of holdings(n)) {
          const shape = shapeOf(n, radix, threads);
          for (const butterfly of chunk === 1 ? BUTTERFLIES : (["split"] as const)) {
            const options: ExchangeOptions = { chunk, staging: "whole", padding: 0, gap: 1 };
            const output = simulate(shape, options, sign, input, undefined, butterfly);
            const where = `radix ${radix} threads ${threads} chunk ${chunk} ${butterfly}`;
            expect(worst(output, truth), where).toBeLessThan(1e-12);
          }
        }
      }
    });
  }

  for (const n of [2048, 4096]) {
    it(`equals the float64 DFT at n = ${n}, and keeps float32 accuracy when rounded`, () => {
      const input = noise(n, n);
      const truth = dft(input, 1);
      for (const radix of RADICES) {
        const shape = shapeOf(n, radix, n / Math.max(16, radix));
        const options: ExchangeOptions = { chunk: 4, staging: "split", padding: 32, gap: 2 };
        for (const butterfly of BUTTERFLIES) {
          const run = (round?: (x: number) => number): Complex[] =>
            simulate(shape, options, 1, input, round, butterfly);
          expect(worst(run(), truth)).toBeLessThan(1e-12);
          expect(worst(run(Math.fround), truth)).toBeLessThan(5e-7);
        }
      }
    });
  }

  it("with the remainder pass omitted is wrong, as a radix-4-only kernel was at 2048", () => {
    const shape = shapeOf(2048, 4, 256);
    const broken = { ...shape, passes: shape.passes.slice(1) };
    const input = noise(2048, 1);
    const run = (): Complex[] =>
      simulate(broken, { chunk: 8, staging: "whole", padding: 0, gap: 1 }, 1, input);
    let error = Number.POSITIVE_INFINITY;
    try {
      error = worst(run(), dft(input, 1));
    } catch {}
    expect(error).toBeGreaterThan(0.1);
  });

  it("refuses a thread count that cannot hold the radix, with the largest that can", () => {
    expect(() => shapeOf(64, 16, 8)).toThrow(/8 threads cannot hold radix 16 of 64 points: use at most 4/);
  });
});
