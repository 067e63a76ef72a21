/** A cloud of points in the plane: how it was made, and where its points lie. */
export interface Cloud {
  /** Direction of the long axis, degrees from x; standard deviations along the long and the short axis. */
  readonly degrees: number;
  readonly long: number;
  readonly short: number;
  /** x, y, x, y, ... */
  readonly points: Float64Array;
}

/** Normally distributed numbers, the same ones every run (a linear congruential generator and Box-Muller). */
export function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Normal points, stretched along their axes and turned. */
export function cloud(shape: Omit<Cloud, "points">, count: number, normal: () => number): Cloud {
  const [c, s] = [Math.cos((shape.degrees * Math.PI) / 180), Math.sin((shape.degrees * Math.PI) / 180)];
  const points = new Float64Array(2 * count);
  for (let point = 0; point < count; point++) {
    const [along, across] = [shape.long * normal(), shape.short * normal()];
    points[2 * point] = c * along - s * across;
    points[2 * point + 1] = s * along + c * across;
  }
  return { ...shape, points };
}

/** The cloud's covariance matrix, row by row: sum of (p - mean) (p - mean)^T over count - 1. */
export function covariance({ points }: Cloud): readonly number[] {
  const count = points.length / 2;
  const mean = [0, 1].map((axis) => sumOf(points, axis) / count);
  const between = (a: number, b: number): number => {
    let sum = 0;
    for (let point = 0; point < count; point++)
      sum += (points[2 * point + a]! - mean[a]!) * (points[2 * point + b]! - mean[b]!);
    return sum / (count - 1);
  };
  return [between(0, 0), between(0, 1), between(1, 0), between(1, 1)];
}

function sumOf(points: Float64Array, axis: number): number {
  let sum = 0;
  for (let at = axis; at < points.length; at += 2) sum += points[at]!;
  return sum;
}
