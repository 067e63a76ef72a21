/** Numbers in [0, 1): the same in every engine (Numerical Recipes' linear congruence). */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** At most `most` of `count` indexes, evenly spread from 0 on. */
export function spread(count: number, most: number): readonly number[] {
  const step = Math.max(1, Math.floor(count / most));
  return Array.from({ length: Math.min(most, count) }, (_, index) => index * step);
}
