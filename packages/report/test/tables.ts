import {
  DEFAULT_CAPABILITIES,
  type DeviceIdentity,
  type TableEntry,
  type TableRow,
  type TuningTable,
} from "@tunelab/contract";

export const IDENTITY: DeviceIdentity = {
  implementation: "dawn",
  implementationVersion: "0.6.2",
  compiler: "tint",
  backend: "vulkan",
  vendor: "nvidia",
  architecture: "",
  device: "nvidia-h200",
  description: "NVIDIA H200",
  driver: "580.95.05",
  adapterType: "discrete",
};

export function row(rank: number, minUs: number, more: Partial<TableRow> = {}): TableRow {
  return {
    rank,
    variant: `fused/radix=${2 ** rank},workgroup=256`,
    algorithm: "fused",
    config: { radix: 2 ** rank, workgroup: 256 },
    planHash: `hash-${rank}`,
    status: "ok",
    grade: "certified",
    minUs,
    medianUs: minUs * 1.01,
    cv: 0.0042,
    samples: 24,
    isDefault: false,
    tie: false,
    fractionOfFma: 0.352,
    fractionOfCopy: 0.041,
    fractionOfWorkgroup: 0.61,
    matched: 512,
    total: 512,
    maxError: 3.21e-7,
    workgroupBytes: 16384,
    invocations: 256,
    trial: `01J.${rank}`,
    ...more,
  };
}

export function entry(n: number, times: readonly number[], more: Partial<TableEntry> = {}): TableEntry {
  return {
    problem: { n, pairs: 32768 },
    defaultUs: (times[0] ?? 1) * 2,
    medianUs: (times[0] ?? 1) * 3,
    measured: times.length + 1,
    failed: 1,
    rows: times.map((time, index) =>
      row(index + 1, time, { isDefault: index > 0 && index === times.length - 1 }),
    ),
    ...more,
  };
}

export function table(entries: readonly TableEntry[], more: Partial<TuningTable> = {}): TuningTable {
  return {
    schema: 1,
    operation: "matched-filter",
    epoch: 1,
    protocol: 1,
    contract: 1,
    device: { identity: IDENTITY, capabilities: DEFAULT_CAPABILITIES },
    deviceSlug: "nvidia-h200",
    profile: "portable",
    noisy: false,
    ceilings: { fmaFlopsPerSecond: 64.9e12, copyBytesPerSecond: 4.29e12, dispatchOverheadNs: 1400 },
    sessions: ["01JA", "01JB"],
    commit: "abc1234",
    entries,
    ...more,
  };
}

/** Times over eight orders of magnitude. */
export const WIDE: TuningTable = table([
  entry(4096, [380, 400, 1200]),
  entry(64, [0.09, 0.1, 0.4]),
  entry(1024, [95]),
  entry(1048576, [9_400_000, 9_900_000]),
]);
