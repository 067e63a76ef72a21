import type { LoopStep, RepeatStep, SimpleStep } from "@tunelab/contract";
import { passesOf } from "./budgets.ts";
import type { Piece } from "./cut.ts";
import type { StepEncoder } from "./encode.ts";
import type { Extents } from "./extents.ts";
import { MAP_READ, USAGE } from "./flags.ts";
import { Pace } from "./pace.ts";
import type { Bound } from "./runner.ts";
import type { Submitter } from "./submitter.ts";

/** What passes are run for, and where their commands go. */
export interface LoopRun {
  readonly submitter: Submitter;
  readonly piece: Piece;
  readonly repeat: number;
  readonly recurs: boolean;
  /** Block of the extents for a pass of what is repeated. */
  readonly extentsOf: (pass: number) => number;
}

/** What a pass costs an item, where it is known, and how many items the piece takes the time of. */
export interface LoopCost {
  readonly known: number | undefined;
  readonly items: number;
}

/**
 * Encodes passes 0 to count - 1, submitting as many together as the pace allows. What is left of the last ones stays open, its cost counted
 * to what follows, unless it learns.
 */
async function encodePasses(
  count: number,
  encode: (pass: number) => void,
  {
    submitter,
    pace,
    bound: { host, budgets },
  }: { readonly submitter: Submitter; readonly pace: Pace; readonly bound: Bound },
): Promise<void> {
  for (let pass = 0; pass < count; ) {
    const some = Math.min(pace.iterations, count - pass);
    if (!pace.learns) await submitter.reserve(pace.msPerPass * some, budgets.submitMs);
    const startMs = host.now();
    for (const end = pass + some; pass < end; pass++) {
      // A pass may hold many timed ones (a clear ends one), and one submission has queries for 2048.
      if (submitter.timestamps?.full) await submitter.flush();
      encode(pass);
    }
    if (!pace.learns) continue;
    const endMs = await submitter.finish();
    pace.took(Math.max(endMs - startMs - (await host.roundTripMs()), 0), some);
  }
}

const paceOf = (step: Repeating, { budgets, expectedMsPerItem }: Bound, { known, items }: LoopCost): Pace =>
  new Pace(budgets.submitMs, known, items, expectedMsPerItem && expectedMsPerItem / passesOf(step));

type Repeating = LoopStep | RepeatStep;

/**
 * Runs a loop or repeated steps for one piece: whether it ended before its bound, and what a pass costs an item, as `known` or as this
 * run found out; what a model expects holds until then.
 */
export async function runPasses(
  step: Repeating,
  run: LoopRun,
  bound: Bound,
  extents: Extents,
  encoder: StepEncoder,
  cost: LoopCost,
): Promise<readonly [done: boolean, msPerPass: number]> {
  if (step.kind === "loop") return runLoop(step, run, bound, extents, encoder, cost);
  return [true, await runRepeat(step, run, bound, encoder, cost)];
}

async function runRepeat(
  step: RepeatStep,
  { submitter, piece, repeat, recurs, extentsOf }: LoopRun,
  bound: Bound,
  encoder: StepEncoder,
  cost: LoopCost,
): Promise<number> {
  const { steps, count } = step;
  const pace = paceOf(step, bound, cost);
  // What came before is not timed with it.
  if (pace.learns) await submitter.finish();
  const encode = (pass: number): void => {
    for (const step of steps) {
      encoder.encode(submitter.writer, step, { piece, repeat, extentsOffset: extentsOf(pass), recurs });
    }
  };
  await encodePasses(count, encode, { submitter, pace, bound });
  return pace.msPerIteration;
}

async function runLoop(
  loop: LoopStep,
  { submitter, piece, repeat, recurs }: LoopRun,
  bound: Bound,
  extents: Extents,
  steps: StepEncoder,
  cost: LoopCost,
): Promise<readonly [done: boolean, msPerIteration: number]> {
  const { memory, host, watch } = bound;
  const { buffer, offset, equals } = loop.until;
  const word = watch.calls(() => memory.create("loop condition", 4, USAGE.mapRead));
  const pace = paceOf(loop, bound, cost);
  /** Encodes steps as iteration `iteration` with the extents block `slot` of its submission. */
  const encode = (list: readonly SimpleStep[], slot: number, iteration: number): void => {
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
      const first = iteration;
      await encodePasses(count, (slot) => encode(loop.steps, slot, first + slot), { submitter, pace, bound });
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
