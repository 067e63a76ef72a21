import { type Capabilities, EXTENTS_WORDS, type Plan } from "@tunelab/contract";
import type { Piece } from "./cut.ts";

/** Bytes of one extents block: u32 words, rounded up to the 16 bytes of a uniform row. */
export function extentsBytes(plan: Plan): number {
  return Math.ceil(((EXTENTS_WORDS.length + Object.keys(plan.extents).length) * 4) / 16) * 16;
}

/** Bytes from one block to the next, so that each can be bound by dynamic offset. */
export function extentsStride(plan: Plan, limits: Capabilities["limits"]): number {
  const alignment = limits.minUniformBufferOffsetAlignment;
  return Math.ceil(extentsBytes(plan) / alignment) * alignment;
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
