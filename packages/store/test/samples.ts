import { DEFAULT_CAPABILITIES, type SessionHeader, type Trial } from "@tunelab/contract";
import { newSessionId } from "../src/journal.ts";

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
