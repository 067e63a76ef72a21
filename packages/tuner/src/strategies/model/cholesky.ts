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

/** Solves L x = b in place. */
export function solveLower(l: Float64Array, n: number, stride: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = i * stride;
    let sum = x[i]!;
    for (let k = 0; k < i; k++) sum -= l[row + k]! * x[k]!;
    x[i] = sum / l[row + i]!;
  }
}

/**
 * The same for `count` right-hand sides in rows of `x` (same stride), from row `first` on. Four at a time: one sum alone waits for
 * each addition before the next, four together take a third of the time.
 */
export function solveLowerRows(
  l: Float64Array,
  n: number,
  stride: number,
  x: Float64Array,
  first: number,
  count: number,
): void {
  let row = first;
  for (; row + 4 <= first + count; row += 4) {
    const [a, b, c, d] = [row * stride, (row + 1) * stride, (row + 2) * stride, (row + 3) * stride] as const;
    for (let i = 0; i < n; i++) {
      const at = i * stride;
      let [sumA, sumB, sumC, sumD] = [x[a + i]!, x[b + i]!, x[c + i]!, x[d + i]!];
      for (let k = 0; k < i; k++) {
        const factorOf = l[at + k]!;
        sumA -= factorOf * x[a + k]!;
        sumB -= factorOf * x[b + k]!;
        sumC -= factorOf * x[c + k]!;
        sumD -= factorOf * x[d + k]!;
      }
      const pivot = l[at + i]!;
      x[a + i] = sumA / pivot;
      x[b + i] = sumB / pivot;
      x[c + i] = sumC / pivot;
      x[d + i] = sumD / pivot;
    }
  }
  for (; row < first + count; row++) solveLower(l, n, stride, x.subarray(row * stride));
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

/** Dot product of `a` and as many numbers of `b` from `at` on; four sums, which need not wait for one another. */
export function dot(a: Float64Array, b: Float64Array, at: number): number {
  let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
  let k = 0;
  for (; k + 4 <= a.length; k += 4) {
    sum0 += a[k]! * b[at + k]!;
    sum1 += a[k + 1]! * b[at + k + 1]!;
    sum2 += a[k + 2]! * b[at + k + 2]!;
    sum3 += a[k + 3]! * b[at + k + 3]!;
  }
  for (; k < a.length; k++) sum0 += a[k]! * b[at + k]!;
  return sum0 + sum1 + (sum2 + sum3);
}
