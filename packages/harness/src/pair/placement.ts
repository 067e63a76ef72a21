import { type PairedSeries, type PairRequest, type PerSide, SIDES, type Side } from "@tunelab/contract";
import type { Instance } from "@tunelab/executor";
import type { Workbench } from "../workbench.ts";
import { commonPorts } from "./common-ports.ts";
import { pairCase } from "./inputs.ts";
import type { Compiled, Seat } from "./seat.ts";
import { type Pair, totalSeries } from "./timing.ts";

type Part<T> = { -readonly [S in Side]?: T };

/** Both sides bound for timing. */
export interface Placed extends Pair {
  dispose(): void;
}

/**
 * Binds both sides for timing in an order, to common buffers where they share inputs and device. Undefined when a side cannot be
 * bound; its seat then says why.
 */
async function place(
  seats: PerSide<Seat>,
  compiled: PerSide<Compiled>,
  { problem, seeds }: PairRequest,
  order: readonly Side[],
): Promise<Placed | undefined> {
  const { inputs, shared } = pairCase(seats.base, seats.candidate, problem, seeds.at(-1)!);
  const { base, candidate } = seats;
  const common =
    shared && base.device === candidate.device
      ? commonPorts(base.device, [compiled.base.prepared.plan, compiled.candidate.prepared.plan], inputs.base)
      : undefined;
  const instances: Part<Instance> = {};
  const dispose = (): void => {
    for (const side of SIDES) instances[side]?.dispose();
    common?.dispose();
  };
  try {
    for (const side of order) {
      const bound = await seats[side].attempt("run", () =>
        seats[side].bind(compiled[side], common?.ports ?? inputs[side]),
      );
      if (bound) instances[side] = bound;
    }
  } catch (error) {
    dispose();
    throw error;
  }
  if (instances.base && instances.candidate)
    return { compiled, instances: { base: instances.base, candidate: instances.candidate }, dispose };
  dispose();
  return undefined;
}

/**
 * The whole plans timed in quads, and where a look judged `changed` once more with everything compiled and bound anew in the other
 * order: code and buffers lie elsewhere then, which alone has made one plan 4 to 7% faster than itself. Undefined when a side
 * cannot be bound. The caller disposes of what is placed.
 */
export async function placedSeries(
  bench: Workbench,
  seats: PerSide<Seat>,
  compiled: PerSide<Compiled>,
  request: PairRequest,
): Promise<{ readonly total: PairedSeries; readonly placed: Placed } | undefined> {
  const first = await place(seats, compiled, request, SIDES);
  if (!first) return undefined;
  const total = await unlessThrown(first, () => totalSeries(bench, seats, first, request));
  if (total.verdict !== "changed" || request.timing.kind !== "looks") return { total, placed: first };
  // The first ones live on until the second are there, or the second would get their places.
  const second = await unlessThrown(first, () => placeAnew(bench, seats, request));
  if (!second) return { total, placed: first };
  first.dispose();
  const again = await unlessThrown(second, () => totalSeries(bench, seats, second, request));
  return { total: agreed(total, again), placed: second };
}

/** Frees what is placed when the work on it throws: nobody else will. */
async function unlessThrown<T>(placed: Placed, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    placed.dispose();
    throw error;
  }
}

/** Both sides compiled and bound once more, the candidate first. */
async function placeAnew(
  bench: Workbench,
  seats: PerSide<Seat>,
  request: PairRequest,
): Promise<Placed | undefined> {
  const order = SIDES.toReversed();
  const made: Part<Compiled> = {};
  bench.context.onPhase("compile");
  for (const side of order) {
    const one = await seats[side].attempt("compile", () => seats[side].compile(request.problem));
    if (!one) return undefined;
    made[side] = one;
  }
  return place(seats, { base: made.base!, candidate: made.candidate! }, request, order);
}

/** The base against itself, compiled and bound a second time: whether this way of comparing sees changes where there are none. */
export async function controlSeries(
  bench: Workbench,
  base: Seat,
  compiled: Compiled,
  request: PairRequest,
): Promise<PairedSeries | undefined> {
  const twin = await base.attempt("compile", () => base.compile(request.problem));
  if (!twin) return undefined;
  const seats = { base, candidate: base };
  const timed = await placedSeries(bench, seats, { base: compiled, candidate: twin }, request);
  timed?.placed.dispose();
  return timed?.total;
}

/** What two placements agree on: the smaller change where both show one in the same direction, else nothing. */
export function agreed(first: PairedSeries, second: PairedSeries): PairedSeries {
  const placements = [first.ratio, second.ratio];
  const smaller = Math.abs(Math.log(first.ratio)) < Math.abs(Math.log(second.ratio)) ? first : second;
  const alike = second.verdict === "changed" && first.ratio > 1 === second.ratio > 1;
  return { ...smaller, placements, ...(alike ? {} : { verdict: "unresolved" }) };
}

/** The remark about a change that one placement showed and another did not. */
export function placementNote({ placements, verdict }: PairedSeries): string | undefined {
  if (!placements || verdict === "changed") return undefined;
  const [first, second] = placements.map((ratio) => ratio.toFixed(4));
  return `ratio ${first}, and ${second} with code and buffers in other places: no change that both show`;
}
