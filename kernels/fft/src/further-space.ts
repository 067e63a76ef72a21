import type { Constraint, Parameter } from "@tunelab/contract";
import { INDEX_FORMS } from "./bits.ts";
import { paired, shapeOf } from "./passes.ts";
import { lanesOf, shuffled } from "./shuffle.ts";
import { firstRolled } from "./transform-loop.ts";
import type { TransformConfig } from "./transform-space.ts";
import { type Butterfly, fitsUniform, usesTable } from "./twiddles.ts";

/**
 * Parameters that an algorithm of one transform a workgroup may have beside them; each declares what ids without it mean. They change
 * how values travel, and no sum.
 */
export const furtherParameters: readonly Parameter[] = [
  {
    name: "index",
    values: INDEX_FORMS,
    doc: "indexes by / and % (known to the compiler's range analysis) or by >> and & (clamped where robustness is on): for the experiment, masks are the slower",
    absent: "modulo",
  },
  {
    name: "unroll",
    values: [true, false],
    doc: "passes written out one after the other, or those of one radix as a loop over levels, whose indexes are shifts that robustness clamps",
    absent: true,
  },
  {
    name: "shuffle",
    values: [0, 4, 8, 16, 32, 64],
    unit: "lanes",
    doc: "exchanges that stay within so many neighbouring threads go through subgroup shuffles: right where subgroups are no narrower; 0: all through workgroup memory",
    absent: 0,
  },
];

/** Their values that ids without them mean. */
export const PLAIN = { index: "modulo", unroll: true, shuffle: 0 } as const;

/** What other parameters of the algorithm the constraints read. */
type Further = TransformConfig & { readonly loads?: "scalar" | "vector"; readonly transforms?: number };

const plain = ({ loads, transforms = 1, shuffle = 0 }: Further): boolean =>
  loads !== "vector" && transforms === 1 && shuffle === 0;

export const furtherConstraints = (n: number): Constraint<Further>[] => [
  {
    name: "masks-in-plain-variants",
    doc: "masked indexes are there to be compared with / and %: without other parameters of this kind, without padding, all of a thread's registers staged at once",
    parameters: ["index", "padding", "chunk", "workgroup", "loads", "transforms", "unroll", "shuffle"],
    holds: (config) =>
      config.index !== "mask" ||
      (plain(config) &&
        config.unroll !== false &&
        config.padding === 0 &&
        config.chunk === n / config.workgroup),
  },
  {
    name: "levels-to-loop-over",
    doc: "a loop over levels stands for two passes or more after one of the same radix, stages all of a thread's registers at once, reads its factors from a table, and is one transform's, without vector loads or shuffles",
    parameters: ["radix", "workgroup", "chunk", "twiddles", "loads", "transforms", "unroll", "shuffle"],
    holds: (config) =>
      config.unroll !== false ||
      (plain(config) &&
        config.chunk === n / config.workgroup &&
        usesTable(config.twiddles) &&
        loops(n, config.radix)),
  },
  {
    name: "shuffles-need-their-lanes",
    doc: "some exchange stays within `shuffle` neighbouring threads and within no fewer",
    parameters: ["radix", "workgroup", "loads", "shuffle"],
    holds: ({ radix, workgroup, loads, shuffle = 0 }) =>
      shuffle === 0 || lanesReached(n, radix, workgroup, loads === "vector", shuffle) === shuffle,
  },
  {
    name: "constants-fit-a-uniform",
    doc: "the table of factors fits the 64 KiB of a uniform buffer",
    parameters: ["radix", "butterfly", "twiddles"],
    holds: ({ radix, butterfly, twiddles }) => twiddles !== "constant" || constantsFit(n, radix, butterfly),
  },
];

/** A search asks millions of times about some hundred shapes. */
function remembered<A extends readonly (string | number | boolean)[], T>(
  make: (...of: A) => T,
): (...of: A) => T {
  const known = new Map<string, T>();
  return (...of) => {
    const key = of.join();
    if (!known.has(key)) known.set(key, make(...of));
    return known.get(key)!;
  };
}

const loops = remembered(
  (n: number, radix: number) => firstRolled(shapeOf(n, radix, n / radix)) !== undefined,
);

const constantsFit = remembered((n: number, radix: number, butterfly: Butterfly) =>
  fitsUniform(shapeOf(n, radix, n / radix), { sign: 1, twiddles: "constant", butterfly }),
);

const lanesReached = remembered(
  (n: number, radix: number, workgroup: number, vector: boolean, lanes: number) => {
    if ((vector ? 2 : 1) * radix > n / workgroup) return 0;
    const shape = shapeOf(n, radix, workgroup);
    return lanesOf(shuffled(vector ? paired(shape) : shape, lanes));
  },
);

/** Parameters with the twiddles of a uniform buffer among their values. */
export const withConstants = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.map((one) =>
    one.name === "twiddles"
      ? {
          ...one,
          values: [...one.values, "constant"],
          doc: `${one.doc}; constant: pairs from a uniform buffer`,
        }
      : one,
  );
