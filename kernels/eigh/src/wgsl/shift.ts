/**
 * The shift that makes a matrix positive definite leaves its smallest eigenvalue at least this: an eighth of the spectrum's width, or, for multiples of
 * the identity, 2^-10.
 */
export const SHARE = "0.125f";
export const LEAST = "9.765625e-4f";
