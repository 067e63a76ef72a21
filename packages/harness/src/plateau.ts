/** One batch size of a saturation sweep. */
export interface SweepPoint {
  readonly workgroups: number;
  readonly nsPerItem: number;
}

/** Time per item this far above the best still counts as filled, on a device that repeats better than that. */
export const PLATEAU_TOLERANCE = 0.05;

/** Where a device is filled by a kernel. */
export interface Plateau {
  /** Fewest workgroups from which on the time per item stays within the tolerance of the best. */
  readonly workgroups: number;
  readonly nsPerItem: number;
  /** Larger batches that were measured and stay there: without one the sweep ended before the plateau showed. */
  readonly beyond: number;
}

/**
 * The plateau of a sweep: the smallest batch that costs at most `tolerance` more an item than the best of all, with every larger
 * batch doing so too. Undefined without a point, or where even the largest batch is above it (a time that rises again: a cache that
 * was left).
 */
export function findPlateau(
  points: readonly SweepPoint[],
  tolerance: number = PLATEAU_TOLERANCE,
): Plateau | undefined {
  const sorted = points
    .filter(({ nsPerItem }) => Number.isFinite(nsPerItem) && nsPerItem > 0)
    .sort((a, b) => a.workgroups - b.workgroups);
  const best = Math.min(...sorted.map(({ nsPerItem }) => nsPerItem));
  const above = sorted.findLastIndex(({ nsPerItem }) => nsPerItem > best * (1 + tolerance));
  const first = sorted[above + 1];
  if (!first) return undefined;
  return { workgroups: first.workgroups, nsPerItem: best, beyond: sorted.length - above - 2 };
}
