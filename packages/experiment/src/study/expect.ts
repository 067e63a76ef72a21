/** A cell that was run: its time and the work its cost model counted, in the column's own measure. */
export interface RunCell {
  readonly us: number;
  readonly work: number;
}

/**
 * Microseconds that a cell should take, scaled by its work from the cell of its column whose work is nearest; undefined where the
 * column has no time yet. Good to the factor by which a device fills up, which is what a budget needs.
 */
export function scaledFrom(cells: readonly RunCell[], work: number): number | undefined {
  const apart = (cell: RunCell): number => Math.abs(Math.log(work / cell.work));
  const known = cells.filter((cell) => cell.us > 0 && cell.work > 0);
  if (known.length === 0 || !(work > 0)) return undefined;
  const nearest = known.reduce((best, cell) => (apart(cell) < apart(best) ? cell : best));
  return (nearest.us * work) / nearest.work;
}
