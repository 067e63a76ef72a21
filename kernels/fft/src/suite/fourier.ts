import type { Sign } from "../codelets.ts";

/** exp(sign 2 pi i k / n) for k = 0 .. n-1, interleaved. */
export function roots(n: number, sign: Sign): Float64Array {
  const table = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) {
    table[2 * k] = Math.cos((2 * Math.PI * k) / n);
    table[2 * k + 1] = sign * Math.sin((2 * Math.PI * k) / n);
  }
  return table;
}

/**
 * DFT of n complex points in place, unnormalised, float64, of the direction of `table`: iterative radix 2 with bit reversal (Cooley
 * and Tukey 1965).
 */
export function transform(values: Float64Array, table: Float64Array): void {
  const n = values.length / 2;
  const swap = (a: number, b: number): void => {
    const kept = values[a]!;
    values[a] = values[b]!;
    values[b] = kept;
  };
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      swap(2 * i, 2 * j);
      swap(2 * i + 1, 2 * j + 1);
    }
  }
  for (let half = 1; half < n; half *= 2) {
    const stride = n / (2 * half);
    for (let start = 0; start < n; start += 2 * half) {
      for (let k = 0; k < half; k++) {
        const [c, s] = [table[2 * k * stride]!, table[2 * k * stride + 1]!];
        const a = 2 * (start + k);
        const b = a + 2 * half;
        const re = values[b]! * c - values[b + 1]! * s;
        const im = values[b]! * s + values[b + 1]! * c;
        values[b] = values[a]! - re;
        values[b + 1] = values[a + 1]! - im;
        values[a] = values[a]! + re;
        values[a + 1] = values[a + 1]! + im;
      }
    }
  }
}
