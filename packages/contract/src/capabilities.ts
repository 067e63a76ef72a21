/** What a device can do, as data: the only thing about a device that code generation may see. */
export interface Capabilities {
  /** WebGPU feature names the device was (or can be) created with, sorted. */
  readonly features: readonly string[];
  /** WebGPU limits by their specification name, e.g. `maxComputeWorkgroupStorageSize` in bytes. */
  readonly limits: Readonly<Record<LimitName, number>>;
  /** Subgroup widths the device may choose; absent without the `subgroups` feature. */
  readonly subgroup?: { readonly minimum: number; readonly maximum: number };
}

/** The limits that plans and the executor depend on. */
export const LIMIT_NAMES = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxUniformBufferBindingSize",
  "minStorageBufferOffsetAlignment",
  "minUniformBufferOffsetAlignment",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupsPerDimension",
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** WebGPU's default limits (W3C WebGPU, section 3.6.2): what every conforming device grants. */
export const DEFAULT_LIMITS: Readonly<Record<LimitName, number>> = {
  maxBufferSize: 268_435_456,
  maxStorageBufferBindingSize: 134_217_728,
  maxUniformBufferBindingSize: 65_536,
  minStorageBufferOffsetAlignment: 256,
  minUniformBufferOffsetAlignment: 256,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupsPerDimension: 65_535,
};

/** Capabilities of a device created with no feature and no raised limit. */
export const DEFAULT_CAPABILITIES: Capabilities = { features: [], limits: DEFAULT_LIMITS };

/** What one variant needs of a device; checked against the generated WGSL by a test. */
export interface Resources {
  /** Bytes of `var<workgroup>` declared by the hungriest entry point. */
  readonly workgroupBytes: number;
  /** Invocations of the largest workgroup. */
  readonly invocations: number;
  /** Bytes of scratch buffers for one batch item. */
  readonly scratchBytesPerItem: number;
  /** Storage buffers bound by the hungriest step. */
  readonly storageBuffers: number;
  /** WebGPU features the text enables, e.g. `subgroups`. */
  readonly features: readonly string[];
  /** Subgroup widths for which the text is right; absent when any width (or none) will do. */
  readonly subgroup?: { readonly minimum: number; readonly maximum: number };
  /**
   * Builtins of the text whose accuracy WGSL leaves to the device (cos and sin: 2^-11): such a variant met the operation's
   * bound only where that was measured, so no other device borrows it.
   */
  readonly looseBuiltins?: readonly string[];
}

/** Whether a variant fits; about correctness only, never speed. */
export type Support =
  | { readonly supported: true }
  | { readonly supported: false; readonly limit: string; readonly reason: string };

/** Compares what a variant needs with what a device grants; the first limit that refuses it is named with both numbers. */
export function supports(resources: Resources, capabilities: Capabilities): Support {
  const { limits } = capabilities;
  const refuse = (limit: string, reason: string): Support => ({ supported: false, limit, reason });
  for (const feature of resources.features) {
    if (!capabilities.features.includes(feature)) return refuse(feature, `needs the feature ${feature}`);
  }
  const checks: readonly [LimitName, number, string][] = [
    ["maxComputeWorkgroupStorageSize", resources.workgroupBytes, "bytes of workgroup memory"],
    ["maxComputeInvocationsPerWorkgroup", resources.invocations, "invocations a workgroup"],
    ["maxComputeWorkgroupSizeX", resources.invocations, "invocations in x"],
    ["maxStorageBuffersPerShaderStage", resources.storageBuffers, "storage buffers"],
  ];
  for (const [limit, need, unit] of checks) {
    if (need > limits[limit])
      return refuse(limit, `needs ${need} ${unit}, the device grants ${limits[limit]}`);
  }
  const need = resources.subgroup;
  if (need) {
    const have = capabilities.subgroup;
    if (!have) return refuse("subgroups", "needs a known subgroup size");
    if (have.minimum < need.minimum || have.maximum > need.maximum) {
      return refuse(
        "subgroupSize",
        `is right for subgroups of ${need.minimum} to ${need.maximum}, the device uses ${have.minimum} to ${have.maximum}`,
      );
    }
  }
  return { supported: true };
}
