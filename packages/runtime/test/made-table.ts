import {
  CONTRACT_VERSION,
  type DeviceInfo,
  PROTOCOL_VERSION,
  TABLE_SCHEMA,
  type TableRow,
  type TuningTable,
} from "@tunelab/contract";
import { fused } from "@tunelab/kernel-matched-filter";

/** The variant that the made table ranks first: two pairs a workgroup, which no default has. */
export const TABLED = "fused/tabled";

/** A table of the device with two rows for n: one of a parameter that does not exist, then one that runs. */
export async function tableOf(device: DeviceInfo, n: number, name = "shelf", us = 10): Promise<TuningTable> {
  const problem = { n, data: 3, templates: 3, pairs: 9 };
  const config = { ...fused.defaultConfig(problem, device.capabilities), tile: 2 };
  const row = (rank: number, variant: string, changes: object): TableRow => ({
    rank,
    variant,
    algorithm: "fused",
    config: { ...config, ...changes },
    planHash: "0123456789abcdef",
    status: "ok",
    grade: "certified",
    ...{ minUs: us * rank, medianUs: 1.1 * us * rank, cv: 0.01, samples: 12 },
    ...{ isDefault: false, tie: false, matched: 9, total: 9, maxError: 1e-7 },
    ...{ workgroupBytes: 1024, invocations: 64, trial: "made.1" },
  });
  return {
    ...{ schema: TABLE_SCHEMA, operation: "matched-filter", epoch: 1, protocol: PROTOCOL_VERSION },
    contract: CONTRACT_VERSION,
    device,
    deviceSlug: name,
    profile: "portable",
    noisy: false,
    ceilings: {},
    sessions: ["made"],
    commit: "made",
    entries: [
      {
        problem,
        measured: 2,
        failed: 0,
        rows: [row(1, "fused/gone", { radix: 3 }), row(2, TABLED, {})],
      },
    ],
  };
}
