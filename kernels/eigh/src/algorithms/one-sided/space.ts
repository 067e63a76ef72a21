import type { Space } from "@tunelab/contract";
import { onlyWhen } from "@tunelab/variants";
import {
  type Exchange,
  type Lanes,
  lanesOf,
  MOST_BYTES,
  MOST_QUADS,
  talkBytes,
  WIDEST_SUBGROUP,
} from "../../wgsl/lanes.ts";

export type OneSidedConfig = {
  readonly workgroup: number;
  readonly split: number;
  readonly exchange: Exchange;
  readonly chunk: number;
};

/** Largest order: 256 threads then hold 32 rows of two columns each. */
const MOST_N = 128;

/** Threads of a matrix of order n, all of whose columns they hold. */
export const lanesFor = (n: number, split: number): Lanes => lanesOf(n, n, split);

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
        holds: ({ split, chunk }) => chunk === 4 || chunk < 2 * lanesFor(n, split).quads,
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
        holds: ({ split }) => lanesFor(n, split).quads <= MOST_QUADS,
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
        holds: ({ workgroup, split }) => workgroup >= lanesFor(n, split).lanes,
      },
      {
        name: "fits-any-device",
        doc: `workgroup memory is at most ${MOST_BYTES} bytes`,
        parameters: ["workgroup", "split", "exchange", "chunk"],
        holds: (config) => talkBytes(lanesFor(n, config.split), config) <= MOST_BYTES,
      },
      {
        name: "matrix-fits-a-subgroup",
        doc: `no subgroup is wider than ${WIDEST_SUBGROUP}`,
        parameters: ["split", "exchange"],
        holds: ({ split, exchange }) => exchange === "memory" || lanesFor(n, split).lanes <= WIDEST_SUBGROUP,
      },
    ],
  };
}
