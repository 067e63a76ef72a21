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
import { type Tournament, tournament } from "../../wgsl/pairs.ts";

export type BlockConfig = {
  readonly block: number;
  readonly inner: number;
  readonly workgroup: number;
  readonly split: number;
  readonly exchange: Exchange;
  readonly chunk: number;
  readonly check: number;
};

/** The tournament of a matrix's blocks of columns. */
export const blocksOf = (n: number, block: number): Tournament => tournament(Math.ceil(n / block));

/** Threads of two blocks, whose columns they hold whole. */
export const lanesFor = (n: number, { block, split }: Pick<BlockConfig, "block" | "split">): Lanes =>
  lanesOf(n, 2 * block, split);

export function blockSpace(n: number): Space<BlockConfig> {
  return {
    parameters: [
      {
        name: "block",
        values: [2, 4, 8, 16],
        unit: "columns",
        doc: "columns of a block; a round turns the columns of every two blocks that meet, in one dispatch",
      },
      {
        name: "inner",
        values: [1, 2, 3, 4],
        unit: "sweeps",
        doc: "sweeps over the columns of two blocks each time they meet",
      },
      {
        name: "workgroup",
        values: [32, 64, 128, 256],
        unit: "threads",
        doc: "threads of a workgroup; block times split of them work on two blocks",
      },
      {
        name: "split",
        values: [1, 2, 4, 8, 16, 32],
        unit: "threads a pair",
        doc: "threads that share two columns, each some of the rows",
      },
      {
        name: "exchange",
        values: ["subgroup", "memory"],
        doc: "columns move from thread to thread by shuffles, at any subgroup width of at least block * split and at most the workgroup, or through workgroup memory",
      },
      {
        name: "chunk",
        values: [1, 2, 4, 8, 16],
        unit: "vec4f",
        doc: "how much of a thread's column passes through workgroup memory at a time",
      },
      {
        name: "check",
        values: [1, 2, 4],
        unit: "sweeps",
        doc: "sweeps of a submission, after which the host reads back whether any matrix goes on",
      },
    ],
    constraints: [
      onlyWhen("chunk", 4, ["exchange"], ({ exchange }) => exchange === "memory", "shuffles stage nothing"),
      {
        name: "several-blocks",
        doc: "a matrix has more columns than two blocks, or the smallest blocks",
        parameters: ["block"],
        holds: ({ block }) => block === 2 || n > 2 * block,
      },
      {
        name: "columns-fit-registers",
        doc: `a thread's part of a column is at most ${4 * MOST_QUADS} elements`,
        parameters: ["block", "split"],
        holds: (config) => lanesFor(n, config).quads <= MOST_QUADS,
      },
      {
        name: "rows-for-all",
        doc: "every thread of a pair has rows",
        parameters: ["split"],
        holds: ({ split }) => split === 1 || n > 4 * (split - 1),
      },
      {
        name: "chunk-of-a-column",
        doc: "no more is staged than a thread's part of a column, rounded up",
        parameters: ["block", "split", "chunk"],
        holds: (config) => config.chunk === 4 || config.chunk < 2 * lanesFor(n, config).quads,
      },
      {
        name: "blocks-fit-workgroup",
        doc: "a workgroup holds at least two blocks",
        parameters: ["block", "workgroup", "split"],
        holds: (config) => config.workgroup >= lanesFor(n, config).lanes,
      },
      {
        name: "fits-any-device",
        doc: `workgroup memory is at most ${MOST_BYTES} bytes`,
        parameters: ["block", "workgroup", "split", "exchange", "chunk"],
        holds: (config) => talkBytes(lanesFor(n, config), config) <= MOST_BYTES,
      },
      {
        name: "blocks-fit-a-subgroup",
        doc: `no subgroup is wider than ${WIDEST_SUBGROUP}`,
        parameters: ["block", "split", "exchange"],
        holds: (config) => config.exchange === "memory" || lanesFor(n, config).lanes <= WIDEST_SUBGROUP,
      },
    ],
  };
}
