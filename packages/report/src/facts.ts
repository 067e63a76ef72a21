import type { TuningTable } from "@tunelab/contract";
import { formatBytes, formatRate, formatTime } from "./format.ts";
import type { Grid } from "./grid.ts";

/** "dawn (tint) on vulkan, profile native": which way a device was driven. */
export function sectionName({
  device: { identity },
  profile,
}: Pick<TuningTable, "device" | "profile">): string {
  return `${identity.implementation} (${identity.compiler}) on ${identity.backend}, profile ${profile}`;
}

/** Who measured a table: adapter, driver, ceilings, limits, sessions and commit, as a grid of two columns. */
export function facts({ device, ceilings, sessions, commit, protocol }: TuningTable): Grid {
  const { identity, capabilities } = device;
  const { limits, subgroup } = capabilities;
  const rows: readonly (readonly [string, string])[] = [
    ["adapter", `${identity.device} (${identity.vendor}, ${identity.adapterType})`],
    ["driver", identity.driver],
    ["implementation", `${identity.implementation} ${identity.implementationVersion}`],
    ["FMA ceiling", formatRate(ceilings.fmaFlopsPerSecond, "FLOP/s")],
    ["copy ceiling", formatRate(ceilings.copyBytesPerSecond, "B/s")],
    ["workgroup memory ceiling", formatRate(ceilings.workgroupBytesPerSecond, "B/s")],
    ["least cost of a dispatch", formatTime(microseconds(ceilings.dispatchOverheadNs))],
    ["workgroup memory", formatBytes(limits.maxComputeWorkgroupStorageSize)],
    ["invocations a workgroup", String(limits.maxComputeInvocationsPerWorkgroup)],
    [
      "subgroup size",
      subgroup ? [...new Set([subgroup.minimum, subgroup.maximum])].join(" to ") : "not offered",
    ],
    ["sessions", `${sessions.length}, the newest ${sessions.at(-1) ?? "none"}`],
    ["measured at commit", commit || "outside a checkout"],
    ["protocol", String(protocol)],
  ];
  return {
    columns: [
      { title: "", align: "left" },
      { title: "", align: "left" },
    ],
    rows,
  };
}

const microseconds = (nanoseconds: number | undefined): number | undefined =>
  nanoseconds === undefined ? undefined : nanoseconds / 1000;
