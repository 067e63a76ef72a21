import { Fault, type Problem, type ProfileName, type SessionHeader } from "@tunelab/contract";
import * as v from "valibot";
import type { Scale } from "./definition.ts";

/** Raised when the file's shape changes; readers refuse a newer one by name. */
export const RESULT_SCHEMA = 2;

/** What one arm gave in one run. */
export interface ArmResult {
  readonly name: string;
  readonly variant: string;
  readonly problem: Problem;
  /** Empty where planning was refused. */
  readonly planHash: string;
  readonly status: string;
  /** Why, for every status but ok. */
  readonly reason?: string;
  readonly items: number;
  /** FLOPs of one run by the suite's formula, and the multiply-adds of what ran it, FLOP/s; only where a claim is about shares. */
  readonly flops?: number;
  readonly ceilingFlopsPerSecond?: number;
  readonly matched: number;
  readonly total: number;
  /** Largest error of the first round; absent where nothing was verified. */
  readonly error?: number;
  /** Microseconds of one run, the minimum of its samples, a round each; null where a round gave none. */
  readonly timesUs: readonly (number | null)[];
}

/** One experiment on one device and profile. */
export interface ExperimentRun {
  readonly session: string;
  readonly startedAt: string;
  readonly commit: string;
  readonly dirty: boolean;
  readonly deviceSlug: string;
  readonly device: string;
  readonly driver: string;
  readonly implementation: string;
  readonly compiler: string;
  readonly backend: string;
  /** The device computes on the CPU. */
  readonly software: boolean;
  readonly profile: ProfileName;
  readonly scale: Scale;
  /** Whether the noise probe said that the certification gate can be met; absent where it did not run. */
  readonly gateReachable?: boolean;
  /** The CPU of the machine, where one of its cores ran a peer. */
  readonly cpu?: string;
  readonly rounds: number;
  /** The suite's epoch then; absent in results older than the field. */
  readonly epoch?: number;
  readonly arms: readonly ArmResult[];
}

/** A run that no longer counts and stays visible: a newer one took its place, or somebody withdrew it. */
export interface WithdrawnRun {
  readonly reason: string;
  readonly run: ExperimentRun;
}

/** `result.json`: at most one run a device and profile, in the order of their names; and those that no longer count, oldest first. */
export interface ExperimentResult {
  readonly schema: number;
  readonly experiment: string;
  readonly runs: readonly ExperimentRun[];
  readonly withdrawn?: readonly WithdrawnRun[];
}

/** The interfaces above as checks of what a file holds; a field that only one of them has does not compile. */
const runCheck: v.GenericSchema<unknown, ExperimentRun> = v.object({
  session: v.string(),
  startedAt: v.string(),
  commit: v.string(),
  dirty: v.boolean(),
  deviceSlug: v.string(),
  device: v.string(),
  driver: v.string(),
  implementation: v.string(),
  compiler: v.string(),
  backend: v.string(),
  software: v.boolean(),
  profile: v.picklist(["portable", "native"]),
  scale: v.picklist(["software", "hardware"]),
  gateReachable: v.exactOptional(v.boolean()),
  cpu: v.exactOptional(v.string()),
  rounds: v.number(),
  epoch: v.exactOptional(v.number()),
  arms: v.array(
    v.object({
      name: v.string(),
      variant: v.string(),
      problem: v.record(v.string(), v.union([v.number(), v.string()])),
      planHash: v.string(),
      status: v.string(),
      reason: v.exactOptional(v.string()),
      items: v.number(),
      flops: v.exactOptional(v.number()),
      ceilingFlopsPerSecond: v.exactOptional(v.number()),
      matched: v.number(),
      total: v.number(),
      error: v.exactOptional(v.number()),
      timesUs: v.array(v.nullable(v.number())),
    }),
  ),
});
const file: v.GenericSchema<unknown, ExperimentResult> = v.object({
  schema: v.number(),
  experiment: v.string(),
  runs: v.array(runCheck),
  withdrawn: v.exactOptional(v.array(v.object({ reason: v.string(), run: runCheck }))),
});

/** Which place in a result a run takes: a newer one of the same device, compiler, backend and profile replaces it. */
export const runKey = ({ deviceSlug, compiler, backend, profile }: ExperimentRun): string =>
  `${deviceSlug}-${compiler}-${backend}-${profile}`;

/**
 * The result with a run added. One of the same device and profile is replaced and stays among the withdrawn, unless it is newer, or
 * has more rounds: what an interruption left of a run says less than a whole one. A withdrawn run does not come back.
 */
export function withRun(
  result: ExperimentResult | undefined,
  name: string,
  added: ExperimentRun,
): ExperimentResult {
  const gone = result?.withdrawn ?? [];
  const isAdded = ({ run }: WithdrawnRun): boolean =>
    run.session === added.session && runKey(run) === runKey(added);
  if (result && gone.some(isAdded)) return result;
  const others = (result?.runs ?? []).filter((one) => runKey(one) !== runKey(added));
  const known = result?.runs.find((one) => runKey(one) === runKey(added));
  const stays = known && (known.session > added.session || known.rounds > added.rounds);
  const replaced = known && !stays && known.session !== added.session ? known : undefined;
  const withdrawn = replaced
    ? [...gone, { reason: `superseded by session ${added.session}`, run: replaced }]
    : gone;
  return made(name, [...others, stays ? known : added], withdrawn);
}

/** The result without a session's run, which stays visible with the reason. @throws Fault `usage` when there is no such run. */
export function withoutRun(result: ExperimentResult, session: string, reason: string): ExperimentResult {
  if (!reason.trim()) throw new Fault("usage", "a retraction needs a reason");
  const run = result.runs.find((one) => one.session === session);
  if (!run)
    throw new Fault(
      "usage",
      `${result.experiment} has no run of session ${session}: it has ${result.runs.map((one) => one.session).join(", ") || "none"}`,
    );
  const runs = result.runs.filter((one) => one !== run);
  return made(result.experiment, runs, [
    ...(result.withdrawn ?? []),
    { reason: `retracted: ${reason}`, run },
  ]);
}

function made(
  experiment: string,
  runs: readonly ExperimentRun[],
  withdrawn: readonly WithdrawnRun[],
): ExperimentResult {
  const ordered = [...runs].sort((a, b) => (runKey(a) < runKey(b) ? -1 : 1));
  const left = [...withdrawn].sort((a, b) => (a.run.session < b.run.session ? -1 : 1));
  return {
    schema: RESULT_SCHEMA,
    experiment,
    runs: ordered,
    ...(left.length > 0 ? { withdrawn: left } : {}),
  };
}

/** The device's part of a run, from its session's header. */
export function runHeader(
  header: SessionHeader,
): Omit<ExperimentRun, "scale" | "rounds" | "arms" | "gateReachable" | "epoch" | "cpu"> {
  const { identity } = header.device;
  return {
    session: header.id,
    startedAt: header.startedAt,
    commit: header.commit,
    dirty: header.dirty,
    deviceSlug: header.deviceSlug,
    device: identity.description || identity.device,
    driver: identity.driver,
    implementation: `${identity.implementation} ${identity.implementationVersion}`,
    compiler: identity.compiler,
    backend: identity.backend,
    software: identity.adapterType === "cpu",
    profile: header.profile,
  };
}

/** The file's text: the same result gives the same bytes. */
export const serialiseResult = (result: ExperimentResult): string => `${JSON.stringify(result, null, 1)}\n`;

/** Reads `result.json`; throws a data Fault naming the file when it is no result or of a newer schema. */
export function parseResult(text: string, path: string): ExperimentResult {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Fault("data", `${path} is not JSON: restore it from git, or run the experiment again`);
  }
  const schema = (data as { schema?: unknown } | null)?.schema;
  if (typeof schema === "number" && schema > RESULT_SCHEMA)
    throw new Fault(
      "data",
      `${path} was written by a newer tunelab (schema ${schema}, this one reads ${RESULT_SCHEMA}): update first`,
    );
  const parsed = v.safeParse(file, data);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Fault("data", `${path} is no experiment's result: ${v.getDotPath(issue) ?? ""} ${issue.message}`);
}
