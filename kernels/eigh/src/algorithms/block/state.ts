import { formatU32, lines } from "@tunelab/variants";
import { MOST_SWEEPS } from "../../problem.ts";
import { DONE } from "../../wgsl/columns.ts";

/**
 * Words of a matrix's `state`: the scale and the shift as bits, how it stands (0 going on, else its ending), then for each sweep the largest squared cosine
 * that it met and its largest sine. A sweep that a matrix is no longer part of leaves zeros.
 */
const FIRST_MARK = 3;

export const STATE: Readonly<Record<"up" | "shift" | "ending" | "marks" | "words", number>> = {
  up: 0,
  shift: 1,
  ending: 2,
  marks: FIRST_MARK,
  words: FIRST_MARK + 2 * MOST_SWEEPS,
};

/** Address of a word of the matrix `item`. */
export const stateAt = (item: string, word: number): string =>
  `${item} * ${formatU32(STATE.words)} + ${formatU32(word)}`;

/** Declares `through`: whether the matrix `item` was done after `sweep`. */
export const throughText = (item: string, sweep: string): string =>
  lines(
    `let mark = ${stateAt(item, STATE.marks)} + 2u * ${sweep};`,
    "let met = bitcast<f32>(atomicLoad(&state[mark]));",
    "let sine2 = bitcast<f32>(atomicLoad(&state[mark + 1u]));",
    // What a sweep leaves is what it met times its largest turn: small turns converge quadratically.
    `let through = met * sine2 * sine2 <= ${DONE};`,
  );

export const TYPES: Readonly<Record<string, string>> = {
  basis: "array<f32>",
  state: "array<atomic<u32>>",
  left: "array<atomic<u32>, 1>",
};
