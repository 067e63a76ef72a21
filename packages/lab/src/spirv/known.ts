import type { PlacedClamp } from "@tunelab/variants/spirv";

/** Clamps that another form of the index would spare and that stay, with the reason. */
export interface Known {
  readonly kernel: string;
  readonly arrays: readonly string[];
  readonly why: string;
}

/**
 * The ledger: a clamp that is not here fails `spirv --check`, and so does an entry that no clamp answers to any more.
 * Shipped variants keep their texts, for their plans are what was measured.
 */
export const KNOWN: readonly Known[] = [
  {
    kernel: "matched-filter",
    arrays: ["treeKey", "treeAt"],
    why: "a tree reduction reads treeKey[t + half] under `if (t < half)`, which no range analysis takes into account; a remainder in the index would cost the one instruction that the clamp costs",
  },
];

export const knownFor = (kernel: string, { array }: PlacedClamp): Known | undefined =>
  KNOWN.find((one) => one.kernel === kernel && one.arrays.includes(array));
