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
 * Microseconds that a cell should take, scaled by its work from the cell of its column whose work is nearest: of the same shape
 * where one was run, else of the same batch; undefined where the column has no time yet. A full batch of small matrices has four times
 * the work of one of n = 512 and takes an H200 a sixtieth of the time: such a cell says nothing of it.
 */
export function scaledFrom(
  cells: readonly RunCell[],
  { work, shape, rest }: Omit<RunCell, "us">,
): number | undefined {
  const apart = (cell: RunCell): number => Math.abs(Math.log(work / cell.work));
  const timed = cells.filter((cell) => cell.us > 0 && cell.work > 0);
  const sameShape = timed.filter((cell) => cell.shape === shape);
  const alike = sameShape.length > 0 ? sameShape : timed.filter((cell) => cell.rest === rest);
  const known = alike.length > 0 ? alike : timed;
  if (known.length === 0 || !(work > 0)) return undefined;
  const nearest = known.reduce((best, cell) => (apart(cell) < apart(best) ? cell : best));
  return (nearest.us * work) / nearest.work;
}
