/**
 * Benjamini-Hochberg (1995): which of many null hypotheses to reject so that at most `q` of the rejections are expected to be
 * false. Rejects the smallest p values up to the largest k with p_(k) <= k q / m. Values that are no probability
 * (nothing was measured) are never rejected but counted in m. Same order as given.
 */
export function benjaminiHochberg(pValues: readonly number[], q: number): readonly boolean[] {
  const m = pValues.length;
  const sorted = pValues.filter((p) => p >= 0 && p <= 1).sort((a, b) => a - b);
  let limit = -1;
  for (const [index, p] of sorted.entries()) if (p <= ((index + 1) * q) / m) limit = p;
  return pValues.map((p) => p >= 0 && p <= limit);
}
