import {
  type Ceilings,
  canonicalJson,
  Fault,
  type Problem,
  problemKey,
  type SessionEvidence,
  TABLE_SCHEMA,
  type TableEntry,
  type TableRow,
  type Trial,
  type TuningTable,
  tableFolder,
} from "@tunelab/contract";
import {
  byProblem,
  ceilingsOf,
  commitOf,
  duelsOf,
  machineName,
  machineOf,
  type Observation,
  observe,
  type Retraction,
  withoutRetracted,
} from "./evidence.ts";
import { type Duels, rank, resolved, type Standing } from "./rank.ts";
import { compareText, median, ROWS_KEPT, round, TIME_DIGITS } from "./rules.ts";

export interface FoldOptions {
  /** Largest error with which a variant may enter, by operation (`Operation.accuracy.bound`). */
  readonly bounds: Readonly<Record<string, number>>;
  /** The suites' epochs by operation; the newest in the evidence for those not named. */
  readonly epochs?: Readonly<Record<string, number>>;
  readonly retracted?: readonly Retraction[];
}

/** What is known of one plan on one problem: the newest of the best evidence. */
type Known = Omit<Observation, "plan">;

interface Entry {
  readonly problem: Problem;
  /** Who measured, as identity and in words. */
  readonly machine: string;
  readonly machineName: string;
  readonly plans: ReadonlyMap<string, Known>;
  /** What paired quads said, newest word. */
  readonly duels: Duels;
  /** Ranked standings; the first is the incumbent of the next session. */
  readonly ranked: readonly Standing[];
}

/** Trials of the operation in one session. */
interface Share {
  readonly session: SessionEvidence;
  readonly trials: readonly Trial[];
}

/** File of a table below `tables/`: `nvidia-h200/tint-vulkan.portable/matched-filter.json`. */
export function tablePath(table: Pick<TuningTable, "device" | "profile" | "operation">): string {
  return `${tableFolder(table.device.identity, table.profile)}/${table.operation}.json`;
}

/**
 * Tables from published sessions, oldest first: one an operation, device, compiler, backend and profile, in the order
 * of their paths. Pure; the same list gives the same tables in every locale, time zone and engine.
 *
 * Only verified, certified trials of the table's protocol, contract and epoch enter. A session of another machine
 * (driver, implementation, device) replaces the entries it measured and leaves the others as they were, marked aged.
 * Throws `Fault` usage when an operation has no error bound.
 */
export function fold(sessions: readonly SessionEvidence[], options: FoldOptions): readonly TuningTable[] {
  const groups = new Map<string, Share[]>();
  for (const session of withoutRetracted(sessions, options.retracted ?? [])) {
    const { device, profile } = session.header;
    for (const operation of new Set(session.trials.map((trial) => trial.operation))) {
      const path = tablePath({ device, profile, operation });
      const trials = session.trials.filter((trial) => trial.operation === operation);
      groups.set(path, [...(groups.get(path) ?? []), { session, trials }]);
    }
  }
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, shares]) => foldGroup(shares, options) ?? []);
}

/** Shares of the newest protocol, contract and epoch: trials of others measured something else. */
function current(shares: readonly Share[], epoch: number | undefined): readonly Share[] {
  const protocol = Math.max(...shares.map(({ session }) => session.header.protocol));
  const spoken = shares.filter(({ session }) => session.header.protocol === protocol);
  const contract = Math.max(...spoken.map(({ session }) => session.header.contract));
  const agreed = spoken.filter(({ session }) => session.header.contract === contract);
  const wanted = epoch ?? Math.max(...agreed.flatMap(({ trials }) => trials.map((trial) => trial.epoch)));
  return agreed
    .map(({ session, trials }) => ({ session, trials: trials.filter((trial) => trial.epoch === wanted) }))
    .filter(({ trials }) => trials.length > 0);
}

function foldGroup(shares: readonly Share[], options: FoldOptions): TuningTable | undefined {
  const operation = shares[0]!.trials[0]!.operation;
  const bound = options.bounds[operation];
  if (bound === undefined) {
    throw new Fault("usage", `no error bound for the operation ${operation}: name it in the fold's bounds`);
  }
  const valid = current(shares, options.epochs?.[operation]);
  const newest = valid.at(-1);
  if (!newest) return undefined;
  let entries: ReadonlyMap<string, Entry> = new Map();
  for (const share of valid) entries = foldSession(entries, share, bound);
  const { header } = newest.session;
  const machine = machineOf(newest.session);
  const kept = [...entries.values()]
    .filter(({ ranked }) => ranked.length > 0)
    .sort((a, b) => compareProblems(a.problem, b.problem));
  if (kept.length === 0) return undefined;
  return {
    schema: TABLE_SCHEMA,
    operation,
    epoch: newest.trials[0]!.epoch,
    protocol: header.protocol,
    contract: header.contract,
    device: header.device,
    deviceSlug: header.deviceSlug,
    profile: header.profile,
    noisy: kept.some(({ ranked }) => ranked.some(({ loose }) => loose)),
    ceilings: roundAll(ceilingsOf(newest.session)),
    sessions: valid.map(({ session }) => session.header.id),
    commit: commitOf(newest.session),
    entries: kept.map((entry) => tableEntry(entry, machine)),
  };
}

/** One step of the left fold: what a session does to the entries. */
function foldSession(entries: ReadonlyMap<string, Entry>, share: Share, bound: number): Map<string, Entry> {
  const machine = machineOf(share.session);
  const next = new Map(entries);
  for (const trials of byProblem(share.trials)) {
    const problem = trials[0]!.problem;
    const key = problemKey(problem);
    const observations = observe(share.session, trials, bound);
    const held = entries.get(key);
    const foreign = held !== undefined && held.machine !== machine;
    // Another machine takes an entry over only with something that may stand in it.
    if (foreign && !observations.some(({ standing }) => standing)) continue;
    const base = foreign ? undefined : held;
    const plans = new Map(base?.plans);
    for (const { plan, ...seen } of observations) plans.set(plan, merge(plans.get(plan), seen));
    const duels = new Map([...(base?.duels ?? []), ...duelsOf(share.session, trials[0]!.operation, problem)]);
    const standings = [...plans.values()].flatMap(({ standing }) => standing ?? []);
    next.set(key, {
      problem,
      machine,
      machineName: machineName(share.session),
      plans,
      duels,
      ranked: rank(standings, base?.ranked[0]?.planHash, duels),
    });
  }
  return next;
}

/** Newer evidence replaces older, except that noise never replaces quiet; a plan once proved wrong stays out. */
function merge(known: Known | undefined, seen: Known): Known {
  if (!known) return seen;
  const barred = known.barred || seen.barred;
  const isDefault = known.isDefault || seen.isDefault;
  if (barred) return { barred, isDefault };
  const quiet = known.standing && !known.standing.loose && seen.standing?.loose;
  const standing = quiet ? known.standing : (seen.standing ?? known.standing);
  const timeUs = seen.timeUs ?? known.timeUs;
  return {
    barred,
    isDefault,
    ...(timeUs === undefined ? {} : { timeUs }),
    ...(standing ? { standing: { ...standing, isDefault } } : {}),
  };
}

function tableEntry(entry: Entry, machine: string): TableEntry {
  const known = [...entry.plans.values()];
  const times = known.flatMap(({ timeUs }) => timeUs ?? []);
  const defaults = known.flatMap((plan) =>
    plan.isDefault ? (plan.standing?.minUs ?? plan.timeUs ?? []) : [],
  );
  const rows = entry.ranked.map((standing, index): TableRow => {
    const { loose: _loose, scatter: _scatter, ...row } = standing;
    const above = entry.ranked[index - 1];
    return { rank: index + 1, ...row, tie: above !== undefined && !resolved(above, standing, entry.duels) };
  });
  return {
    problem: entry.problem,
    // Of several algorithms' defaults the fastest: a bad default must flatter nobody.
    ...(defaults.length > 0 ? { defaultUs: Math.min(...defaults) } : {}),
    ...(times.length > 0 ? { medianUs: round(median(times), TIME_DIGITS) } : {}),
    measured: times.length,
    failed: known.length - times.length,
    ...(entry.machine === machine ? {} : { agedOn: entry.machineName }),
    rows: rows.filter((row) => row.rank <= ROWS_KEPT || row.isDefault),
  };
}

/** The rates alone, rounded: the readings behind them stay in the session. */
function roundAll({ readings: _, computeUnits, ...rates }: Ceilings): Ceilings {
  const rounded = Object.entries(rates).map(([name, value]) => [name, round(value, TIME_DIGITS)]);
  return { ...Object.fromEntries(rounded), ...(computeUnits ? { computeUnits } : {}) };
}

/** Dimension by dimension in the order of their names: numbers by value, else canonical text. */
function compareProblems(a: Problem, b: Problem): number {
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareText)) {
    const [left, right] = [a[name], b[name]];
    const order =
      typeof left === "number" && typeof right === "number"
        ? left - right
        : compareText(canonicalJson(left ?? ""), canonicalJson(right ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}
