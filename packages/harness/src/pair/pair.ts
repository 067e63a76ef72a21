import {
  type PairedSeries,
  type PairOutcome,
  type PairRequest,
  type PerSide,
  problemKey,
  type ShapeParity,
  SIDES,
  type Side,
  stagesOf,
  UNKNOWN_PAIR,
} from "@tunelab/contract";
import { DEFAULT_BUDGETS, type Instance } from "@tunelab/executor";
import { failureOf } from "../verify.ts";
import type { Workbench } from "../workbench.ts";
import { judge, pairCase } from "./inputs.ts";
import type { SideLoader } from "./module.ts";
import { controlSeries, type Placed, placedSeries, placementNote } from "./placement.ts";
import { referenceSeries } from "./reference-series.ts";
import { PARITY } from "./rules.ts";
import { type Compiled, placeOf, Seat } from "./seat.ts";
import { lookAtShape } from "./shape.ts";
import { stageSeries } from "./stage-series.ts";
import { type Shape, straddlingShapes } from "./straddle.ts";

type Part<T> = { -readonly [S in Side]?: T };

const TIMED_IN_QUADS: ReadonlySet<PairRequest["timing"]["kind"]> = new Set(["looks", "fixed"]);

/**
 * Two variants of one operation on one problem: both verified on the same inputs, their bits compared there and at shapes that
 * straddle limits, then timed in quads. Whatever a side does becomes its status, and the other is still reported; rejects
 * only for faults that are neither side's: a bundle that is not there, a suite that throws, the machine.
 */
export async function measurePair(
  bench: Workbench,
  load: SideLoader,
  request: PairRequest,
): Promise<PairOutcome> {
  const seats = await seatsOf(bench, load, request);
  const compiled: Part<Compiled> = {};
  const instances: Part<Instance> = {};
  try {
    for (const side of SIDES) {
      if (request.only !== undefined && request.only !== side) continue;
      bench.context.onPhase("plan");
      await seats[side].attempt("plan", () => seats[side].plan());
    }
    const identical =
      SIDES.every((side) => seats[side].planned) && request.executor === "shared" && sameHash(seats);
    for (const side of SIDES) {
      // What one plan does it does on both sides: it is verified once.
      if (identical && !request.force && side === "candidate") continue;
      if (seats[side].planned) await compile(bench, seats[side], compiled);
    }
    return await verifyAndTime(bench, seats, compiled, instances, request, identical);
  } catch (error) {
    const lost = SIDES.find((side) => seats[side].report.status === "device-lost");
    if (!lost) throw error;
    // The other side cannot run here any more: it is asked on the host that follows.
    return { ...UNKNOWN_PAIR, sides: { [lost]: seats[lost].report } };
  } finally {
    for (const side of SIDES) instances[side]?.dispose();
    for (const side of SIDES) seats[side].dispose();
    bench.context.onPhase("idle");
  }
}

async function seatsOf(bench: Workbench, load: SideLoader, request: PairRequest): Promise<PerSide<Seat>> {
  const { base, candidate } = request.sides;
  const left = await load(base.source, request.operation);
  const right =
    candidate.source.bundle === base.source.bundle ? left : await load(candidate.source, request.operation);
  return {
    base: new Seat(bench, "base", left, request, await placeOf(bench, request, "base", left)),
    candidate: new Seat(
      bench,
      "candidate",
      right,
      request,
      await placeOf(bench, request, "candidate", right),
    ),
  };
}

async function compile(bench: Workbench, seat: Seat, compiled: Part<Compiled>): Promise<void> {
  bench.context.onPhase("compile");
  const made = await seat.attempt("compile", () => seat.compile(seat.request.problem));
  if (!made) return;
  compiled[seat.side] = made;
  seat.note({ compileMs: made.prepared.compileMs });
}

async function verifyAndTime(
  bench: Workbench,
  seats: PerSide<Seat>,
  compiled: Part<Compiled>,
  instances: Part<Instance>,
  request: PairRequest,
  identical: boolean,
): Promise<PairOutcome> {
  const { problem, seeds, oracleSample } = request;
  const { context } = bench;
  context.onPhase("verify");
  const looked = await lookAtShape(seats, compiled, instances, { problem, why: "", seeds, oracleSample });
  for (const side of SIDES) if (instances[side]) seats[side].note({ cut: instances[side].cut });
  const shapes: ShapeParity[] = looked.parity ? [looked.parity] : [];
  const both = (): boolean => SIDES.every((side) => seats[side].sound && compiled[side] && instances[side]);
  if (identical && !request.force) {
    const { variant } = seats.candidate.report;
    seats.candidate.note({ ...seats.base.report, variant });
  }
  if (request.straddle && both() && looked.shared)
    shapes.push(...(await straddle(bench, seats, compiled, request, looked.msPerItem)));

  let total: PairedSeries | undefined;
  let control: PairedSeries | undefined;
  let stages: PairOutcome["stages"] = {};
  if (both() && TIMED_IN_QUADS.has(request.timing.kind)) {
    for (const side of SIDES) {
      instances[side]!.dispose();
      delete instances[side];
    }
    const own = compiled as PerSide<Compiled>;
    const timed = await placedSeries(bench, seats, own, request);
    if (timed) {
      total = timed.total;
      stages = await afterTotal(bench, seats, timed.placed, total, request);
      if (seats.base.sound && seats.candidate.sound && request.control)
        control = await controlSeries(bench, seats.base, own.base, request);
    }
  }
  const references = await byReference(bench, seats, compiled, instances, request);
  return {
    sides: reports(seats, request),
    identical,
    inputs: looked.shared ? "shared" : "own",
    shapes,
    ...(total ? { total } : {}),
    stages,
    lone: loneStages(compiled),
    ...(control ? { control } : {}),
    ...(references ? { references } : {}),
    notes: [...notesOf(seats, looked.shared), ...noteOf(total)],
  };
}

function noteOf(total: PairedSeries | undefined): readonly string[] {
  const note = total && placementNote(total);
  return note === undefined ? [] : [note];
}

/** Stage by stage, and whether what the timed submissions left is right; frees what was placed. */
async function afterTotal(
  bench: Workbench,
  seats: PerSide<Seat>,
  placed: Placed,
  total: PairedSeries,
  request: PairRequest,
): Promise<PairOutcome["stages"]> {
  try {
    const sound = SIDES.every((side) => seats[side].sound);
    const stages = sound ? await stageSeries(bench, seats, placed, total) : {};
    for (const side of SIDES)
      if (seats[side].sound) await witness(bench, seats, side, placed.instances[side], request);
    return stages;
  } finally {
    placed.dispose();
  }
}

/** The one side that was asked for, timed beside a reference kernel, where that is the way. */
async function byReference(
  bench: Workbench,
  seats: PerSide<Seat>,
  compiled: Part<Compiled>,
  instances: Part<Instance>,
  request: PairRequest,
): Promise<PairOutcome["references"]> {
  const { only, timing } = request;
  if (only === undefined || timing.kind !== "reference") return undefined;
  const [seat, plan, instance] = [seats[only], compiled[only], instances[only]];
  if (!seat.sound || !plan || !instance) return undefined;
  const series = await referenceSeries(bench, seat, plan, instance, timing);
  if (seat.sound) await witness(bench, seats, only, instance, request);
  return series && { [only]: series };
}

/** One plan under one profile: nothing could differ. */
const sameHash = ({ base, candidate }: PerSide<Seat>): boolean =>
  base.report.planHash === candidate.report.planHash && base.profile === candidate.profile;

function reports(seats: PerSide<Seat>, { only }: PairRequest): PairOutcome["sides"] {
  return Object.fromEntries(
    SIDES.filter((side) => only === undefined || only === side).map((side) => [side, seats[side].report]),
  );
}

function loneStages({ base, candidate }: Part<Compiled>): PerSide<readonly string[]> {
  if (!base || !candidate) return { base: [], candidate: [] };
  const [left, right] = [stagesOf(base.subject.plan), stagesOf(candidate.subject.plan)];
  return {
    base: left.filter((stage) => !right.includes(stage)),
    candidate: right.filter((stage) => !left.includes(stage)),
  };
}

function notesOf({ base, candidate }: PerSide<Seat>, shared: boolean): readonly string[] {
  const epochs = [base.suite.epoch, candidate.suite.epoch];
  return [
    ...(epochs[0] === epochs[1] ? [] : [`the suite's epoch went from ${epochs[0]} to ${epochs[1]}`]),
    ...(shared ? [] : ["the ports differ: each side ran on its own inputs, and no bits were compared"]),
  ];
}

/** Parity at shapes around the limits, and with the batch cut into pieces; each is compiled and bound for itself. */
async function straddle(
  bench: Workbench,
  seats: PerSide<Seat>,
  compiled: Part<Compiled>,
  { problem, oracleSample, seeds }: PairRequest,
  msPerItem: number,
): Promise<readonly ShapeParity[]> {
  const plans = SIDES.map((side) => compiled[side]!.subject.plan);
  const most = msPerItem > 0 ? Math.floor(PARITY.shapeMs / msPerItem) : 0;
  const { operation } = seats.base.suite;
  const around = straddlingShapes(operation, problem, plans, bench.context.info.capabilities.limits, most);
  const shapes: readonly (Shape & { readonly pieces?: number })[] = [
    ...around,
    { problem, why: `cut into ${PARITY.pieces} pieces`, pieces: PARITY.pieces },
  ];
  const found: ShapeParity[] = [];
  for (const { problem: other, why, pieces } of shapes) {
    if (SIDES.some((side) => !seats[side].sound)) break;
    const made: Part<Compiled> = {};
    const instances: Part<Instance> = {};
    try {
      const skipped = await compileShape(bench, seats, other, made);
      const options = pieces === undefined ? {} : { msPerItem: msPerItemFor(pieces, plans[0]!.batch.items) };
      const request = { problem: other, why, seeds: seeds.slice(0, 1), oracleSample, options };
      const { parity } = skipped === undefined ? await lookAtShape(seats, made, instances, request) : {};
      if (parity && (pieces === undefined || parity.pieces.base > 1 || parity.pieces.candidate > 1))
        found.push(parity);
      if (skipped !== undefined) found.push(skippedShape(other, why, skipped));
    } finally {
      for (const side of SIDES) instances[side]?.dispose();
    }
  }
  return found;
}

/** Cost of an item by which the time budget cuts a batch into so many pieces. */
const msPerItemFor = (pieces: number, items: number): number =>
  DEFAULT_BUDGETS.submitMs / Math.max(1, Math.ceil(items / pieces));

/** Compiles both sides for a shape; resolves to why the shape is left out, when a configuration does not fit it. */
async function compileShape(
  bench: Workbench,
  seats: PerSide<Seat>,
  problem: ShapeParity["problem"],
  made: Part<Compiled>,
): Promise<string | undefined> {
  for (const side of SIDES) {
    const seat = seats[side];
    bench.context.onPhase("compile");
    const before = seat.report;
    const one = await seat.attempt("compile", () => seat.compile(problem));
    if (one) {
      made[side] = one;
      continue;
    }
    if (seat.report.status !== "refused") {
      seat.fail(seat.report.status, `at ${problemKey(problem)}: ${seat.report.reason ?? ""}`);
      return undefined;
    }
    const reason = seat.report.reason ?? "refused";
    seat.report = before;
    return `${side}: ${reason}`;
  }
  bench.context.onPhase("verify");
  return undefined;
}

const skippedShape = (problem: ShapeParity["problem"], why: string, skipped: string): ShapeParity => ({
  problem,
  why,
  pieces: { base: 0, candidate: 0 },
  buffers: [],
  maxError: { base: 0, candidate: 0 },
  skipped,
});

/** What the last timed submission of a side left must be right too. */
async function witness(
  bench: Workbench,
  seats: PerSide<Seat>,
  side: Side,
  instance: Instance,
  { problem, seeds, oracleSample }: PairRequest,
): Promise<void> {
  const seat = seats[side];
  bench.context.onPhase("verify");
  const seed = seeds.at(-1)!;
  const one = pairCase(seats.base, seats.candidate, problem, seed);
  const { name, ports, accuracy } = seat.suite.operation;
  const look = { operation: name, ports: ports(problem), sample: oracleSample };
  const found = await seat.attempt("run", async () => {
    instance.poison();
    await instance.run({ repeats: 2, timing: "total" });
    return instance.read(
      look.ports.filter(({ role }) => role === "out" || role === "inout").map((port) => port.name),
    );
  });
  if (!found) return;
  const verdict = judge(found, seed, one.oracles[side], look);
  const failure = failureOf(verdict, accuracy);
  if (failure) seat.fail(failure.status, `after timed repeats: ${failure.reason}`);
  else if (seat.report.verdict) {
    const maxError = Math.max(seat.report.verdict.maxError, verdict.maxError);
    seat.note({ verdict: { ...seat.report.verdict, maxError } });
  }
}
