/** A cell that was run: its time and the work its cost model counted, in the column's own measure. */
export interface RunCell {
  readonly us: number;
  readonly work: number;
  /** Its problem's shape dimensions: another shape is another kernel, whose rate may differ several times. */
  readonly shape: string;
}

/**
 * Microseconds that a cell should take, scaled by its work from the cell of its column whose work is nearest, of the same shape
 * where one was run; undefined where the column has no time yet. Good to the factor by which a device fills up, which is what a
 * budget needs.
 */
export function scaledFrom(
  cells: readonly RunCell[],
  { work, shape }: Omit<RunCell, "us">,
): number | undefined {
  const apart = (cell: RunCell): number => Math.abs(Math.log(work / cell.work));
  const timed = cells.filter((cell) => cell.us > 0 && cell.work > 0);
  const same = timed.filter((cell) => cell.shape === shape);
  const known = same.length > 0 ? same : timed;
  if (known.length === 0 || !(work > 0)) return undefined;
  const nearest = known.reduce((best, cell) => (apart(cell) < apart(best) ? cell : best));
  return (nearest.us * work) / nearest.work;
}
