import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DEFAULT_CAPABILITIES,
  GRADES,
  type SessionEvent,
  type SessionHeader,
  STATUSES,
  type Trial,
} from "@tunelab/contract";
import fc from "fast-check";
import { onTestFinished } from "vitest";
import { newSessionId } from "../src/journal.ts";

/** A directory of its own, gone after the test. */
export async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tunelab-store-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export function header(change: Partial<SessionHeader> = {}): SessionHeader {
  return {
    id: newSessionId(),
    startedAt: "2026-11-30T04:00:00.000Z",
    protocol: 1,
    contract: 1,
    toolVersion: "0.1.0",
    commit: "72e16e4",
    dirty: false,
    device: {
      identity: {
        implementation: "dawn",
        implementationVersion: "0.6.2",
        compiler: "tint",
        backend: "vulkan",
        vendor: "nvidia",
        architecture: "hopper",
        device: "NVIDIA H200",
        description: "it's an 'H200'",
        driver: "580.1",
        adapterType: "discrete",
      },
      capabilities: { ...DEFAULT_CAPABILITIES, subgroup: { minimum: 32, maximum: 32 } },
    },
    deviceSlug: "nvidia-h200",
    profile: "portable",
    toggles: [],
    host: { platform: "linux", runtime: "node 20", cpu: 'Some \\ "CPU"', cores: 2, loadAverage: 0.5 },
    command: { operations: ["fft"], workload: "quick", strategy: "random", budgetMs: 180000, seed: 1 },
    ...change,
  };
}

export function trial(session: string, sequence: number, change: Partial<Trial> = {}): Trial {
  return {
    id: `${session}.${sequence}`,
    session,
    sequence,
    measuredAt: "2026-11-30T04:00:01.000Z",
    operation: "matched-filter",
    algorithm: "fused",
    problem: { n: 4096, data: 64, templates: 512 },
    variant: "fused/radix=16,workgroup=256",
    config: { radix: 16, workgroup: 256, split: true },
    planHash: "0123456789abcdef",
    epoch: 1,
    status: "ok",
    grade: "certified",
    isDefault: false,
    timing: {
      clock: "gpu",
      tickNs: 1,
      repeats: 4,
      samplesNs: [9_007_199_254_740_991, 4000, 4100, 4200],
      anchor: { name: "fma", samplesNs: [10, 11, 12, 13] },
      rejected: { outlier: 2 },
      stagesNs: { forward: [1, 2], peak: [3.5, 4] },
    },
    verdict: { matched: 64, total: 64, sampled: 8, maxError: 1e-6, nearTies: 1 },
    seeds: [1, 2, 4294967295],
    cut: { pieces: 2, itemsPerPiece: 1024, boundBy: "memory" },
    probes: { "counters.survivors": 12 },
    compileMs: 12.5,
    work: { flops: 1e9, bytes: 1e6, items: 2048 },
    requestedBytes: 2e6,
    workgroupBytes: 3e6,
    resources: { workgroupBytes: 16384, invocations: 256 },
    ...change,
  };
}

// Text without half surrogates: those have no UTF-8.
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "NaN", "'", '"\n', "\u0000"),
);
const key = text.filter((word) => word !== "__proto__");
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
    anchor: fc.record({ name: text, samplesNs: ns }),
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

export const events: fc.Arbitrary<SessionEvent[]> = fc.array(
  fc.oneof(
    fc
      .record({ fmaFlopsPerSecond: real, dispatchOverheadNs: real }, optional)
      .map((ceilings): SessionEvent => ({ kind: "ceilings", at, ceilings })),
    fc
      .record({ kernel: text, samplesNs: fc.array(real), cv: real, gateReachable: fc.boolean() })
      .map((noise): SessionEvent => ({ kind: "noise", at, noise })),
    fc
      .record({ reason: text, variant: text })
      .map((why): SessionEvent => ({ kind: "host-restart", at, ...why })),
    text.map((reason): SessionEvent => ({ kind: "interrupted", at, reason })),
    fc.dictionary(key, real).map((spentMs): SessionEvent => ({ kind: "finished", at, trials: 3, spentMs })),
  ),
  { maxLength: 4 },
);
