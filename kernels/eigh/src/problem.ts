/**
 * `batch` real symmetric matrices of order n; eigenvectors wanted or not. Rows are `pad` elements longer than n, matrices `gap` elements
 * further apart than their rows; `spectrum` says what kind of matrices they are, which no kernel sees.
 */
export type EighProblem = {
  readonly n: number;
  readonly batch: number;
  readonly vectors: VectorsWanted;
  readonly pad: number;
  readonly gap: number;
  readonly spectrum: Spectrum;
};

export const VECTORS = ["yes", "no"] as const;
export type VectorsWanted = (typeof VECTORS)[number];

/**
 * What the laboratory fills matrices with. `random`: symmetric with normal entries, as the peers are timed. `mixed`: one matrix after the
 * other of each kind in `suite/kinds.ts`, upper triangles filled with junk.
 */
export const SPECTRA = ["random", "mixed"] as const;
export type Spectrum = (typeof SPECTRA)[number];

export const MAXIMUM_N = 512;

/** Elements from a row to the next, and from a matrix to the next. */
export const rowStride = ({ n, pad }: Pick<EighProblem, "n" | "pad">): number => n + pad;
export const matrixStride = (problem: Pick<EighProblem, "n" | "pad" | "gap">): number =>
  problem.n * rowStride(problem) + problem.gap;

/** Spacing of float32 at 1: the unit of every error that is quoted. */
export const EPSILON: number = 2 ** -23;

/** First word of a matrix's `status`; the second is the sweeps it took. */
export const STATUS = { converged: 0, unconverged: 1, nonFinite: 2 } as const;

/** Sweeps after which a matrix counts as not converged; the hardest of the suite's matrices take 14 at n = 64. */
export const MOST_SWEEPS = 40;

/** Sweeps that a random matrix takes, by measurement: 5 at n = 8, 6.5 at 32, 7.5 at 64. */
export const expectedSweeps = (n: number): number => (n < 2 ? 1 : 2 + 0.9 * Math.log2(n));

export const FLOAT_BYTES = 4;
export const STATUS_BYTES = 8;

/** FLOPs quoted for a matrix, as LAPACK's users count them: 9 n^3 with vectors, 4/3 n^3 for the values alone. */
export const nominalFlops = ({ n, vectors }: Pick<EighProblem, "n" | "vectors">): number =>
  (vectors === "yes" ? 9 : 4 / 3) * n ** 3;

/** Bytes that any implementation must move for a matrix: it in, values and vectors out. */
export const compulsoryBytes = ({ n, vectors }: Pick<EighProblem, "n" | "vectors">): number =>
  FLOAT_BYTES * ((vectors === "yes" ? 2 : 1) * n * n + n);
