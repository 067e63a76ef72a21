import type { LoopStep } from "@tunelab/contract";
import type { Piece } from "./cut.ts";
import type { StepEncoder } from "./encode.ts";
import type { Extents } from "./extents.ts";
import { MAP_READ, USAGE } from "./flags.ts";
import { Pace } from "./pace.ts";
import type { Bound } from "./runner.ts";
import type { Submitter } from "./submitter.ts";

/** What a loop is run for, and where its commands go. */
export interface LoopRun {
  readonly submitter: Submitter;
  readonly piece: Piece;
  readonly repeat: number;
  readonly recurs: boolean;
}

/** What an iteration costs an item, where it is known or expected, and how many items the piece takes the time of. */
export interface LoopCost {
  readonly known: number | undefined;
  readonly expected: number | undefined;
  readonly items: number;
}

/**
 * Drives a loop for one piece: whether it ended before its bound, and what an iteration costs an item, as `known` or as this run found
 * out; `expected` is what a model holds it against until then.
 */
export async function runLoop(
  loop: LoopStep,
  { submitter, piece, repeat, recurs }: LoopRun,
  bound: Bound,
  extents: Extents,
  steps: StepEncoder,
  { known, expected, items }: LoopCost,
): Promise<readonly [done: boolean, msPerIteration: number]> {
  const { memory, host, watch, budgets } = bound;
  const { buffer, offset, equals } = loop.until;
  const word = watch.calls(() => memory.create("loop condition", 4, USAGE.mapRead));
  const pace = new Pace(budgets.submitMs, known, items, expected);
  /** Encodes steps as iteration `iteration` with the extents block `slot` of its submission. */
  const encode = (list: LoopStep["steps"], slot: number, iteration: number): void => {
    const extentsOffset = extents.iteration(slot, piece, iteration);
    for (const step of list) {
      steps.encode(submitter.writer, step, { piece, repeat, extentsOffset, recurs });
    }
  };
  try {
    // What came before the loop is not timed with it.
    if (pace.learns) await submitter.finish();
    for (let iteration = 0; iteration < loop.maximum; ) {
      const count = Math.min(loop.checkEvery, loop.maximum - iteration);
      for (let slot = 0; slot < count; ) {
        const some = Math.min(pace.iterations, count - slot);
        const startMs = host.now();
        for (const end = slot + some; slot < end; slot++) encode(loop.steps, slot, iteration + slot);
        if (slot < count || pace.learns) await submitter.flush();
        if (!pace.learns) continue;
        const endMs = await submitter.finish();
        pace.took(Math.max(endMs - startMs - (await host.roundTripMs()), 0), some);
      }
      iteration += count;
      if (loop.closing) encode(loop.closing, count - 1, iteration - 1);
      submitter.writer.command().copyBufferToBuffer(memory.get(buffer), offset, word, 0, 4);
      await submitter.flush();
      await host.lifeline.guard(word.mapAsync(MAP_READ));
      const [value] = new Uint32Array(word.getMappedRange());
      word.unmap();
      if (value === equals) return [true, pace.msPerIteration];
    }
    return [false, pace.msPerIteration];
  } finally {
    memory.release(word);
  }
}
