import type { PlacedClamp } from "@tunelab/variants/spirv";

/** Clamps that another form of the index would spare and that stay, with the reason. */
export interface Known {
  readonly kernel: string;
  readonly arrays: readonly string[];
  /** Stages whose loops carry a counter for the same reason. */
  readonly loops?: readonly string[];
  readonly why: string;
}

/**
 * The ledger: a clamp that is not here fails `spirv --check`, and so does an entry that no clamp answers to any more.
 * Shipped variants keep their texts, for their plans are what was measured.
 */
export const KNOWN: readonly Known[] = [
  {
    kernel: "matched-filter",
    arrays: ["treeKey", "treeAt", "partial"],
    why: "a tree reduction reads treeKey[t + half] under `if (t < half)`, which no range analysis takes into account; a remainder in the index would cost the one instruction that the clamp costs",
  },
  {
    kernel: "matched-filter",
    arrays: ["loud", "survivors"],
    loops: ["tile", "refine"],
    why: "tile-fused, and two-kernel with a queue, go through as many survivors as were counted, a number in memory that no analysis bounds, and tile-fused clears its flags under a condition",
  },
  {
    kernel: "matched-filter",
    arrays: ["data", "templates"],
    why: "the sums before a hierarchical filter read what their threads do not divide under `if (t < rest)`; once a spectrum, and measured plans keep their texts",
  },
];

export const knownFor = (kernel: string, { array }: Pick<PlacedClamp, "array">): Known | undefined =>
  KNOWN.find((one) => one.kernel === kernel && one.arrays.includes(array));

/** Whether a stage's loops are known to carry counters. */
export const loopsKnown = (kernel: string, stage: string): boolean =>
  KNOWN.some((one) => one.kernel === kernel && one.loops?.includes(stage));
