import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GRADES, type SessionEvent, STATUSES, STUDY_KINDS, type Trial } from "@tunelab/contract";
import fc from "fast-check";
import { onTestFinished } from "vitest";

/** A directory of its own, gone after the test. */
export async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tunelab-store-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

// Text without half surrogates: those have no UTF-8.
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "NaN", "'", '"\n', "\u0000"),
);
// Names of probes and stages; three words that valibot drops as unsafe are none.
const key = text.filter((word) => !["__proto__", "prototype", "constructor"].includes(word));
const zeroed = (value: number): number => (value === 0 ? 0 : value);
const real = fc.double().map(zeroed); // NaN and infinities too
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map(zeroed);
const count = fc.nat();
const ns = fc.array(fc.maxSafeNat(), { maxLength: 8 });
const optional = { requiredKeys: [] } as const;

const timing = fc.record(
  {
    clock: fc.constantFrom("gpu", "wall"),
    tickNs: real,
    repeats: fc.integer({ min: 1 }),
    samplesNs: ns,
    anchor: fc.record({ name: text, samplesNs: ns, amount: real }, { requiredKeys: ["name", "samplesNs"] }),
    rejected: fc.dictionary(key, count),
    stagesNs: fc.dictionary(key, fc.array(real, { maxLength: 4 })),
  },
  { requiredKeys: ["clock", "tickNs", "repeats", "samplesNs", "rejected"] },
);

const verdict = fc.record(
  { matched: count, total: count, sampled: count, maxError: real, nearTies: count, detail: text },
  { requiredKeys: ["matched", "total", "sampled", "maxError", "nearTies"] },
);

const required = fc.record({
  operation: text,
  algorithm: text,
  problem: fc.dictionary(key, fc.oneof(finite, text)),
  variant: text,
  config: fc.dictionary(key, fc.oneof(finite, text, fc.boolean())),
  planHash: text,
  epoch: count,
  status: fc.constantFrom(...STATUSES),
  grade: fc.constantFrom(...GRADES),
  isDefault: fc.boolean(),
  seeds: fc.array(fc.maxSafeInteger().map(zeroed), { maxLength: 3 }),
  work: fc.record({ flops: real, bytes: real, items: real }),
});

const maybe = fc.record(
  {
    reason: text,
    timing,
    verdict,
    cut: fc.record({
      pieces: count,
      itemsPerPiece: count,
      boundBy: fc.constantFrom("whole", "time", "memory", "binding"),
    }),
    probes: fc.dictionary(key, real),
    compileMs: real,
    requestedBytes: real,
    workgroupBytes: real,
    workgroups: real,
    metrics: fc.dictionary(key, real),
    resources: fc.record({ workgroupBytes: real, invocations: real }),
  },
  optional,
);

/** Trials for a session, every optional field there or not, with all that a number can be. */
export const trialsOf: fc.Arbitrary<(session: string) => Trial[]> = fc
  .array(fc.tuple(required, maybe), { maxLength: 6 })
  .map(
    (parts) => (session: string) =>
      parts.map(
        ([must, may], index) =>
          ({
            ...must,
            ...may,
            id: `${session}.${index * 3}`,
            session,
            sequence: index * 3,
            measuredAt: "2026-11-30T04:00:01.123Z",
          }) as Trial,
      ),
  );

const at = "2026-11-30T04:05:00.000Z";

const point = fc.record(
  {
    x: real,
    items: real,
    workgroups: real,
    status: fc.constantFrom(...STATUSES),
    reason: text,
    timing,
    verdict,
  },
  { requiredKeys: ["x", "items", "workgroups", "status"] },
);

const study = fc.record({
  kind: fc.constantFrom(...STUDY_KINDS),
  operation: text,
  algorithm: text,
  problem: fc.dictionary(key, fc.oneof(finite, text)),
  variant: text,
  config: fc.dictionary(key, fc.oneof(finite, text, fc.boolean())),
  planHash: text,
  points: fc.array(point, { maxLength: 3 }),
  findings: fc.dictionary(key, real),
});

const problem = fc.dictionary(key, fc.oneof(finite, text));
const cell = fc.oneof(
  fc.record({ algorithm: text, config: fc.dictionary(key, fc.oneof(finite, text, fc.boolean())) }),
  fc.constant("host" as const),
  fc.constant(null),
);
const studyPlan = fc.record(
  {
    id: text,
    operation: text,
    title: text,
    doc: text,
    dimensions: fc.array(text, { maxLength: 2 }),
    columns: fc.array(fc.record({ name: text, doc: text }), { maxLength: 3 }),
    derived: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant("faster" as const), name: text, of: fc.array(text, { maxLength: 2 }) }),
        fc.record({ kind: fc.constant("call" as const), name: text, of: fc.array(text, { maxLength: 2 }) }),
        fc.record({
          kind: fc.constant("ratio" as const),
          name: text,
          of: text,
          over: fc.array(text, { maxLength: 2 }),
        }),
      ),
      { maxLength: 2 },
    ),
    chooses: fc.record({
      of: fc.array(fc.record({ name: text, columns: fc.array(text, { maxLength: 2 }) }), { maxLength: 2 }),
      parameters: fc.array(text, { maxLength: 2 }),
      ordered: fc.boolean(),
    }),
    statistic: fc.constantFrom("median", "minimum"),
    budgetMs: finite,
    shows: text,
    rows: fc.array(
      fc.record(
        { problem, bytes: finite, cells: fc.array(cell, { maxLength: 3 }) },
        { requiredKeys: ["problem", "cells"] },
      ),
      { maxLength: 3 },
    ),
  },
  {
    requiredKeys: [
      ...(["id", "operation", "title", "doc", "dimensions", "columns", "derived"] as const),
      ...(["statistic", "budgetMs", "rows"] as const),
    ],
  },
);

const machine = fc.record(
  {
    cores: real,
    loadAverage: real,
    othersCores: real,
    competitors: fc.array(fc.record({ name: text, cores: real }), { maxLength: 3 }),
    gpu: fc.record({ utilisation: real, programs: fc.array(text, { maxLength: 3 }) }),
    busy: fc.boolean(),
  },
  { requiredKeys: ["cores", "loadAverage", "competitors", "busy"] },
);

const ceilings = fc.record(
  {
    fmaFlopsPerSecond: real,
    dispatchOverheadNs: real,
    dispatchAloneNs: real,
    tickNs: real,
    computeUnits: fc.record({ value: real, source: fc.constantFrom("declared", "estimated") }),
    readings: fc.array(
      fc.record(
        { name: text, ceiling: fc.constant("fma"), perSecond: real, samples: count, cv: real, reason: text },
        { requiredKeys: ["name", "ceiling", "samples", "cv"] },
      ),
      { maxLength: 2 },
    ),
  },
  optional,
);

export const events: fc.Arbitrary<SessionEvent[]> = fc.array(
  fc.oneof(
    ceilings.map((found) => ({ kind: "ceilings", at, ceilings: found }) as SessionEvent),
    fc
      .record({
        noise: fc.record({ kernel: text, samplesNs: fc.array(real), cv: real, gateReachable: fc.boolean() }),
        machine: fc.option(machine, { nil: undefined }),
      })
      .map(
        ({ noise, machine: load }) =>
          ({ kind: "noise", at, noise, ...(load ? { machine: load } : {}) }) as SessionEvent,
      ),
    study.map((made) => ({ kind: "study", at, study: made }) as SessionEvent),
    studyPlan.map((plan) => ({ kind: "study-table", at, plan }) as SessionEvent),
    text.map((reason): SessionEvent => ({ kind: "untrusted", at, reason })),
    fc
      .record({ roundTripMs: real, msPerByte: real })
      .map((trip): SessionEvent => ({ kind: "trip", at, trip })),
    fc
      .record({ reason: text, variant: text })
      .map((why): SessionEvent => ({ kind: "host-restart", at, ...why })),
    fc.record({ ratio: real, low: real, high: real }, {}).map((gap): SessionEvent => {
      const duel = { champion: "a", against: "b", verdict: "changed", quads: 8, ...gap } as const;
      const about = { operation: "scale", problem: { n: 4 }, entries: 2, rounds: 6, leaders: ["a"] };
      return { kind: "race", at, ...about, duels: [duel] };
    }),
    fc
      .record({ commit: text, dirty: fc.boolean(), toolVersion: text })
      .map((code): SessionEvent => ({ kind: "resumed", at, ...code })),
    fc
      .record({
        commit: text,
        cells: fc.array(fc.record({ sequence: fc.nat(), from: text }), { maxLength: 3 }),
      })
      .map(
        (more): SessionEvent => ({ kind: "taken-over", at, session: "01M8NJP7H4341XK7RTPXBHPT83", ...more }),
      ),
    text.map((reason): SessionEvent => ({ kind: "interrupted", at, reason })),
    fc.dictionary(key, real).map((spentMs): SessionEvent => ({ kind: "finished", at, trials: 3, spentMs })),
  ),
  { maxLength: 4 },
);
