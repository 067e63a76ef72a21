import { Fault, type SessionHeader } from "@tunelab/contract";
import * as v from "valibot";

/** Raised when the file's shape changes; readers refuse a newer one by name. */
export const RESULT_SCHEMA = 1;

const arm = v.object({
  name: v.string(),
  variant: v.string(),
  problem: v.record(v.string(), v.union([v.number(), v.string()])),
  /** Empty where planning was refused. */
  planHash: v.string(),
  status: v.string(),
  /** Why, for every status but ok. */
  reason: v.exactOptional(v.string()),
  items: v.number(),
  matched: v.number(),
  total: v.number(),
  /** Largest error of the first round; absent where nothing was verified. */
  error: v.exactOptional(v.number()),
  /** Microseconds of one run, the minimum of its samples, a round each; null where a round gave none. */
  timesUs: v.array(v.nullable(v.number())),
});

const run = v.object({
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
  /** Whether the noise probe said that the certification gate can be met; absent where it did not run. */
  gateReachable: v.exactOptional(v.boolean()),
  rounds: v.number(),
  arms: v.array(arm),
});

const file = v.object({ schema: v.number(), experiment: v.string(), runs: v.array(run) });

/** What one arm gave in one run. */
export type ArmResult = v.InferOutput<typeof arm>;
/** One experiment on one device and profile. */
export type ExperimentRun = v.InferOutput<typeof run>;
/** `result.json`: at most one run a device and profile, in the order of their names. */
export type ExperimentResult = v.InferOutput<typeof file>;

/** Which place in a result a run takes: a newer one of the same device, compiler, backend and profile replaces it. */
export const runKey = ({ deviceSlug, compiler, backend, profile }: ExperimentRun): string =>
  `${deviceSlug}-${compiler}-${backend}-${profile}`;

/** The result with a run added, or replaced where it has one of the same device and profile that is not newer. */
export function withRun(
  result: ExperimentResult | undefined,
  name: string,
  added: ExperimentRun,
): ExperimentResult {
  const others = (result?.runs ?? []).filter((one) => runKey(one) !== runKey(added));
  const known = result?.runs.find((one) => runKey(one) === runKey(added));
  const kept = known && known.session > added.session ? known : added;
  const runs = [...others, kept].sort((a, b) => (runKey(a) < runKey(b) ? -1 : 1));
  return { schema: RESULT_SCHEMA, experiment: name, runs };
}

/** The device's part of a run, from its session's header. */
export function runHeader(
  header: SessionHeader,
): Omit<ExperimentRun, "scale" | "rounds" | "arms" | "gateReachable"> {
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
