import {
  type Capabilities,
  type DeviceIdentity,
  type DeviceInfo,
  type Dimension,
  deviceSlug,
  type Problem,
  slug,
} from "@tunelab/contract";

/**
 * How far a table's problem lies from the one asked for: the weighted sum of |log2 ratio| and of differing names; 0 for the same problem,
 * undefined when an exact or class dimension differs, or a length has no ratio.
 */
export function problemDistance(
  dimensions: readonly Dimension[],
  asked: Problem,
  known: Problem,
): number | undefined {
  let sum = 0;
  for (const { name, distance, default: assumed } of dimensions) {
    const [want, have] = [asked[name] ?? assumed, known[name] ?? assumed];
    if (want === have) continue;
    if (distance.kind === "nominal") {
      sum += distance.weight;
      continue;
    }
    if (distance.kind !== "log") return undefined;
    if (typeof want !== "number" || typeof have !== "number" || !(want > 0) || !(have > 0)) return undefined;
    sum += distance.weight * Math.abs(Math.log2(want / have));
  }
  return sum;
}

/** How a table's device is related to the caller's, closest first. */
export const CLOSENESS = ["device", "architecture", "vendor", "similar", "any"] as const;
export type Closeness = (typeof CLOSENESS)[number];

/** PCI and Khronos vendor ids that some implementations report, in decimal or hexadecimal, instead of a name. */
const VENDOR_IDS: Readonly<Record<string, string>> = {
  4098: "amd",
  4112: "img-tec",
  4203: "apple",
  4318: "nvidia",
  5045: "arm",
  5140: "microsoft",
  6880: "google",
  20803: "qualcomm",
  32902: "intel",
  65541: "mesa",
};

/** The vendor's name, lowercase, by name or id; empty where nothing tells. */
export const vendorOf = ({ vendor }: DeviceIdentity): string => {
  const id = /^(0x[0-9a-f]+|\d+)$/i.test(vendor.trim()) ? Number(vendor) : undefined;
  if (id !== undefined) return VENDOR_IDS[id] ?? "";
  const name = slug(vendor);
  return name === "unnamed" ? "" : name;
};

/** Names in the architecture's place that are feature levels: Dawn says `metal-3` of every Mac from M1 on. */
const FEATURE_LEVEL = /^(metal|common)-\d+$/;

/** The architecture, or empty: an empty one, one that repeats the vendor, and a feature level say nothing. */
function architectureOf(identity: DeviceIdentity): string {
  const name = slug(identity.architecture);
  return name === "unnamed" || name === vendorOf(identity) || FEATURE_LEVEL.test(name) ? "" : name;
}

/**
 * Whether the identity names a model. Browsers mask it: Chromium leaves device and description empty, Safari says
 * `apple` everywhere. A masked identity's slug says no more than its vendor and architecture do; for a software
 * rasteriser that is all there is to say.
 */
function namesModel(identity: DeviceIdentity): boolean {
  if (identity.adapterType === "cpu") return true;
  const name = deviceSlug(identity);
  const vendor = slug(identity.vendor);
  return ![vendor, slug(identity.architecture), slug(`${identity.vendor} ${identity.architecture}`)].includes(
    name,
  );
}

/** Log2 ratio beyond which two devices' limits no longer make them similar: four times, summed over all that count. */
const SIMILAR_WITHIN = 2;

/** Software GPUs resemble hardware in limits only. */
const SOFTWARE_APART = 8;

/** A subgroup size that one side does not tell counts as one doubling. */
const UNKNOWN_SUBGROUP = 1;

/** How unlike two devices' limits are, in doublings: subgroup size twice over, invocations and workgroup memory. */
export function capabilityDistance(a: Capabilities, b: Capabilities): number {
  const ratio = (x: number, y: number): number => Math.abs(Math.log2(x / y));
  const subgroup =
    a.subgroup && b.subgroup
      ? ratio(a.subgroup.maximum, b.subgroup.maximum)
      : a.subgroup || b.subgroup
        ? UNKNOWN_SUBGROUP
        : 0;
  const limits = ["maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupStorageSize"] as const;
  return 2 * subgroup + limits.reduce((sum, name) => sum + ratio(a.limits[name], b.limits[name]), 0);
}

export interface DeviceDistance {
  readonly closeness: Closeness;
  /** Both tell an architecture, or only the table's does: certainly or probably another than the caller's. */
  readonly otherArchitecture: 0 | 1 | 2;
  /** Orders tables of one closeness. */
  readonly capabilities: number;
}

/** How a table's device relates to the caller's; without an identity only limits count. */
export function deviceDistance(
  asked: { readonly capabilities: Capabilities; readonly identity?: DeviceIdentity | undefined },
  known: DeviceInfo,
): DeviceDistance {
  const { identity } = asked;
  const kin = known.identity;
  const software = identity !== undefined && (identity.adapterType === "cpu") !== (kin.adapterType === "cpu");
  const capabilities =
    capabilityDistance(asked.capabilities, known.capabilities) + (software ? SOFTWARE_APART : 0);
  const related = identity ? relation(identity, kin) : undefined;
  return {
    otherArchitecture: identity && related === "vendor" ? otherArchitecture(identity, kin) : 0,
    closeness: related ?? (capabilities <= SIMILAR_WITHIN ? "similar" : "any"),
    capabilities,
  };
}

function relation(asked: DeviceIdentity, known: DeviceIdentity): Closeness | undefined {
  if (namesModel(asked) && namesModel(known) && deviceSlug(asked) === deviceSlug(known)) return "device";
  const vendor = vendorOf(asked);
  if (vendor === "" || vendor !== vendorOf(known)) return undefined;
  const architecture = architectureOf(asked);
  return architecture !== "" && architecture === architectureOf(known) ? "architecture" : "vendor";
}

/**
 * A device whose architecture has no name (an H200 says nothing, an RTX 3090 `ampere`) is more likely of a kind with a table that
 * has none either.
 */
function otherArchitecture(asked: DeviceIdentity, known: DeviceIdentity): 0 | 1 | 2 {
  const [mine, theirs] = [architectureOf(asked), architectureOf(known)];
  if (mine === theirs) return 0;
  return mine !== "" && theirs !== "" ? 2 : 1;
}
