import { deviceSlug, type Problem, type ProfileName, problemKey, type TuningTable } from "@tunelab/contract";

export const PROFILES_COMPARED: readonly [ProfileName, ProfileName] = ["portable", "native"];

/** Times of one problem under both profiles. */
export interface Shared {
  readonly device: string;
  readonly kernel: string;
  readonly problem: Problem;
  /** Least time under portable over least time under native, of every variant in both tables, ascending. */
  readonly ratios: readonly number[];
  /** That of the fastest native variant of both. */
  readonly fastest: { readonly variant: string; readonly ratio: number };
}

/** Variants that tables of both profiles of one device hold, problem by problem, in the order of their names. */
export function sharedTimes(tables: readonly TuningTable[]): readonly Shared[] {
  const [ours, theirs] = PROFILES_COMPARED;
  const found = tables.flatMap((table): readonly Shared[] => {
    if (table.profile !== ours) return [];
    const device = deviceSlug(table.device.identity);
    const other = tables.find(
      (one) =>
        one.profile === theirs &&
        one.operation === table.operation &&
        deviceSlug(one.device.identity) === device,
    );
    return (other?.entries ?? []).flatMap(({ problem, rows }): readonly Shared[] => {
      const entry = table.entries.find((one) => problemKey(one.problem) === problemKey(problem));
      const both = rows.flatMap(({ variant, minUs }) => {
        const match = entry?.rows.find((one) => one.variant === variant);
        return match ? [{ variant, minUs, ratio: match.minUs / minUs }] : [];
      });
      const [first] = [...both].sort((a, b) => a.minUs - b.minUs);
      if (!first) return [];
      const ratios = both.map(({ ratio }) => ratio).sort((a, b) => a - b);
      return [{ device, kernel: table.operation, problem, ratios, fastest: first }];
    });
  });
  const key = ({ device, kernel }: Shared): string => `${device} ${kernel}`;
  return found.sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -1 : 1));
}
