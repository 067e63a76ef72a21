/** A cell that was run: its time and the work its cost model counted, in the column's own measure. */
export interface RunCell {
  readonly us: number;
  readonly work: number;
  /** Its problem's shape dimensions: another shape is another kernel, whose rate may differ several times. */
  readonly shape: string;
  /** Its other dimensions, the batch above all: they say how far the device fills up. */
  readonly rest: string;
}

/**
 * Microseconds that a cell should take, from the cell of its column whose work is nearest; undefined where the column has no time yet.
 * Of the same shape where one was run: then by what another shape took for both batches, for a batch that does not fill the device costs
 * nothing more (16 matrices of n = 128 take an H200 15.0 ms, one 12.8), and by the work where none tells. Else of the same batch: a full
 * batch of small matrices has four times the work of one of n = 512 and takes a sixtieth of the time. Good to the factor by which a device
 * fills up, which is what a budget needs.
 */
export function scaledFrom(
  cells: readonly RunCell[],
  { work, shape, rest }: Omit<RunCell, "us">,
): number | undefined {
  const timed = cells.filter((cell) => cell.us > 0 && cell.work > 0);
  if (timed.length === 0 || !(work > 0)) return undefined;
  const same = nearest(
    timed.filter((cell) => cell.shape === shape),
    work,
  );
  if (same) return same.us * filling(timed, same, rest, work / same.work);
  const other = nearest(
    timed.filter((cell) => cell.rest === rest),
    work,
  );
  const known = other ?? nearest(timed, work)!;
  return (known.us * work) / known.work;
}

function nearest(cells: readonly RunCell[], work: number): RunCell | undefined {
  const apart = (cell: RunCell): number => Math.abs(Math.log(work / cell.work));
  return cells.reduce<RunCell | undefined>(
    (best, cell) => (best && apart(best) <= apart(cell) ? best : cell),
    undefined,
  );
}

/**
 * How many times as long as `from` a cell of its shape takes whose other dimensions are `rest` and whose work is `linear` times as much:
 * as many as on the shape nearest to it that ran both, between none and all of the difference in work.
 */
function filling(timed: readonly RunCell[], from: RunCell, rest: string, linear: number): number {
  const both = timed.filter(
    (cell) =>
      cell.rest === rest && timed.some((base) => base.shape === cell.shape && base.rest === from.rest),
  );
  const like = nearest(both, from.work * linear);
  if (!like) return linear;
  const base = timed.find((cell) => cell.shape === like.shape && cell.rest === from.rest)!;
  return Math.min(Math.max(like.us / base.us, Math.min(1, linear)), Math.max(1, linear));
}
