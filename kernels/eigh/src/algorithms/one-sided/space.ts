import type { Space } from "@tunelab/contract";
import { onlyWhen } from "@tunelab/variants";

export type Exchange = "subgroup" | "memory";

export type OneSidedConfig = {
  readonly workgroup: number;
  readonly split: number;
  readonly exchange: Exchange;
  readonly chunk: number;
};

/** Widest subgroup that WGSL knows (subgroup_size, 4 to 128). */
export const WIDEST_SUBGROUP = 128;
/** Largest order: 256 threads then hold 32 rows of two columns each. */
const MOST_N = 128;
/** Most vec4f registers of a column in a thread: two columns are then 128 floats of the 255 that an NVIDIA thread may have. */
const MOST_QUADS = 16;
/** Workgroup memory that any variant may take: what the largest of desktop GPUs grant WebGPU. */
const MOST_BYTES = 65_536;

/** Where the columns of a matrix of order n are. */
export interface Lanes {
  /** vec4f registers of a column in a thread; those of thread r of a pair hold quads r, r + split, ... of the rows. */
  readonly quads: number;
  /** Pairs of columns: two each, the last perhaps one and a column of zeros. */
  readonly playing: number;
  /** Threads a matrix takes: a power of two, so that matrices fill subgroups. */
  readonly lanes: number;
}

export function lanesOf(n: number, split: number): Lanes {
  const playing = Math.ceil(n / 2);
  return {
    quads: Math.ceil(n / (4 * split)),
    playing,
    lanes: split * 2 ** Math.ceil(Math.log2(playing)),
  };
}

/** Bytes of `var<workgroup>`, each variable rounded up to 16. */
export function oneSidedWorkgroupBytes(
  n: number,
  { workgroup, split, exchange, chunk }: OneSidedConfig,
): number {
  if (exchange === "subgroup") return 16;
  const { quads } = lanesOf(n, split);
  // The moving columns, their lengths, a line of four words a thread, and three words more.
  return 16 * Math.min(chunk, quads) * workgroup + 4 * workgroup + 16 * workgroup + 3 * 16;
}

export function oneSidedSpace(n: number): Space<OneSidedConfig> {
  return {
    parameters: [
      {
        name: "workgroup",
        values: [32, 64, 128, 256, 512],
        unit: "threads",
        doc: "threads of a workgroup; n/2 pairs (rounded up to a power of two) times split share a matrix",
      },
      {
        name: "split",
        values: [1, 2, 4, 8],
        unit: "threads a pair",
        doc: "threads that share two columns, each some of the rows",
      },
      {
        name: "exchange",
        values: ["subgroup", "memory"],
        doc: "columns move from thread to thread by shuffles, at any subgroup width of at least n/2 and at most the workgroup, or through workgroup memory",
      },
      {
        name: "chunk",
        values: [1, 2, 4, 8, 16],
        unit: "vec4f",
        doc: "how much of a thread's column passes through workgroup memory at a time",
      },
    ],
    constraints: [
      onlyWhen("chunk", 4, ["exchange"], ({ exchange }) => exchange === "memory", "shuffles stage nothing"),
      {
        name: "chunk-of-a-column",
        doc: "no more is staged than a thread's part of a column, rounded up",
        parameters: ["split", "chunk"],
        holds: ({ split, chunk }) => chunk === 4 || chunk < 2 * lanesOf(n, split).quads,
      },
      {
        name: "order",
        doc: `n is at most ${MOST_N}: larger matrices fit neither a workgroup's registers nor its memory`,
        parameters: [],
        holds: () => n <= MOST_N,
      },
      {
        name: "columns-fit-registers",
        doc: `a thread's part of a column is at most ${4 * MOST_QUADS} elements`,
        parameters: ["split"],
        holds: ({ split }) => lanesOf(n, split).quads <= MOST_QUADS,
      },
      {
        name: "rows-for-all",
        doc: "every thread of a pair has rows",
        parameters: ["split"],
        holds: ({ split }) => split === 1 || n > 4 * (split - 1),
      },
      {
        name: "matrix-fits-workgroup",
        doc: "a workgroup holds at least one matrix",
        parameters: ["workgroup", "split"],
        holds: ({ workgroup, split }) => workgroup >= lanesOf(n, split).lanes,
      },
      {
        name: "fits-any-device",
        doc: `workgroup memory is at most ${MOST_BYTES} bytes`,
        parameters: ["workgroup", "split", "exchange", "chunk"],
        holds: (config) => oneSidedWorkgroupBytes(n, config) <= MOST_BYTES,
      },
      {
        name: "matrix-fits-a-subgroup",
        doc: `no subgroup is wider than ${WIDEST_SUBGROUP}`,
        parameters: ["split", "exchange"],
        holds: ({ split, exchange }) => exchange === "memory" || lanesOf(n, split).lanes <= WIDEST_SUBGROUP,
      },
    ],
  };
}
