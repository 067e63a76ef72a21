import {
  type BufferParity,
  type PerSide,
  type PortData,
  type Problem,
  type ShapeParity,
  SIDES,
  type Side,
  type SideReport,
  type Verdict,
} from "@tunelab/contract";
import type { BindOptions, Instance } from "@tunelab/executor";
import { runMs } from "../instance-timeable.ts";
import { failureOf, mergeVerdicts } from "../verify.ts";
import { judge, type PairCase, pairCase } from "./inputs.ts";
import { addParity, commonBuffers, differingWords, type Named } from "./parity.ts";
import type { Compiled, Seat } from "./seat.ts";

/** Both sides bound to one problem and verified there. */
export interface Bound {
  readonly compiled: PerSide<Compiled>;
  readonly instances: PerSide<Instance>;
}

/** What looking at one shape gave. */
export interface Looked {
  /** Present when both sides stand. */
  readonly parity?: ShapeParity;
  readonly shared: boolean;
  /** ms of one batch item on either side, by its last untimed run. */
  readonly msPerItem: number;
}

export interface ShapeRequest {
  readonly problem: Problem;
  readonly why: string;
  readonly seeds: readonly number[];
  readonly oracleSample: number;
  readonly options?: BindOptions;
}

type Part<T> = { -readonly [S in Side]?: T };

/**
 * Runs a shape on the sides that stand, on every seed: poison, run, read, judge, and compare the bits where both stand. A side
 * that fails gets its status (told with the shape, when it is not the problem itself); the other goes on. The instances are
 * the caller's to dispose of.
 */
export async function lookAtShape(
  seats: PerSide<Seat>,
  compiled: Part<Compiled>,
  instances: Part<Instance>,
  request: ShapeRequest,
): Promise<Looked> {
  const { problem, why, seeds } = request;
  const standing = (): readonly Side[] => SIDES.filter((side) => seats[side].sound && compiled[side]);
  const verdicts: Part<Verdict> = {};
  const sums = new Map<string, BufferParity>();
  let named: readonly Named[] = [];
  let [shared, msPerItem] = [true, 0];
  for (const [index, seed] of seeds.entries()) {
    const one = pairCase(seats.base, seats.candidate, problem, seed);
    shared = one.shared;
    const found: Part<PortData> = {};
    for (const side of standing()) {
      const seat = seats[side];
      const read = await seat.attempt("run", async () => {
        const instance = instances[side];
        const { inputs } = one;
        if (instance) instance.write(inputs[side]);
        else {
          instances[side] = await seat.bind(compiled[side]!, inputs[side], request.options);
          // A first run of unknown cost goes in growing pieces: only from the second on do intermediates hold the whole batch.
          if (request.options?.msPerItem === undefined) await instances[side].run();
        }
        const { ms, data } = await runAndRead(
          instances[side]!,
          namesFor(seats, side, problem, compiled, instances),
        );
        msPerItem = Math.max(msPerItem, ms / compiled[side]!.subject.plan.batch.items);
        return data;
      });
      if (!read) continue;
      found[side] = read;
      verdicts[side] = settle(seat, request, one, read, verdicts[side]);
    }
    if (standing().length < 2) continue;
    named = commonOf(compiled, instances);
    const last = index === seeds.length - 1;
    const again = last && shared ? await rerun(seats, instances, named, found, problem, compiled) : {};
    if (shared) for (const buffer of named) compareBuffer(sums, buffer, found, again);
  }
  const stands = standing().length === 2 && shared;
  if (!stands) return { shared, msPerItem };
  const pieces = { base: instances.base!.cut.pieces, candidate: instances.candidate!.cut.pieces };
  const maxError = { base: verdicts.base!.maxError, candidate: verdicts.candidate!.maxError };
  return { shared, msPerItem, parity: { problem, why, pieces, buffers: [...sums.values()], maxError } };
}

async function runAndRead(
  instance: Instance,
  names: readonly string[],
): Promise<{ readonly ms: number; readonly data: PortData }> {
  instance.poison();
  const run = await instance.run({ timing: "total" });
  return { ms: runMs(run), data: await instance.read(names) };
}

/** Outputs that the oracle wants, and what both plans have in common. */
function namesFor(
  seats: PerSide<Seat>,
  side: Side,
  problem: Problem,
  compiled: Part<Compiled>,
  instances: Part<Instance>,
): readonly string[] {
  const outputs = seats[side].suite.operation
    .ports(problem)
    .filter(({ role }) => role === "out" || role === "inout")
    .map(({ name }) => name);
  const common = commonOf(compiled, instances).filter(({ skipped }) => skipped === undefined);
  return [...new Set([...outputs, ...common.map(({ name }) => name)])];
}

function commonOf(compiled: Part<Compiled>, instances: Part<Instance>): readonly Named[] {
  const { base, candidate } = compiled;
  if (!base || !candidate) return [];
  // The candidate's cut is known once it is bound; until then the base's stands for both.
  const pieces = [instances.base?.cut.pieces ?? 1, instances.candidate?.cut.pieces ?? 1];
  return commonBuffers(base.prepared.plan, candidate.prepared.plan, pieces);
}

/** Judges one seed's outputs, adds the verdict to those of earlier seeds, and fails the side when it is not right. */
function settle(
  seat: Seat,
  { problem, why, oracleSample }: ShapeRequest,
  one: PairCase,
  found: PortData,
  before: Verdict | undefined,
): Verdict {
  const { accuracy, name, ports } = seat.suite.operation;
  const look = { operation: name, ports: ports(problem), sample: oracleSample };
  const verdict = judge(found, one.seed, one.oracles[seat.side], look);
  const merged = before ? mergeVerdicts(before, verdict) : verdict;
  const failure = failureOf(verdict, accuracy);
  const place = why ? `${why} (${placeOf(problem)}), ` : "";
  const more: Partial<SideReport> = why ? {} : { verdict: merged, seeds: [...seat.report.seeds, one.seed] };
  seat.note(more);
  if (failure) seat.fail(failure.status, `${place}seed ${one.seed}: ${failure.reason}`);
  return merged;
}

const placeOf = (problem: Problem): string =>
  Object.entries(problem)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

/** The base's bits of a second run of the same inputs, where the sides differ: a buffer that differs from itself has none to keep. */
async function rerun(
  seats: PerSide<Seat>,
  instances: Part<Instance>,
  named: readonly Named[],
  found: Part<PortData>,
  problem: Problem,
  compiled: Part<Compiled>,
): Promise<PortData> {
  const differs = named.some(({ name, skipped }) => {
    const [a, b] = [found.base?.[name], found.candidate?.[name]];
    return skipped === undefined && a && b && differingWords(a, b).differing > 0;
  });
  if (!differs) return {};
  const names = namesFor(seats, "base", problem, compiled, instances);
  const again = await seats.base.attempt("run", () => runAndRead(instances.base!, names));
  return again?.data ?? {};
}

function compareBuffer(
  sums: Map<string, BufferParity>,
  { name, role, skipped }: Named,
  found: Part<PortData>,
  again: PortData,
): void {
  const [a, b] = [found.base?.[name], found.candidate?.[name]];
  if (skipped !== undefined || !a || !b) {
    const why = skipped ?? "not read";
    sums.set(name, { name, role, words: 0, differing: 0, unstable: 0, skipped: why });
    return;
  }
  const unstable = again[name] ? differingWords(a, again[name]).differing : 0;
  const one: BufferParity = { name, role, words: a.length, unstable, ...differingWords(a, b) };
  sums.set(name, addParity(sums.get(name), one));
}
