import {
  type Algorithm,
  asFault,
  type Capabilities,
  type Config,
  type DeviceIdentity,
  Fault,
  type Operation,
  type Problem,
  type ProfileName,
  problemKey,
  type Resources,
  wholeConfig,
} from "@tunelab/contract";
import { formatId } from "@tunelab/variants";
import { admit, type Demand, type Objection, unmeasuredAccuracy } from "./admit.ts";
import type { Closeness } from "./distance.ts";
import type { KnownFault } from "./known-faults/ledger.ts";
import { type RankedTable, rankEntries, rankTables, type TableSource } from "./rank-tables.ts";
import type { Ruled, Ruling } from "./rule/ruling.ts";
import type { ShippedRow } from "./shipped.ts";

export interface SelectRequest {
  /** Tables that ship with the library. */
  readonly tables: readonly TableSource[];
  /** Says what the rules of the operation's studies choose, where it has any. */
  readonly rules?: Ruling;
  /** The caller's own tables: they go before shipped ones of the same device. */
  readonly callerTables?: readonly TableSource[];
  readonly operation: Operation;
  readonly problem: Problem;
  readonly capabilities: Capabilities;
  /** Who the device says it is; without it tables are chosen by limits. */
  readonly identity?: DeviceIdentity;
  /** `portable` unless told: what any browser runs. */
  readonly profile?: ProfileName;
  readonly demand?: Demand;
  /** Faults that the device may have: variants that run into one are refused. */
  readonly faults?: readonly KnownFault[];
  /** The winner of a race on this very device: goes before every table. */
  readonly calibrated?: Calibrated;
}

/** What a race on the device in hand found fastest. */
export interface Calibrated {
  readonly variant: string;
  readonly problem: Problem;
  /** Least time of the whole batch, and how many variants raced. */
  readonly us: number;
  readonly raced: number;
}

/** Where a candidate comes from: a row of a table, the caller's own word, or the operation's default. */
export type Origin =
  | {
      readonly kind: "table";
      /** Path of the table below `tables/`. */
      readonly table: string;
      readonly closeness: Closeness;
      /** Measured for this very device, compiler, backend and profile; otherwise borrowed. */
      readonly own: boolean;
      readonly problem: Problem;
      /** Weighted sum of |log2 ratio| between the problems; 0 when exact. */
      readonly distance: number;
      readonly row: ShippedRow;
    }
  /** Chosen by rules that studies gave: this very device's, else the closest one's. `table`: the first study's path below `tables/`. */
  | { readonly kind: "rule"; readonly own: boolean; readonly table: string; readonly why: string }
  | { readonly kind: "pinned" }
  | { readonly kind: "calibrated"; readonly calibrated: Calibrated; readonly exact: boolean }
  | { readonly kind: "default" };

export interface Candidate {
  readonly variant: string;
  readonly algorithm: Algorithm;
  readonly config: Config;
  readonly resources: Resources;
  readonly origin: Origin;
}

/** A variant that was considered before the first candidate or between candidates, and why it may not run. */
export interface Refusal extends Objection {
  readonly variant: string;
  readonly source: string;
}

export interface Selection {
  readonly operation: string;
  readonly problem: Problem;
  readonly profile: ProfileName;
  /** Best first, never empty; ends with the algorithms' defaults unless a variant was pinned. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly refused: readonly Refusal[];
  /** Tables that could not be read, passed over. */
  readonly unreadable: readonly { readonly table: string; readonly fault: Fault }[];
}

/** Candidates beyond this many from tables are never tried: each failed one costs a compilation. */
const TABLE_CANDIDATES = 8;

/** With this many from tables no further table is opened: each costs a download, and defaults follow anyway. */
const ENOUGH_CANDIDATES = 2;

/**
 * Variants for one call, best first. Device: exact, same architecture, same vendor, similar limits, any; within a table the
 * exact problem, then the nearest; then the rows' rank. The rules of the device's studies go before entries whose problem lies farther
 * than the nearest that the rules were measured on, and before other devices' tables; others' rules before the defaults. Only what fits the device and the demand stays. The defaults
 * of the operation's algorithms, in their order, come last, so that an operation runs without any table.
 *
 * Throws `Fault` usage for a problem that the operation refuses or an id that names no variant, unsupported (naming the limit)
 * when nothing fits or the pinned variant does not.
 */
export async function select(request: SelectRequest): Promise<Selection> {
  const { operation, problem } = request;
  const wrong = operation.refuse(problem);
  if (wrong) throw new Fault("usage", wrong, { problem });
  const search = new Search(request);
  if (request.demand?.variant !== undefined) await search.pin(request.demand.variant);
  else {
    if (request.calibrated) await search.calibrated(request.calibrated);
    await search.tables();
    await search.defaults();
  }
  return search.selection();
}

class Search {
  readonly #request: SelectRequest;
  readonly #profile: ProfileName;
  readonly #demand: Demand;
  readonly #candidates: Candidate[] = [];
  readonly #refused: Refusal[] = [];
  readonly #unreadable: Selection["unreadable"][number][] = [];
  readonly #seen = new Set<string>();
  readonly #algorithms = new Map<string, Algorithm>();

  constructor(request: SelectRequest) {
    this.#request = request;
    this.#profile = request.profile ?? "portable";
    this.#demand = request.demand ?? {};
  }

  async tables(): Promise<void> {
    const { operation, capabilities, identity, callerTables = [], tables } = this.#request;
    const asker = { capabilities, identity, profile: this.#profile };
    const ruled = await this.#request.rules?.(this.#request, asker, (name) => this.#load(name));
    for (const table of rankTables(operation.name, asker, callerTables, tables)) {
      if (this.#candidates.length >= ENOUGH_CANDIDATES) break;
      await this.#table(table, ruled);
    }
    await this.#rules(ruled);
  }

  async #rules(ruled: Ruled | undefined): Promise<void> {
    for (const each of (await ruled?.take()) ?? []) this.#consider(...each);
  }

  async #table({ source, path, closeness, own }: RankedTable, ruled: Ruled | undefined): Promise<void> {
    const { operation, problem } = this.#request;
    const table = await this.#open(source, path);
    for (const { entry, distance } of rankEntries(operation, problem, table?.entries ?? [])) {
      if (ruled && (own ? distance : Infinity) > ruled.distance) await this.#rules(ruled);
      for (const row of entry.rows) {
        if (this.#candidates.length >= TABLE_CANDIDATES) return;
        const origin = { kind: "table", table: path, closeness, own, problem: entry.problem } as const;
        const algorithm = await this.#load(row.algorithm);
        if (algorithm) {
          const config = wholeConfig(algorithm.space(problem), row.config);
          this.#consider(row.variant, algorithm, config, { ...origin, distance, row });
        } else {
          const reason = `the algorithm ${row.algorithm} is not in this version of ${operation.name}`;
          this.#refused.push({ variant: row.variant, source: path, limit: "algorithm", reason });
        }
      }
    }
  }

  async #open(source: TableSource, path: string) {
    if (!("load" in source)) return source;
    try {
      return await source.load();
    } catch (error) {
      this.#unreadable.push({ table: path, fault: asFault(error, "data") });
      return undefined;
    }
  }

  async defaults(): Promise<void> {
    const { operation, problem, capabilities } = this.#request;
    for (const name of Object.keys(operation.algorithms)) {
      if (operation.answers?.(name, problem) === false) continue;
      const algorithm = (await this.#load(name))!;
      const config = algorithm.defaultConfig(problem, capabilities);
      const variant = formatId(name, algorithm.space(problem), config);
      this.#consider(variant, algorithm, config, { kind: "default" });
    }
  }

  /** The winner of a race, unless the code no longer has it. */
  async calibrated(calibrated: Calibrated): Promise<void> {
    const exact = problemKey(calibrated.problem) === problemKey(this.#request.problem);
    try {
      await this.#named(calibrated.variant, { kind: "calibrated", calibrated, exact });
    } catch (error) {
      const { message: reason } = asFault(error, "usage");
      this.#refused.push({ variant: calibrated.variant, source: "calibrated", limit: "space", reason });
    }
  }

  async pin(id: string): Promise<void> {
    const variant = await this.#named(id, { kind: "pinned" });
    if (this.#refused.length > 0) throw (await import("./named.ts")).cannotRun(variant, this.#refused);
  }

  /** Considers a variant by its id. Ids are read by code of its own: most calls name none. */
  async #named(id: string, origin: Origin): Promise<string> {
    const { configNamed } = await import("./named.ts");
    const { variant, algorithm, config } = await configNamed(this.#request, id, (name) => this.#load(name));
    this.#consider(variant, algorithm, config, origin);
    return variant;
  }

  selection(): Selection {
    const [first, ...others] = this.#candidates;
    if (!first) throw nothingFits(this.#request, this.#refused);
    return {
      ...{ operation: this.#request.operation.name, problem: this.#request.problem },
      ...{ profile: this.#profile, refused: this.#refused, unreadable: this.#unreadable },
      candidates: [first, ...others],
    };
  }

  #consider(variant: string, algorithm: Algorithm, config: Config, origin: Origin): void {
    const { operation, problem, capabilities } = this.#request;
    const key = `${algorithm.name} ${JSON.stringify(Object.entries(config).sort())}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const measured = origin.kind === "table";
    const maxError = measured ? origin.row.maxError : operation.accuracy.bound;
    const place = { problem, capabilities, demand: this.#demand };
    const admitted =
      (measured ? unmeasuredAccuracy(origin, algorithm, config) : undefined) ??
      admit(place, algorithm, config, maxError, this.#request.faults);
    if ("reason" in admitted) {
      const { limit, reason } = admitted;
      this.#refused.push({ variant, source: measured ? origin.table : origin.kind, limit, reason });
    } else this.#candidates.push({ variant, algorithm, config, resources: admitted, origin });
  }

  async #load(name: string): Promise<Algorithm | undefined> {
    const { algorithms } = this.#request.operation;
    const load = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
    const known = this.#algorithms.get(name) ?? (await load?.());
    if (known) this.#algorithms.set(name, known);
    return known;
  }
}

/** The default is what should run anywhere, so its refusal is the one to tell. */
function nothingFits({ operation, problem }: SelectRequest, refused: readonly Refusal[]): Fault {
  const told = refused.find(({ source }) => source === "default") ?? refused[0];
  const why = told ? `${told.variant} ${told.reason} (${told.limit})` : "the operation has no algorithm";
  return new Fault(
    "unsupported",
    `no variant of ${operation.name} fits this device for ${problemKey(problem)}: ${why}`,
    { refused },
  );
}
