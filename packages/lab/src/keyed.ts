/** Those known with others added, each in place of an older one of its key, in the order of their keys. */
export function withAdded<T>(
  known: readonly T[],
  added: readonly T[],
  keyOf: (one: T) => string,
): readonly T[] {
  const byKey = new Map([...known, ...added].map((one) => [keyOf(one), one]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
