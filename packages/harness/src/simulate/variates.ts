/** Uniform numbers in [0, 1), from a seeded source that the caller gives: the same seed, the same figures. */
export type Uniform = () => number;

/** A source for each seed; neighbouring seeds must give unrelated sequences. */
export type Seeded = (seed: number) => Uniform;

/** Standard normal numbers by Box and Muller's pairs; the second of a pair is kept for the next call. */
export function gaussian(uniform: Uniform): () => number {
  let kept: number | undefined;
  return () => {
    if (kept !== undefined) {
      const value = kept;
      kept = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    kept = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Exponential with mean 1. */
export const exponential = (uniform: Uniform): number => -Math.log(1 - uniform());

/** Pareto with shape `shape` from 1 upwards. */
export const pareto = (uniform: Uniform, shape: number): number => (1 - uniform()) ** (-1 / shape);

/** Gamma of shape >= 1 and scale 1 (Marsaglia and Tsang 2000). */
export function gamma(uniform: Uniform, normal: () => number, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - uniform()) < x * x * 0.5 + d - d * v + d * Math.log(v)) return d * v;
  }
}
