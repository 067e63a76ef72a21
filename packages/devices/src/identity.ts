import {
  type Capabilities,
  type DeviceIdentity,
  type DeviceInfo,
  LIMIT_NAMES,
  type LimitName,
} from "@tunelab/contract";
import { WANTED_FEATURES } from "@tunelab/executor";

/** An adapter as Dawn reports it, before interpretation; plain data that crosses a process boundary. */
export interface AdapterReport {
  /** Name in Dawn's own list (`NVIDIA H200`, `llvmpipe (LLVM 19.1.7, 256 bits)`): what selects the adapter. */
  readonly name: string;
  readonly backend: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

/** Reads everything an adapter says about itself. `name` is its name in Dawn's list, when known. */
export function reportOf(adapter: GPUAdapter, backend: string, name: string | undefined): AdapterReport {
  const info: Record<string, unknown> = {};
  const source = adapter.info as unknown as Record<string, unknown>;
  for (const key in source) if (typeof source[key] !== "object") info[key] = source[key];
  const limits: Record<string, number> = {};
  for (const key in adapter.limits) limits[key] = adapter.limits[key as keyof GPUSupportedLimits] as number;
  return { name: name ?? "", backend, info, features: [...adapter.features], limits };
}

/** Identity and capabilities from an adapter's report. Pure. */
export function deviceInfoOf(report: AdapterReport, implementationVersion: string): DeviceInfo {
  const text = (key: string): string => String(report.info[key] ?? "");
  const identity: DeviceIdentity = {
    implementation: "dawn",
    implementationVersion,
    compiler: "tint",
    backend: report.backend,
    vendor: text("vendor"),
    architecture: text("architecture"),
    device: text("device"),
    description: report.name || text("description"),
    // Dawn gives the driver's name and version as the adapter's description.
    driver: text("description"),
    adapterType: adapterType(report),
  };
  const features = WANTED_FEATURES.filter((name) => report.features.includes(name)).sort();
  const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, report.limits[name] ?? 0]));
  const minimum = Number(report.info.subgroupMinSize ?? 0);
  const maximum = Number(report.info.subgroupMaxSize ?? 0);
  const capabilities: Capabilities = {
    features,
    limits: limits as Record<LimitName, number>,
    ...(features.includes("subgroups") && minimum > 0 ? { subgroup: { minimum, maximum } } : {}),
  };
  return { identity, capabilities };
}

/** Dawn tells software from hardware only; the rest follows from who makes what. `unknown` where a vendor makes both. */
function adapterType(report: AdapterReport): DeviceIdentity["adapterType"] {
  const { vendor, architecture, isFallbackAdapter } = report.info;
  if (isFallbackAdapter === true) return "cpu";
  if (/llvmpipe|swiftshader|basic render/i.test(report.name)) return "cpu";
  if (vendor === "nvidia") return "discrete";
  if (vendor === "apple") return "integrated";
  if (vendor === "intel") return /hpg|12hp/.test(String(architecture)) ? "discrete" : "integrated";
  return "unknown";
}
