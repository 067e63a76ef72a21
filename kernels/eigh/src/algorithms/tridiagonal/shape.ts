import { formatU32 } from "@tunelab/variants";

/**
 * How the threads of a workgroup share a matrix of quads (four elements of a row): `across` of them side by side, each with every `across`-th quad of a
 * row; `parts` such teams below one another, each with every `parts`-th four rows.
 */
export interface Shape {
  readonly n: number;
  /** Quads of a row, and groups of four rows. */
  readonly quads: number;
  readonly threads: number;
  readonly across: number;
  readonly parts: number;
  /** Quads of a row that a thread has, and groups of four rows. */
  readonly columnSteps: number;
  readonly rowSteps: number;
}

export function shapeOf(n: number, threads: number): Shape {
  const quads = Math.ceil(n / 4);
  const across = Math.min(threads, 2 ** Math.ceil(Math.log2(quads)));
  const parts = threads / across;
  return {
    n,
    quads,
    threads,
    across,
    parts,
    columnSteps: Math.ceil(quads / across),
    rowSteps: Math.ceil(quads / parts),
  };
}

/** Columns whose reflections one dispatch of `reduce` finds, where the matrix lies in global memory. */
export const COLUMNS_A_DISPATCH = 32;

/** Vectors of a matrix's `band`, each padded to whole quads: diagonal, what is beside it, factors of the reflections, and the pair of a pending update. */
export const BAND = { diagonal: 0, beside: 1, factor: 2, v: 3, w: 4, vectors: 5 } as const;

/** Floats of a matrix's `band`. */
export const bandFloats = (n: number): number => BAND.vectors * 4 * Math.ceil(n / 4);

/** Address of the first float of a vector of the band of matrix `item`. */
export const bandAt = (n: number, vector: Exclude<keyof typeof BAND, "vectors">): string =>
  `item * ${formatU32(bandFloats(n))} + ${formatU32(BAND[vector] * 4 * Math.ceil(n / 4))}`;

/**
 * Words of a matrix's `state`: the bits of its largest element, how it stands (0 going on, 1 not converged, 2 not finite, 3 through), the first eigenvalue still
 * sought, and sweeps of the band so far.
 */
export const STATE = { peak: 0, ending: 1, sought: 2, swept: 3, words: 4 } as const;
export const THROUGH = 3;

export const stateAt = (word: Exclude<keyof typeof STATE, "words">): string =>
  `state[item * ${formatU32(STATE.words)} + ${formatU32(STATE[word])}]`;

export const TYPES: Readonly<Record<string, string>> = {
  work: "array<vec4f>",
  band: "array<f32>",
  state: "array<u32>",
  basis: "array<f32>",
  left: "array<atomic<u32>, 1>",
};

/** Bytes of workgroup variables of these sizes, each rounded up to 16. */
export const workgroupBytes = (...bytes: readonly number[]): number =>
  bytes.reduce((sum, one) => sum + Math.ceil(one / 16) * 16, 0);
