/** Lower triangular factors, row-major with a stride, in place. Own code: a growing factor is all that is needed here. */

/**
 * Factors the symmetric positive definite matrix of order n whose lower half is in `a` (row stride `stride`) into L Lᵀ, in place.
 * Returns false when it is not positive definite to rounding.
 */
export function factor(a: Float64Array, n: number, stride: number): boolean {
  for (let i = 0; i < n; i++) {
    const row = i * stride;
    for (let j = 0; j <= i; j++) {
      const other = j * stride;
      let sum = a[row + j]!;
      for (let k = 0; k < j; k++) sum -= a[row + k]! * a[other + k]!;
      if (i !== j) a[row + j] = sum / a[other + j]!;
      else if (sum > 0) a[row + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Solves L x = b in place; b starts at `offset` of `x`. */
export function solveLower(l: Float64Array, n: number, stride: number, x: Float64Array, offset = 0): void {
  for (let i = 0; i < n; i++) {
    const row = i * stride;
    let sum = x[offset + i]!;
    for (let k = 0; k < i; k++) sum -= l[row + k]! * x[offset + k]!;
    x[offset + i] = sum / l[row + i]!;
  }
}

/** Solves Lᵀ x = b in place. */
export function solveUpper(l: Float64Array, n: number, stride: number, x: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const value = x[i]! / l[i * stride + i]!;
    x[i] = value;
    const row = i * stride;
    for (let k = 0; k < i; k++) x[k]! -= l[row + k]! * value;
  }
}
