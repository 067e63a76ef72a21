import type { Complex, Sign } from "../src/index.ts";

/** The definition, in float64: X[k] = sum_m x[m] exp(sign 2 pi i k m / n). */
export function dft(input: readonly Complex[], sign: Sign): Complex[] {
  const n = input.length;
  return input.map((_, k) => {
    let [re, im] = [0, 0];
    for (const [m, [a, b]] of input.entries()) {
      const angle = (sign * 2 * Math.PI * ((k * m) % n)) / n;
      re += a * Math.cos(angle) - b * Math.sin(angle);
      im += a * Math.sin(angle) + b * Math.cos(angle);
    }
    return [re, im];
  });
}

/** Largest difference of two transforms over the largest value of the second. */
export function worst(a: readonly Complex[], b: readonly Complex[]): number {
  const scale = Math.max(...b.map(([re, im]) => Math.hypot(re, im)), 1e-30);
  return Math.max(...a.map(([re, im], i) => Math.hypot(re - b[i]![0], im - b[i]![1]))) / scale;
}

/** Reproducible noise in [-1, 1). */
export function noise(n: number, seed: number): Complex[] {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Array.from({ length: n }, (): Complex => [next(), next()]);
}
