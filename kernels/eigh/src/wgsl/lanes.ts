/** How columns go from thread to thread: by shuffles within a subgroup, or through workgroup memory. */
export type Exchange = "subgroup" | "memory";

/** Widest subgroup that WGSL knows (subgroup_size, 4 to 128). */
export const WIDEST_SUBGROUP = 128;
/** Most vec4f registers of a column in a thread: two columns are then 128 floats of the 255 that an NVIDIA thread may have. */
export const MOST_QUADS = 16;
/** Workgroup memory that any variant may take: what the largest of desktop GPUs grant WebGPU. */
export const MOST_BYTES = 65_536;

/** How threads share columns whose angles they turn. */
export interface Lanes {
  readonly rows: number;
  /** Threads of a pair of columns. */
  readonly split: number;
  /** vec4f registers of a column in a thread; those of thread r of a pair hold quads r, r + split, ... of the rows. */
  readonly quads: number;
  /** Pairs of columns, the last perhaps one and a column of zeros. */
  readonly playing: number;
  /** Threads of all pairs, rounded up to a power of two, so that they fill subgroups. */
  readonly lanes: number;
}

export function lanesOf(rows: number, columns: number, split: number): Lanes {
  const playing = Math.ceil(columns / 2);
  return {
    rows,
    split,
    quads: Math.ceil(rows / (4 * split)),
    playing,
    lanes: split * 2 ** Math.ceil(Math.log2(playing)),
  };
}

/** Bytes of `var<workgroup>` that threads talk through, each variable rounded up to 16. */
export function talkBytes(
  { quads }: Lanes,
  {
    workgroup,
    exchange,
    chunk,
  }: { readonly workgroup: number; readonly exchange: Exchange; readonly chunk: number },
): number {
  if (exchange === "subgroup") return 16;
  // The moving columns, their lengths, a line of four words a thread, and three words more.
  return 16 * Math.min(chunk, quads) * workgroup + 4 * workgroup + 16 * workgroup + 3 * 16;
}
