import {
  Fault,
  GRADES,
  LIMIT_NAMES,
  type LimitName,
  type SessionEvent,
  type SessionHeader,
  STATUSES,
  STUDY_KINDS,
  type Trial,
} from "@tunelab/contract";
import { ulid } from "ulid";
import * as v from "valibot";
import { studyPlan } from "./study-plan.ts";
import { text } from "./text.ts";

/** Version of the records themselves (header, event, trial), whatever file holds them; readers refuse a newer one. */
export const RECORD_SCHEMA = 1;

/** A fresh session id: a ULID, 26 characters that sort by start time. `time` in ms since the epoch. */
export function newSessionId(time: number = Date.now()): string {
  return ulid(time);
}

const isoTime = v.pipe(v.string(), v.isoTimestamp());
const ulidText = v.pipe(v.string(), v.ulid());
const integer = v.pipe(v.number(), v.safeInteger());
const count = v.pipe(integer, v.minValue(0));
/** Any number. JSON has no NaN and no infinities: there they travel as these words, which `encodeJson` writes. */
const real = v.union([
  v.number(),
  v.nan(),
  v.pipe(
    v.picklist(["NaN", "Infinity", "-Infinity"]),
    v.transform((word) => Number(word)),
  ),
]);

const identity = v.object({
  implementation: text,
  implementationVersion: text,
  compiler: text,
  backend: text,
  vendor: text,
  architecture: text,
  device: text,
  description: text,
  driver: text,
  adapterType: v.picklist(["discrete", "integrated", "cpu", "unknown"]),
});

const range = v.object({ minimum: real, maximum: real });

// Every limit the contract names must be there; others that a device reports are kept.
const limits = v.pipe(
  v.looseObject(v.entriesFromList(LIMIT_NAMES, real)),
  v.transform((all) => all as Record<LimitName, number>),
);

const capabilities = v.object({
  features: v.array(text),
  limits,
  subgroup: v.exactOptional(range),
});

const header = v.object({
  id: ulidText,
  startedAt: isoTime,
  protocol: count,
  contract: count,
  toolVersion: text,
  commit: text,
  dirty: v.boolean(),
  device: v.object({ identity, capabilities }),
  deviceSlug: text,
  profile: v.picklist(["portable", "native"]),
  toggles: v.array(text),
  host: v.object({ platform: text, runtime: text, cpu: text, cores: real, loadAverage: real }),
  command: v.object({
    operations: v.array(text),
    workload: text,
    strategy: text,
    budgetMs: real,
    seed: real,
    objective: v.exactOptional(text),
  }),
});

const problem = v.record(text, v.union([v.number(), text]));
const config = v.record(text, v.union([v.number(), text, v.boolean()]));

const reading = v.object({
  name: text,
  ceiling: v.picklist([
    ...(["fma", "copy", "read", "workgroup", "dispatch", "dispatch-alone"] as const),
    ...(["indirect", "subgroup", "units"] as const),
  ]),
  perSecond: v.exactOptional(real),
  samples: count,
  cv: real,
  reason: v.exactOptional(text),
});

const ceilings = v.object({
  fmaFlopsPerSecond: v.exactOptional(real),
  copyBytesPerSecond: v.exactOptional(real),
  workgroupBytesPerSecond: v.exactOptional(real),
  dispatchOverheadNs: v.exactOptional(real),
  dispatchAloneNs: v.exactOptional(real),
  indirectDispatchNs: v.exactOptional(real),
  readBytesPerSecond: v.exactOptional(real),
  subgroupOpsPerSecond: v.exactOptional(real),
  tickNs: v.exactOptional(real),
  computeUnits: v.exactOptional(v.object({ value: real, source: v.picklist(["declared", "estimated"]) })),
  readings: v.exactOptional(v.array(reading)),
});

const machine = v.object({
  cores: real,
  loadAverage: real,
  othersCores: v.exactOptional(real),
  competitors: v.array(v.object({ name: text, cores: real })),
  gpu: v.exactOptional(
    v.object({ utilisation: real, programs: v.array(text), freeBytes: v.exactOptional(real) }),
  ),
  busy: v.boolean(),
});

const timing = v.object({
  clock: v.picklist(["gpu", "wall"]),
  tickNs: real,
  repeats: v.pipe(integer, v.minValue(1)),
  samplesNs: v.array(integer),
  anchor: v.exactOptional(
    v.object({ name: text, samplesNs: v.array(integer), amount: v.exactOptional(real) }),
  ),
  rejected: v.record(text, count),
  stagesNs: v.exactOptional(v.record(text, v.array(real))),
});

const verdict = v.object({
  matched: count,
  total: count,
  sampled: count,
  maxError: real,
  nearTies: count,
  detail: v.exactOptional(text),
});

const study = v.object({
  kind: v.picklist(STUDY_KINDS),
  operation: text,
  algorithm: text,
  problem,
  variant: text,
  config,
  planHash: text,
  points: v.array(
    v.object({
      x: real,
      items: real,
      workgroups: real,
      status: v.picklist(STATUSES),
      reason: v.exactOptional(text),
      timing: v.exactOptional(timing),
      verdict: v.exactOptional(verdict),
    }),
  ),
  findings: v.record(text, real),
});

const event = v.variant("kind", [
  v.object({ kind: v.literal("ceilings"), at: isoTime, ceilings }),
  v.object({
    kind: v.literal("noise"),
    at: isoTime,
    noise: v.object({ kernel: text, samplesNs: v.array(real), cv: real, gateReachable: v.boolean() }),
    machine: v.exactOptional(machine),
  }),
  v.object({ kind: v.literal("study"), at: isoTime, study }),
  v.object({ kind: v.literal("study-table"), at: isoTime, plan: studyPlan }),
  v.object({
    kind: v.literal("trip"),
    at: isoTime,
    trip: v.object({ roundTripMs: real, msPerByte: real }),
  }),
  v.object({ kind: v.literal("untrusted"), at: isoTime, reason: text }),
  v.object({ kind: v.literal("host-restart"), at: isoTime, reason: text, variant: text }),
  v.object({
    kind: v.literal("race"),
    at: isoTime,
    operation: text,
    problem: v.record(text, v.union([v.number(), text])),
    entries: count,
    rounds: count,
    leaders: v.array(text),
    duels: v.array(
      v.object({
        champion: text,
        against: text,
        verdict: v.picklist(["changed", "same", "unresolved"]),
        ratio: real,
        low: real,
        high: real,
        quads: count,
      }),
    ),
    reason: v.exactOptional(text),
  }),
  v.object({
    kind: v.literal("resumed"),
    at: isoTime,
    commit: text,
    dirty: v.boolean(),
    toolVersion: text,
  }),
  v.object({
    kind: v.literal("taken-over"),
    at: isoTime,
    session: ulidText,
    commit: text,
    cells: v.array(v.object({ sequence: count, from: text })),
  }),
  v.object({ kind: v.literal("interrupted"), at: isoTime, reason: text }),
  v.object({ kind: v.literal("finished"), at: isoTime, trials: count, spentMs: v.record(text, real) }),
]);

const cut = v.object({
  pieces: count,
  itemsPerPiece: count,
  boundBy: v.picklist(["whole", "time", "memory", "binding"]),
});

const trial = v.object({
  id: text,
  session: ulidText,
  sequence: count,
  measuredAt: isoTime,
  operation: text,
  algorithm: text,
  problem,
  variant: text,
  config,
  planHash: text,
  epoch: count,
  status: v.picklist(STATUSES),
  reason: v.exactOptional(text),
  grade: v.picklist(GRADES),
  isDefault: v.boolean(),
  timing: v.exactOptional(timing),
  verdict: v.exactOptional(verdict),
  seeds: v.array(integer),
  cut: v.exactOptional(cut),
  probes: v.exactOptional(v.record(text, real)),
  compileMs: v.exactOptional(real),
  work: v.object({ flops: real, bytes: real, items: real }),
  requestedBytes: v.exactOptional(real),
  workgroupBytes: v.exactOptional(real),
  workgroups: v.exactOptional(real),
  metrics: v.exactOptional(v.record(text, real)),
  resources: v.exactOptional(v.object({ workgroupBytes: real, invocations: real })),
});

type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T;
/** `B` when both types have the very same fields, else never: a field added to the contract and not here fails to compile. */
type Exactly<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? B : never;

/** The record as JSON text on one line; non-finite numbers become words that the schemas read back. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "number" && !Number.isFinite(part) ? String(part) : part,
  );
}

function parse<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const path = v.getDotPath(issue);
  throw new Fault("data", `${what} is not valid: ${path ? `${path}: ` : ""}${issue.message}`);
}

/** A header from JSON data. Throws `Fault` data naming the field that is wrong; unknown fields are dropped. */
export function parseHeader(value: unknown): SessionHeader {
  const parsed: Exactly<v.InferOutput<typeof header>, SessionHeader> = parse(header, value, "session header");
  return parsed;
}

/** An event from JSON data; throws as `parseHeader` does. */
export function parseEvent(value: unknown): SessionEvent {
  const parsed: Exactly<v.InferOutput<typeof event>, SessionEvent> = parse(event, value, "session event");
  return parsed;
}

/** A trial from JSON data; throws as `parseHeader` does. */
export function parseTrial(value: unknown): Trial {
  const parsed: Exactly<v.InferOutput<typeof trial>, Trial> = parse(trial, value, "trial");
  return parsed;
}

/** The record as a file would give it back: checked, undefined fields gone. Both kinds of sink store exactly this. */
export function normalise<T>(record: T, parser: (value: unknown) => T): T {
  return parser(JSON.parse(encodeJson(record)));
}

/** Throws `Fault` data unless the trial belongs to the session and is new to it; then remembers it. */
export function admit(record: Trial, session: string, known: Set<string>): void {
  const { id } = record;
  if (record.session !== session)
    throw new Fault("data", `trial ${id} belongs to session ${record.session}, not to ${session}`);
  if (id !== `${session}.${record.sequence}`)
    throw new Fault("data", `trial ${id} should be named ${session}.${record.sequence}`);
  if (known.has(id))
    throw new Fault("data", `trial ${id} is already recorded: give each trial a new sequence`);
  known.add(id);
}

/** Trials in the one order that every file and reader uses. */
export function inOrder(trials: readonly Trial[]): Trial[] {
  return [...trials].sort((a, b) => a.sequence - b.sequence);
}

/** Throws `Fault` data when the records were written by a newer tool than this one. */
export function acceptSchema(schema: unknown, file: string): void {
  if (typeof schema !== "number" || !Number.isInteger(schema) || schema < 1)
    throw new Fault(
      "data",
      `${file} names no record schema: it is no tunelab session, or its start is damaged`,
    );
  if (schema > RECORD_SCHEMA)
    throw new Fault(
      "data",
      `${file} was written by a newer tunelab (schema ${schema}, this one reads up to ${RECORD_SCHEMA}): update first`,
    );
}
