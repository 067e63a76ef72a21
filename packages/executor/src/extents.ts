import { type Capabilities, EXTENTS_WORDS, type Plan } from "@tunelab/contract";
import { passesOf } from "./budgets.ts";
import type { Piece } from "./cut.ts";
import { USAGE } from "./flags.ts";
import type { Memory } from "./memory.ts";

/** Bytes of one extents block: u32 words, rounded up to the 16 bytes of a uniform row. */
export function extentsBytes(plan: Plan): number {
  return Math.ceil(((EXTENTS_WORDS.length + Object.keys(plan.extents).length) * 4) / 16) * 16;
}

/** The words of one block in the order the text declares them. */
export function extentsWords(plan: Plan, piece: Piece, iteration: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(extentsBytes(plan) / 4);
  const builtIn: Record<(typeof EXTENTS_WORDS)[number], number> = {
    items: piece.items,
    first: piece.first,
    total: plan.batch.items,
    iteration,
  };
  words.set([...EXTENTS_WORDS.map((name) => builtIn[name]), ...Object.values(plan.extents)]);
  return words;
}

/**
 * The uniform buffer of an instance: a block for each piece of the cut and each pass of what it repeats, one for pieces that pass, and
 * one for each iteration of a submission. Blocks are bound by dynamic offset; the methods below return it.
 */
export class Extents {
  readonly #device: GPUDevice;
  readonly #plan: Plan;
  readonly #memory: Memory;
  readonly #stride: number;
  /** Most passes of a step that are submitted together. */
  readonly #passes: number;
  #recurring = 0;
  buffer: GPUBuffer;

  constructor(
    device: GPUDevice,
    plan: Plan,
    memory: Memory,
    limits: Capabilities["limits"],
    pieces: readonly Piece[],
  ) {
    this.#device = device;
    this.#plan = plan;
    this.#memory = memory;
    const alignment = limits.minUniformBufferOffsetAlignment;
    this.#stride = Math.ceil(extentsBytes(plan) / alignment) * alignment;
    this.#passes = Math.max(...plan.steps.map(passesOf));
    this.buffer = this.#make(pieces);
  }

  /** Makes room for another cut: `buffer` is a new one. */
  layOut(pieces: readonly Piece[]): void {
    this.#memory.release(this.buffer);
    this.buffer = this.#make(pieces);
  }

  /** Block of the cut's piece of this index in a pass of what is repeated. */
  recurring(index: number, pass = 0): number {
    return (index * this.#passes + pass) * this.#stride;
  }

  /** Block of a piece that is submitted once; written in queue order, after everything submitted so far. */
  passing(piece: Piece): number {
    return this.#write(this.#recurring, piece, 0);
  }

  /** Block of the `slot`-th iteration of a submission; written in queue order. */
  iteration(slot: number, piece: Piece, iteration: number): number {
    return this.#write(this.#recurring + 1 + slot, piece, iteration);
  }

  #write(slot: number, piece: Piece, iteration: number): number {
    const offset = slot * this.#stride;
    this.#device.queue.writeBuffer(this.buffer, offset, extentsWords(this.#plan, piece, iteration));
    return offset;
  }

  #make(pieces: readonly Piece[]): GPUBuffer {
    this.#recurring = pieces.length * this.#passes;
    const blocks = this.#recurring + 1 + this.#passes;
    const buffer = this.#memory.create("extents", this.#stride * blocks, USAGE.uniform);
    const words = new Uint32Array((this.#stride / 4) * this.#recurring);
    for (let block = 0; block < this.#recurring; block++) {
      const piece = pieces[Math.floor(block / this.#passes)]!;
      words.set(extentsWords(this.#plan, piece, block % this.#passes), (this.#stride / 4) * block);
    }
    this.#device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }
}
