import {
  asFault,
  type Comparison,
  type ComparisonRow,
  type ComparisonRules,
  Fault,
  type PairOutcome,
  type PairRequest,
  type PerSide,
  problemKey,
  type Route,
  SIDES,
  type Side,
  type Wanted,
} from "@tunelab/contract";
import type { PairBench } from "@tunelab/devices";
import { BUILD_QUADS, type QuadRules } from "@tunelab/harness";
import type { Bout, Meeting } from "./offer.ts";
import { judgementOf, rowOf, withdraw } from "./verdict.ts";

/** What a comparison tells while it runs. */
export type CompareProgress = (
  event:
    | { readonly kind: "bout"; readonly bout: Bout; readonly index: number; readonly of: number }
    | { readonly kind: "row"; readonly row: ComparisonRow; readonly index: number; readonly of: number },
) => void;

export interface RunOptions {
  /** The host that the routes were asked of: the first process. It is closed in the end. */
  readonly first: PairBench;
  /** Opens a fresh host for each further process. */
  readonly open: () => Promise<PairBench>;
  readonly rules: ComparisonRules;
  readonly executor: PairRequest["executor"];
  /** Also time plans of one hash. */
  readonly force: boolean;
  /** Leave out all timing: verify and compare bits alone. */
  readonly untimed: boolean;
  /** Compare bits also at shapes that straddle limits. */
  readonly straddle: boolean;
  readonly requireParity: boolean;
  readonly seeds: readonly number[];
  readonly oracleSample: number;
  readonly progress: CompareProgress;
  /** Told of every finished row, so that it can be stored before the next begins. */
  readonly keep?: (row: ComparisonRow) => Promise<void>;
  readonly signal: AbortSignal;
}

export type Ran = Pick<Comparison, "rows" | "control" | "stopped">;

export const quadRules = ({ alpha, looks, gate, equivalence }: ComparisonRules): QuadRules => ({
  ...BUILD_QUADS,
  ...{ alpha, looks, gate, equivalence },
});

/** Wishes that name variants by asking the sides first: each is then pinned on both. */
export type PinnedBy =
  | { readonly kind: "shipped" }
  /** So many variants in all, drawn from the base's spaces, as evenly over the meetings as they go. */
  | { readonly kind: "drawn"; readonly count: number; readonly seed: number };

/**
 * Asks each side which variants it runs the meetings with. `shipped` pins every row that either side ships on both, `drawn` what
 * was drawn of the base's spaces; a pinned variant that a side cannot run is a refusal there.
 */
export async function routeBouts(
  benches: PerSide<Pick<PairBench, "routes">>,
  meetings: readonly Meeting[],
  wanted: PerSide<Wanted> | PinnedBy,
): Promise<readonly Bout[]> {
  const bouts: Bout[] = [];
  for (const [index, meeting] of meetings.entries()) {
    const ask = (side: Side, want: Wanted): Promise<readonly Route[]> =>
      benches[side].routes({ ...meeting, source: meeting.sources[side], wanted: want });
    const wishes = "kind" in wanted ? await pinnedBy(wanted, ask, index, meetings.length) : [wanted];
    for (const wish of wishes) {
      const [base] = await ask("base", wish.base);
      const [candidate] = await ask("candidate", wish.candidate);
      const none = { refused: "no variant" };
      bouts.push({ ...meeting, routes: { base: base ?? none, candidate: candidate ?? none } });
    }
  }
  return bouts;
}

/** One wish for both sides. */
export const bothSides = (wanted: Wanted): PerSide<Wanted> => ({ base: wanted, candidate: wanted });

type Ask = (side: Side, wanted: Wanted) => Promise<readonly Route[]>;

async function pinnedBy(
  wanted: PinnedBy,
  ask: Ask,
  index: number,
  meetings: number,
): Promise<readonly PerSide<Wanted>[]> {
  if (wanted.kind === "shipped") return shippedBy(ask);
  const share = Math.ceil((wanted.count - index) / meetings);
  if (share < 1) return [];
  const drawn = await ask("base", { ...wanted, count: share });
  // A refusal is told as the base's.
  if (drawn.some((route) => "refused" in route)) return [bothSides({ ...wanted, count: share })];
  return drawn.flatMap((route) =>
    "variant" in route ? [bothSides({ kind: "pinned", variant: route.variant })] : [],
  );
}

/** The variants that either side ships for a problem, pinned on both; the selections where neither ships one. */
async function shippedBy(ask: Ask): Promise<readonly PerSide<Wanted>[]> {
  const names = new Set<string>();
  for (const side of SIDES) {
    for (const route of await ask(side, { kind: "shipped" }))
      if ("variant" in route) names.add(route.variant);
  }
  if (names.size === 0) return [bothSides({ kind: "selected" })];
  return [...names].map((variant) => bothSides({ kind: "pinned", variant }));
}

/**
 * Compares bouts one after another. In one process every bout is paired until a look decides; for published claims each of
 * several fresh processes pairs every bout with a fixed number of quads. The first timed bout of a process is also paired with
 * itself, as the control. Ctrl-C ends it; finished rows stay.
 */
export async function runBouts(bouts: readonly Bout[], options: RunOptions): Promise<Ran> {
  const found: PairOutcome[][] = bouts.map(() => []);
  const faults = new Map<number, string>();
  let stopped: string | undefined;
  const { processes } = options.rules;
  const rowAt = (index: number): ComparisonRow => {
    const { requireParity } = options;
    const row = rowOf(bouts[index]!, found[index]!, { rules: quadRules(options.rules), requireParity });
    const fault = faults.get(index);
    return fault === undefined ? row : { ...row, verdict: "invalid", reason: fault };
  };
  for (let round = 0; round < processes && stopped === undefined; round += 1) {
    const bench = round === 0 ? options.first : await options.open();
    const stop = (): void => void bench.close().catch(() => {});
    options.signal.addEventListener("abort", stop, { once: true });
    try {
      let controlled = false;
      for (const [index, bout] of bouts.entries()) {
        if (options.signal.aborted) throw new Fault("usage", "interrupted");
        options.progress({ kind: "bout", bout, index, of: bouts.length });
        const outcome = faults.has(index)
          ? undefined
          : await pairOne(bench, bout, options, !controlled, round);
        if (outcome && "fault" in outcome) faults.set(index, outcome.fault);
        else if (outcome) found[index]!.push(outcome);
        if (outcome && "control" in outcome && outcome.control) controlled = true;
        if (round < processes - 1) continue;
        const row = rowAt(index);
        await options.keep?.(row);
        options.progress({ kind: "row", row, index, of: bouts.length });
      }
    } catch (error) {
      if (!options.signal.aborted) throw error;
      stopped = "interrupted";
    } finally {
      options.signal.removeEventListener("abort", stop);
      await bench.close();
    }
  }
  const done = bouts
    .map((_, index) => index)
    .filter((index) => found[index]!.length === processes || faults.has(index) || refused(bouts[index]!));
  const control = controlOf(bouts, found, options.rules);
  const rows = withdraw(done.map(rowAt), control, processes > 1);
  return { rows, ...(control ? { control } : {}), ...(stopped === undefined ? {} : { stopped }) };
}

export const refused = ({ routes }: Bout): boolean => SIDES.some((side) => "refused" in routes[side]);

function controlOf(
  bouts: readonly Bout[],
  found: readonly (readonly PairOutcome[])[],
  rules: ComparisonRules,
): Comparison["control"] {
  for (const [index, outcomes] of found.entries()) {
    const judgement = judgementOf(
      outcomes.flatMap(({ control }) => control ?? []),
      quadRules(rules),
    );
    const { operation, problem } = bouts[index]!;
    if (judgement) return { ...judgement, operation, problem };
  }
  return undefined;
}

/** Both sides as a request has them; one without a plan stands in with that of `planned` and is not run. */
export function pairSides(
  { sources, routes }: Pick<Bout, "sources" | "routes">,
  planned: Side,
): PairRequest["sides"] {
  const instead = routes[planned] as Extract<Route, { algorithm: string }>;
  return Object.fromEntries(
    SIDES.map((side) => {
      const route = routes[side];
      const { algorithm, config } = "algorithm" in route ? route : instead;
      return [side, { source: sources[side], algorithm, config }];
    }),
  ) as PairRequest["sides"];
}

/** Asks for one bout; a side that has no plan is not asked, and a fault that is neither side's becomes the row's reason. */
async function pairOne(
  bench: Pick<PairBench, "pair">,
  { operation, problem, sources, routes }: Bout,
  options: RunOptions,
  control: boolean,
  round: number,
): Promise<PairOutcome | { readonly fault: string } | undefined> {
  const planned = SIDES.filter((side) => "algorithm" in routes[side]);
  if (planned.length === 0) return undefined;
  const [first] = planned;
  const sides = pairSides({ sources, routes }, first!);
  const { rules, executor, force, untimed, seeds, oracleSample } = options;
  const timing: PairRequest["timing"] = untimed
    ? { kind: "none" }
    : rules.processes > 1
      ? { kind: "fixed", quads: rules.looks[0]! }
      : { kind: "looks", alpha: rules.alpha, looks: rules.looks };
  try {
    return await bench.pair({
      ...{ operation, problem, sides, executor, seeds, oracleSample, timing, force, control },
      straddle: options.straddle && round === 0,
      // A fresh process alone would place the sides as the last one did.
      placement: round,
      ...(planned.length === 1 ? { only: first! } : {}),
    });
  } catch (error) {
    if (options.signal.aborted) throw error;
    return { fault: `${operation} ${problemKey(problem)}: ${asFault(error, "environment").message}` };
  }
}
