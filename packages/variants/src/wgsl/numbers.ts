import { Fault } from "@tunelab/contract";

/**
 * An f32 literal: the shortest decimal that reads back as exactly `Math.fround(value)`, always with a point or an exponent
 * and the suffix f, negative ones in parentheses (`a -(-1.0f)` would else be a decrement).
 * Throws a usage Fault for values that WGSL has no literal for: NaN, infinities and what overflows f32.
 */
export function formatF32(value: number): string {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) {
    throw new Fault("usage", `${value} has no f32 literal in WGSL: pass a finite number within +-${MOST}`);
  }
  const negative = single < 0 || Object.is(single, -0);
  const digits = shortestDecimal(Math.abs(single));
  const literal = /[.e]/.test(digits) ? `${digits}f` : `${digits}.0f`;
  return negative ? `(-${literal})` : literal;
}

/** A u32 literal; throws a usage Fault for what is not a u32. */
export function formatU32(value: number): string {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new Fault("usage", `${value} is no u32: pass an integer from 0 to 4294967295`);
  }
  return `${value}u`;
}

/** The largest f32. WGSL refuses decimals above it, even those that would round down to it (3.4028235e38). */
const MOST = 3.4028234663852886e38;

/** Nine significant digits tell any two f32 apart (IEEE 754-2019, 5.12.2); only the largest f32 needs its exact double. */
function shortestDecimal(single: number): string {
  for (let precision = 1; precision <= 9; precision++) {
    const candidate = Number(single.toPrecision(precision));
    if (candidate <= MOST && Math.fround(candidate) === single) return String(candidate);
  }
  return String(single);
}
