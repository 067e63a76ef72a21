import {
  type Algorithm,
  bufferBytes,
  type Capabilities,
  type Config,
  type DeviceIdentity,
  Fault,
  type Operation,
  type Problem,
  type ProfileName,
  problemKey,
  type Resources,
  supports,
  type TableEntry,
  type TableRow,
  type TuningTable,
} from "@tunelab/contract";
import { CLOSENESS, type Closeness, deviceDistance, problemDistance } from "./distance.ts";
import { tablePath } from "./fold.ts";
import { compareText } from "./rules.ts";
import { outsideSpace } from "./space.ts";

/** What a call insists on beside the answer. */
export interface Demand {
  /** Largest error in the operation's measure. Defaults are held to the operation's bound, rows to what was measured. */
  readonly maxError?: number;
  /** Most bytes of scratch for the whole batch. */
  readonly scratchBytes?: number;
}

export interface SelectRequest {
  readonly tables: readonly TuningTable[];
  readonly operation: Operation;
  readonly problem: Problem;
  readonly capabilities: Capabilities;
  /** Who the device says it is; without it tables are chosen by limits. */
  readonly identity?: DeviceIdentity;
  /** `portable` unless told: what any browser runs. */
  readonly profile?: ProfileName;
  readonly demand?: Demand;
}

/** Where a candidate comes from: a row of a table, or the operation's own default. */
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
      readonly row: TableRow;
    }
  | { readonly kind: "default" };

export interface Candidate {
  readonly variant: string;
  readonly algorithm: Algorithm;
  readonly config: Config;
  readonly resources: Resources;
  readonly origin: Origin;
}

/** A variant that was considered before the first candidate or between candidates, and why it may not run. */
export interface Refusal {
  readonly variant: string;
  readonly source: string;
  /** The limit, feature or demand that refused it. */
  readonly limit: string;
  readonly reason: string;
}

export interface Selection {
  readonly operation: string;
  readonly problem: Problem;
  readonly profile: ProfileName;
  /** Best first, never empty; ends with the algorithms' defaults. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly refused: readonly Refusal[];
}

interface Ranked {
  readonly entry: TableEntry;
  readonly origin: Omit<Extract<Origin, { kind: "table" }>, "row">;
}

/** Whether two names are known and differ; a page cannot tell which compiler or backend it runs on. */
const differs = (asked: string | undefined, known: string): boolean => !!asked && asked !== known;

/** Entries of every table of the operation in the order in which they are asked: device first, then problem. */
function rankEntries(request: SelectRequest, profile: ProfileName): readonly Ranked[] {
  const { operation, problem, identity } = request;
  const kin = request.tables
    .filter((table) => table.operation === operation.name)
    .map((table) => {
      const { closeness, capabilities } = deviceDistance(request, table.device);
      const known = table.device.identity;
      const foreignCode =
        Number(differs(identity?.compiler, known.compiler)) +
        Number(differs(identity?.backend, known.backend));
      const otherProfile = Number(table.profile !== profile);
      const order = [CLOSENESS.indexOf(closeness), foreignCode, otherProfile, capabilities];
      return { table, closeness, order, path: tablePath(table) };
    })
    .sort((a, b) => {
      const apart = a.order.map((value, index) => value - b.order[index]!).find((value) => value !== 0);
      return apart ?? compareText(a.path, b.path);
    });
  return kin.flatMap(({ table, closeness, order, path }) =>
    table.entries
      .flatMap((entry) => {
        const distance = problemDistance(operation.dimensions, problem, entry.problem);
        return distance === undefined ? [] : [{ entry, distance }];
      })
      .sort(
        (a, b) =>
          a.distance - b.distance || compareText(problemKey(a.entry.problem), problemKey(b.entry.problem)),
      )
      .map(({ entry, distance }): Ranked => {
        const own = closeness === "device" && order[1] === 0 && order[2] === 0;
        const origin = {
          kind: "table",
          table: path,
          closeness,
          own,
          problem: entry.problem,
          distance,
        } as const;
        return { entry, origin };
      }),
  );
}

/** Bytes of scratch, counters and probes of the plan for its whole batch. */
function scratchBytes(algorithm: Algorithm, config: Config, request: SelectRequest): number {
  const plan = algorithm.plan(request.problem, config, request.capabilities);
  return plan.buffers
    .filter(({ role }) => role === "scratch" || role === "counter" || role === "probe")
    .reduce((sum, buffer) => sum + bufferBytes(buffer, plan.batch.items), 0);
}

/** Refuses what leans on another device's cosines: on SwiftShader a variant within 1e-6 on an H200 erred by 1e-3. */
function unmeasuredAccuracy(
  origin: Origin,
  algorithm: Algorithm,
  config: Config,
): Pick<Refusal, "limit" | "reason"> | undefined {
  if (origin.kind !== "table" || origin.closeness === "device") return undefined;
  if (outsideSpace(algorithm.space(origin.problem), config)) return undefined;
  const { looseBuiltins = [] } = algorithm.resources(origin.problem, config);
  if (looseBuiltins.length === 0) return undefined;
  const reason = `computes with the device's own ${looseBuiltins.join(" and ")}, whose accuracy was measured on another device`;
  return { limit: "accuracy", reason };
}

/** The resources of a variant that may run here, or the first thing that refuses it. */
function admit(
  request: SelectRequest,
  algorithm: Algorithm,
  config: Config,
  maxError: number,
): Resources | Pick<Refusal, "limit" | "reason"> {
  const { problem, capabilities, demand = {} } = request;
  const outside = outsideSpace(algorithm.space(problem), config);
  if (outside) return { limit: "space", reason: outside };
  const resources = algorithm.resources(problem, config);
  const support = supports(resources, capabilities);
  if (!support.supported) return support;
  if (demand.maxError !== undefined && !(maxError <= demand.maxError)) {
    return { limit: "maxError", reason: `errs by up to ${maxError}, the call demands ${demand.maxError}` };
  }
  if (demand.scratchBytes !== undefined) {
    const need = scratchBytes(algorithm, config, request);
    if (need > demand.scratchBytes) {
      return {
        limit: "scratchBytes",
        reason: `needs ${need} bytes of scratch, the call grants ${demand.scratchBytes}`,
      };
    }
  }
  return resources;
}

/** Candidates beyond this many from tables are never tried: each failed one costs a compilation. */
const TABLE_CANDIDATES = 8;

/** `algorithm/name=value,...` in the space's order: the label of a default that no table names. */
function label(algorithm: Algorithm, problem: Problem, config: Config): string {
  const values = algorithm.space(problem).parameters.map(({ name }) => `${name}=${config[name]}`);
  return `${algorithm.name}/${values.join(",")}`;
}

/**
 * Variants for one call, best first. Device: exact, same architecture, same vendor, similar limits, any; within a table the
 * exact problem, then the nearest; then the rows' rank. Only what fits the device and the demand stays. The defaults
 * of the operation's algorithms, in their order, come last, so that an operation runs without any table.
 *
 * Throws `Fault` usage for a problem that the operation refuses, unsupported (naming the limit) when nothing fits.
 */
export async function select(request: SelectRequest): Promise<Selection> {
  const { operation, problem, capabilities } = request;
  const profile = request.profile ?? "portable";
  const wrong = operation.refuse(problem);
  if (wrong) throw new Fault("usage", wrong, { problem });

  const candidates: Candidate[] = [];
  const refused: Refusal[] = [];
  const seen = new Set<string>();
  const consider = (variant: string, algorithm: Algorithm, config: Config, origin: Origin): void => {
    const text = label(algorithm, problem, config);
    if (seen.has(text)) return;
    seen.add(text);
    const maxError = origin.kind === "table" ? origin.row.maxError : operation.accuracy.bound;
    const admitted =
      unmeasuredAccuracy(origin, algorithm, config) ?? admit(request, algorithm, config, maxError);
    if ("reason" in admitted) {
      const source = origin.kind === "table" ? origin.table : "default";
      refused.push({ variant, source, limit: admitted.limit, reason: admitted.reason });
    } else candidates.push({ variant, algorithm, config, resources: admitted, origin });
  };

  const loaded = new Map<string, Algorithm>();
  const load = async (name: string): Promise<Algorithm | undefined> => {
    const known = loaded.get(name) ?? (await operation.algorithms[name]?.());
    if (known) loaded.set(name, known);
    return known;
  };
  for (const { entry, origin } of rankEntries(request, profile)) {
    for (const row of entry.rows) {
      if (candidates.length >= TABLE_CANDIDATES) break;
      const algorithm = await load(row.algorithm);
      if (algorithm) consider(row.variant, algorithm, row.config, { ...origin, row });
      else {
        const reason = `the algorithm ${row.algorithm} is not in this version of ${operation.name}`;
        refused.push({ variant: row.variant, source: origin.table, limit: "algorithm", reason });
      }
    }
  }
  for (const name of Object.keys(operation.algorithms)) {
    const algorithm = (await load(name))!;
    const config = algorithm.defaultConfig(problem, capabilities);
    consider(label(algorithm, problem, config), algorithm, config, { kind: "default" });
  }
  const [first, ...others] = candidates;
  if (!first) throw nothingFits(request, refused);
  return { operation: operation.name, problem, profile, candidates: [first, ...others], refused };
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
