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
 * How far a table's problem lies from the one asked for: the weighted sum of |log2 ratio|; 0 for the same problem,
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
    if (distance.kind !== "log") return undefined;
    if (typeof want !== "number" || typeof have !== "number" || !(want > 0) || !(have > 0)) return undefined;
    sum += distance.weight * Math.abs(Math.log2(want / have));
  }
  return sum;
}

/** How a table's device is related to the caller's, closest first. */
export const CLOSENESS = ["device", "architecture", "vendor", "similar", "any"] as const;
export type Closeness = (typeof CLOSENESS)[number];

/** PCI and Khronos vendor ids that some implementations report in decimal instead of a name. */
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

const vendorOf = (identity: DeviceIdentity): string => {
  const name = slug(identity.vendor);
  return name === "unnamed" ? "" : (VENDOR_IDS[name] ?? name);
};

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
    closeness: related ?? (capabilities <= SIMILAR_WITHIN ? "similar" : "any"),
    capabilities,
  };
}

function relation(asked: DeviceIdentity, known: DeviceIdentity): Closeness | undefined {
  if (namesModel(asked) && namesModel(known) && deviceSlug(asked) === deviceSlug(known)) return "device";
  const vendor = vendorOf(asked);
  if (vendor === "" || vendor !== vendorOf(known)) return undefined;
  const architecture = slug(asked.architecture);
  // An architecture that is empty or repeats the vendor says nothing more than the vendor.
  const telling = architecture !== "unnamed" && architecture !== slug(asked.vendor);
  return telling && architecture === slug(known.architecture) ? "architecture" : "vendor";
}
