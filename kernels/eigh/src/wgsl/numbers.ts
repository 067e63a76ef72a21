import { lines } from "@tunelab/variants";

/** Exponent bits of a float32 that are all ones for NaN and infinity: compared as integers, which no fast arithmetic assumes away. */
export const NOT_FINITE = "0x7f800000u";
/** What a result of a matrix that is not finite is written as. */
export const NAN_BITS = "0x7fc00000u";

/** The bits of |x|: they order as the magnitudes do, NaN above all. */
export const magnitudeBits = (x: string): string => `(bitcast<u32>(${x}) & 0x7fffffffu)`;

/**
 * `down` and `up`: powers of two, each the other's inverse, that take the largest magnitude (bits in `peak`) to [1, 2), so that squares
 * neither overflow nor vanish. Exponents are kept where both are normal numbers.
 */
export const scaling = (peak: string): string =>
  lines(
    `let exponent = max(1u, min(${peak} / 0x800000u, 253u));`,
    "let down = bitcast<f32>((254u - exponent) * 0x800000u);",
    "let up = bitcast<f32>(exponent * 0x800000u);",
  );
