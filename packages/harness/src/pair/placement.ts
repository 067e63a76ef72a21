import { type PairedSeries, type PairRequest, type PerSide, SIDES, type Side } from "@tunelab/contract";
import type { Instance } from "@tunelab/executor";
import { confirmed, judgePlacements, swappedAt } from "../placements.ts";
import { PLACEMENTS, QUADS } from "../protocol.ts";
import { quadStatistic } from "../quads.ts";
import { hodgesLehmann } from "../signed-rank.ts";
import type { Workbench } from "../workbench.ts";
import { gap } from "./apart.ts";
import { commonPorts } from "./common-ports.ts";
import { pairCase } from "./inputs.ts";
import type { Compiled, Seat } from "./seat.ts";
import { type Pair, rulesOf, totalSeries } from "./timing.ts";

type Part<T> = { -readonly [S in Side]?: T };

/** Both sides bound for timing. */
export interface Placed extends Pair {
  dispose(): void;
}

const orderAt = (placement: number): readonly Side[] => (swappedAt(placement) ? SIDES.toReversed() : SIDES);

/**
 * Binds both sides for timing in the placement's order and with its gaps between buffers, to common buffers where they share inputs
 * and device. Undefined when a side cannot be bound; its seat then says why.
 */
async function place(
  seats: PerSide<Seat>,
  compiled: PerSide<Compiled>,
  { problem, seeds }: PairRequest,
  placement: number,
): Promise<Placed | undefined> {
  const { inputs, shared } = pairCase(seats.base, seats.candidate, problem, seeds.at(-1)!);
  const { base, candidate } = seats;
  const held: { dispose(): void }[] = [];
  const instances: Part<Instance> = {};
  const dispose = (): void => {
    for (const side of SIDES) instances[side]?.dispose();
    for (const one of held) one.dispose();
  };
  try {
    held.push(gap(base.device, placement, 0));
    const common =
      shared && base.device === candidate.device
        ? commonPorts(
            base.device,
            [compiled.base.prepared.plan, compiled.candidate.prepared.plan],
            inputs.base,
          )
        : undefined;
    if (common) held.push(common);
    for (const [index, side] of orderAt(placement).entries()) {
      held.push(gap(seats[side].device, placement, 1 + index));
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
 * The whole plans timed in quads, and where a look judged `changed` in further placements: everything compiled and bound anew, in
 * either order. Where buffers lie has alone made one plan 4 to 7% faster than itself. Undefined when a side cannot be bound. The
 * caller disposes of what is placed.
 */
export async function placedSeries(
  bench: Workbench,
  seats: PerSide<Seat>,
  compiled: PerSide<Compiled>,
  request: PairRequest,
): Promise<{ readonly total: PairedSeries; readonly placed: Placed } | undefined> {
  const start = request.placement ?? 0;
  const first = await place(seats, compiled, request, start);
  if (!first) return undefined;
  const total = await seriesOf(bench, seats, first, request);
  if (total.verdict !== "changed" || request.timing.kind !== "looks") return { total, placed: first };
  const fixed: PairRequest = { ...request, timing: { kind: "fixed", quads: PLACEMENTS.quads } };
  const further: Further[] = [];
  let placed: Placed = first;
  for (let placement = start + 1; placement <= start + PLACEMENTS.count; placement += 1) {
    // The last ones live on until the next are there, or the next would get their places.
    const next: Placed | undefined = await unlessThrown(placed, () =>
      placeAnew(bench, seats, request, placement),
    );
    if (!next) return { total, placed };
    placed.dispose();
    placed = next;
    const series = await seriesOf(bench, seats, placed, fixed);
    further.push({ ...series, swapped: swappedAt(placement) });
    if (series.fault !== undefined) break;
  }
  return { total: replaced(total, further, request), placed };
}

/** A series in a placement after the first. */
export interface Further extends PairedSeries {
  readonly swapped: boolean;
}

const seriesOf = (
  bench: Workbench,
  seats: PerSide<Seat>,
  placed: Placed,
  request: PairRequest,
): Promise<PairedSeries> => unlessThrown(placed, () => totalSeries(bench, seats, placed, request));

/** Frees what is placed when the work on it throws: nobody else will. */
async function unlessThrown<T>(placed: Placed, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    placed.dispose();
    throw error;
  }
}

/** Both sides compiled and bound once more. */
async function placeAnew(
  bench: Workbench,
  seats: PerSide<Seat>,
  request: PairRequest,
  placement: number,
): Promise<Placed | undefined> {
  const made: Part<Compiled> = {};
  bench.context.onPhase("compile");
  for (const side of orderAt(placement)) {
    const one = await seats[side].attempt("compile", () =>
      seats[side].compile(request.problem, { side, placement }),
    );
    if (!one) return undefined;
    made[side] = one;
  }
  return place(seats, { base: made.base!, candidate: made.candidate! }, request, placement);
}

/** The base against itself, compiled apart: whether this way of comparing sees changes where there are none. */
export async function controlSeries(
  bench: Workbench,
  base: Seat,
  compiled: Compiled,
  request: PairRequest,
): Promise<PairedSeries | undefined> {
  const apart = { side: "candidate", placement: request.placement ?? 0 } as const;
  const twin = await base.attempt("compile", () => base.compile(request.problem, apart));
  if (!twin) return undefined;
  const seats = { base, candidate: base };
  const timed = await placedSeries(bench, seats, { base: compiled, candidate: twin }, request);
  timed?.placed.dispose();
  return timed?.total;
}

/** The first placement's series with what further ones say of its change; unresolved where one could not be timed. */
export function replaced(
  first: PairedSeries,
  further: readonly Further[],
  { timing }: Pick<PairRequest, "timing">,
): PairedSeries {
  const placements = further.map(({ ratio, swapped, quads }) => ({ ratio, swapped, quads }));
  const fault = further.find((series) => series.fault !== undefined)?.fault;
  const statistics = further.map(({ swapped, quads }) => ({
    swapped,
    statistics: quads.slice(QUADS.dropped).map(quadStatistic),
  }));
  const others = judgePlacements(statistics, { ...rulesOf(timing), alpha: PLACEMENTS.alpha });
  const told = { ...first, ...confirmed(first, others), placements };
  if (fault === undefined) return told;
  return { ...told, verdict: "unresolved", fault: `in another placement: ${fault}` };
}

/** The remark about a change that one placement showed and others did not. */
export function placementNote({ placements, verdict, quads }: PairedSeries): string | undefined {
  if (!placements || verdict === "changed") return undefined;
  const first = Math.exp(hodgesLehmann(quads.slice(QUADS.dropped).map(quadStatistic)));
  const others = placements.map(({ ratio }) => ratio.toFixed(4));
  return `ratio ${first.toFixed(4)}, but ${others.join(", ")} with code and buffers in other places: no change that lies in the code`;
}
