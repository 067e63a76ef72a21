import type { Capabilities, LimitName, Resources } from "@tunelab/contract";

/**
 * A fault of a device, driver or compiler that gives wrong answers without an error, as others reported it. `reproducers.ts` holds a
 * kernel for each that tells a device with the fault from one without.
 */
export interface KnownFault {
  readonly id: string;
  readonly cause: string;
  /** Where it was reported. */
  readonly source: string;
  /** What is done about it. */
  readonly workaround: string;
  /** Devices that may have it, by the vendor's name (`vendorOf`): nothing finer is told to a page. */
  readonly vendor: string;
  /** The shader compiler behind which alone it shows. */
  readonly compiler?: string;
  /** Capabilities that hold in spite of it. */
  amend?(capabilities: Capabilities): Capabilities;
  /** Whether a variant runs into it; `text` is its WGSL without comments. */
  hits?(resources: Resources, text: string): boolean;
}

/** Bytes of a binding that every driver addresses: the last word ends below 2^31. */
const SIGNED_BYTES = 2 ** 31 - 4;

/** Invocations of an Apple SIMD-group, and of the smallest Intel one. */
const APPLE_LANES = 32;
const INTEL_LANES = 8;

/** `if (t >= 25u) { return; }`: threads of one workgroup part. Returning by the item or the group parts no workgroup. */
const RETURNS_BY_THREAD = /\bif\s*\(\s*(?:t|lane|thread|local_\w+)\s*[<>=!][^{]*\{\s*return;/;
/** A divisor that begins with a small letter: literals begin with a digit, constants with a capital. */
const REMAINDER_BY_VARIABLE = /%\s*\(?\s*[a-z_]/;
/** A clamp without an integer literal among its bounds. */
const CLAMPS_FLOATS = /\bclamp\s*\((?![^;]*\b\d+[ui]\b)/;

const atMost = (capabilities: Capabilities, limit: LimitName, most: number): Capabilities =>
  capabilities.limits[limit] <= most
    ? capabilities
    : { ...capabilities, limits: { ...capabilities.limits, [limit]: most } };

export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    id: "nvidia-binding-over-2-gib",
    cause:
      "bindings of 2 GiB and more are granted, but what lies beyond 2^31 - 1 bytes reads as zero or not at all",
    source: "https://github.com/gfx-rs/wgpu/issues/2361",
    workaround: "no binding is longer than 2^31 - 4 bytes: batches are cut there",
    vendor: "nvidia",
    amend: (capabilities) => atMost(capabilities, "maxStorageBufferBindingSize", SIGNED_BYTES),
  },
  {
    id: "intel-narrow-subgroups",
    cause: "the device reports subgroups of at least 16 and runs the first launches of a kernel with 8",
    source: "https://github.com/gpuweb/cts/pull/4035",
    workaround:
      "subgroups may be as narrow as 8, whatever is reported: variants that need wider ones are refused",
    vendor: "intel",
    amend: (capabilities) => {
      const { subgroup } = capabilities;
      if (!subgroup || subgroup.minimum <= INTEL_LANES) return capabilities;
      return { ...capabilities, subgroup: { ...subgroup, minimum: INTEL_LANES } };
    },
  },
  {
    id: "apple-barrier-in-part-of-a-simdgroup",
    cause:
      "a workgroup barrier is dropped where a workgroup is smaller than a SIMD-group of 32 and some threads return early",
    source: "https://github.com/KhronosGroup/MoltenVK/issues/2711",
    workaround: "workgroups of fewer than 32 invocations are refused where a thread returns by its own index",
    vendor: "apple",
    hits: ({ invocations, workgroupBytes }, text) =>
      workgroupBytes > 0 && invocations < APPLE_LANES && RETURNS_BY_THREAD.test(text),
  },
  {
    id: "apple-naga-uniform-load",
    cause:
      "behind naga, Metal's compiler moves loads of workgroup memory over the barrier, so a uniform load is none",
    source: "https://github.com/gfx-rs/wgpu/issues/4500",
    workaround: "texts with workgroupUniformLoad are refused behind naga",
    vendor: "apple",
    compiler: "naga",
    hits: (_, text) => /\bworkgroupUniformLoad\b/.test(text),
  },
  {
    id: "apple-u32-remainder",
    cause:
      "the remainder of a u32 above 2^31 by a divisor known at run time only is wrong: 4294967294 % 3 gives 4294967295",
    source: "https://github.com/HigherOrderCO/Bend/issues/824",
    workaround: "texts that take a remainder by anything but a literal or a constant in capitals are refused",
    vendor: "apple",
    hits: (_, text) => REMAINDER_BY_VARIABLE.test(text),
  },
  {
    id: "qualcomm-clamp-of-nan",
    cause: "clamp of a vector whose x is NaN changes its y",
    source: "https://github.com/gpuweb/gpuweb/issues/5192",
    workaround: "texts that clamp floats are refused",
    vendor: "qualcomm",
    hits: (_, text) => CLAMPS_FLOATS.test(text),
  },
];

/** Faults that a device of a vendor may have behind a shader compiler; an empty name is an unknown one. */
export function knownFaultsOf(vendor: string, compiler: string): readonly KnownFault[] {
  return KNOWN_FAULTS.filter(
    (fault) => fault.vendor === vendor && (fault.compiler === undefined || fault.compiler === compiler),
  );
}

/** What can be relied on of a device that has faults. */
export function amended(capabilities: Capabilities, faults: readonly KnownFault[]): Capabilities {
  return faults.reduce((held, { amend }) => amend?.(held) ?? held, capabilities);
}
