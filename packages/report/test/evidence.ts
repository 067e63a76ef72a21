import {
  CONTRACT_VERSION,
  type Operation,
  PROTOCOL_VERSION,
  type SessionEvidence,
  type Trial,
  type TuningTable,
} from "@tunelab/contract";
import { nothingStale, type ReportInput } from "../src/index.ts";

/** ULIDs of made sessions; their first ten characters say the day. */
export const SESSIONS = ["01M8NJP7H4341XK7RTPXBHPT83", "01M8NJSYDVXVANWRNGDNHKEAQ4"] as const;

/** Screened trials of every row of a table, as the session that measured them. */
export function session(id: string, table: TuningTable, change: Partial<Trial> = {}): SessionEvidence {
  const trials = table.entries.flatMap(({ problem, rows }) =>
    rows.map(
      (row): Omit<Trial, "id" | "session" | "sequence"> => ({
        measuredAt: "2026-11-30T05:00:00Z",
        operation: table.operation,
        algorithm: row.algorithm,
        problem,
        variant: row.variant,
        config: row.config,
        planHash: row.planHash,
        epoch: table.epoch,
        status: "ok",
        grade: "screened",
        isDefault: row.isDefault,
        timing: {
          clock: "gpu",
          tickNs: 1,
          repeats: 10,
          samplesNs: [row.minUs * 1e4, row.minUs * 1.1e4],
          rejected: {},
        },
        seeds: [1],
        work: { flops: 5e6, bytes: 1e6, items: 4 },
        ...change,
      }),
    ),
  );
  const { device, deviceSlug, profile } = table;
  return {
    header: {
      id,
      startedAt: "2026-11-30T05:00:00Z",
      protocol: PROTOCOL_VERSION,
      contract: CONTRACT_VERSION,
      toolVersion: "0.1.0",
      commit: "abcdef0123456789",
      dirty: false,
      device,
      deviceSlug,
      profile,
      toggles: [],
      host: { platform: "linux", runtime: "node", cpu: "EPYC", cores: 16, loadAverage: 0.1 },
      command: { operations: [table.operation], workload: "quick", strategy: "random", budgetMs: 1, seed: 1 },
    },
    events: [
      {
        kind: "noise",
        at: "2026-11-30T05:00:00Z",
        noise: { kernel: "fma-f32", samplesNs: [1000, 1010, 1005], cv: 0.005, gateReachable: true },
      },
    ],
    trials: trials.map((trial, sequence) => ({ ...trial, session: id, sequence, id: `${id}.${sequence}` })),
  };
}

/** Reports of tables whose every row was measured in one session each. */
export function input(tables: readonly TuningTable[], more: Partial<ReportInput> = {}): ReportInput {
  const named = tables.map((table, index) => ({ ...table, sessions: [SESSIONS[index % 2]!] }));
  return {
    tables: named,
    evidence: named.map((table) => session(table.sessions[0]!, table)),
    retracted: [],
    isStale: nothingStale,
    operations: [],
    ...more,
  };
}

/** Dimensions alone: enough to choose by. */
export const operation = (more: Partial<Operation> = {}): Operation => ({
  name: "matched-filter",
  doc: "Peaks",
  dimensions: [
    {
      name: "n",
      role: "shape",
      distance: { kind: "log", weight: 1 },
      doc: "points of a spectrum: a power of two",
    },
    { name: "pairs", role: "extent", distance: { kind: "log", weight: 1 }, doc: "pairs" },
  ],
  accuracy: { bound: 1e-6, measure: "relative error" },
  refuse: () => undefined,
  ports: () => [],
  algorithms: {
    fused: async () => ({
      name: "fused",
      space: () => ({
        parameters: [
          { name: "radix", values: [1, 2, 4, 8, 16], doc: "" },
          { name: "workgroup", values: [64, 256], doc: "" },
        ],
        constraints: [],
      }),
      defaultConfig: () => ({ radix: 1, workgroup: 64 }),
      resources: () => ({
        workgroupBytes: 0,
        invocations: 64,
        scratchBytesPerItem: 0,
        storageBuffers: 1,
        features: [],
      }),
      plan: () => ({}) as never,
      cost: () => ({ flops: 1, requestedBytes: 1, compulsoryBytes: 1, workgroupBytes: 0 }),
    }),
  },
  ...more,
});
