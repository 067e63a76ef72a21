/** What decides among variants of one speed. */
export interface Simplicity {
  readonly workgroupBytes: number;
  readonly invocations: number;
  readonly variant: string;
}

/** The fixed order among ties, negative when `a` is the simpler: fewest workgroup bytes, then the smallest workgroup, then the id. */
export function simplerFirst(a: Simplicity, b: Simplicity): number {
  return (
    a.workgroupBytes - b.workgroupBytes ||
    a.invocations - b.invocations ||
    (a.variant < b.variant ? -1 : a.variant > b.variant ? 1 : 0)
  );
}
