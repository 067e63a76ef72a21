import type { Capabilities } from "./capabilities.ts";

/** Who a device is. Identity is data, not a string match: folders are named by its slug, lookups compare the fields. */
export interface DeviceIdentity {
  readonly implementation: string; // dawn, wgpu, ...
  readonly implementationVersion: string;
  readonly compiler: string; // tint, naga, webkit
  readonly backend: string; // vulkan, metal, d3d12, ...
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly driver: string;
  readonly adapterType: "discrete" | "integrated" | "cpu" | "unknown";
}

/**
 * The set of code-generating toggles, part of a table's identity because it changes which variant wins.
 * `portable`: default toggles, what any browser runs. `native`: robustness and workgroup zero-init off, for trusted
 * shaders in Node.
 */
export const PROFILES: Readonly<Record<ProfileName, { readonly toggles: readonly string[] }>> = {
  portable: { toggles: [] },
  native: { toggles: ["disable_robustness", "disable_workgroup_init"] },
};

export type ProfileName = "portable" | "native";

export interface DeviceInfo {
  readonly identity: DeviceIdentity;
  readonly capabilities: Capabilities;
}

/** The text as a file name: lowercase words joined by dashes, never empty, never a path. */
export function slug(text: string): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "") // the accents that NFKD split off
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join("-");
  return words.slice(0, 60).replace(/-$/, "") || "unnamed";
}

/** Whether the text is a name, and neither empty nor a PCI id (`4318`, `0x10de`). */
const isName = (text: string): boolean => /[a-z]/i.test(text) && !/^0x[0-9a-f]+$/i.test(text);

/**
 * Folder name of a device: `nvidia-h200`, `swiftshader`, `llvmpipe-256`. The most telling of device, description and
 * vendor; software rasterisers are named by themselves, not by the host that runs them.
 */
export function deviceSlug(identity: DeviceIdentity): string {
  const text = `${identity.device} ${identity.description} ${identity.architecture}`.toLowerCase();
  if (text.includes("swiftshader")) return "swiftshader";
  const llvmpipe = /llvmpipe.*?(\d+)[ -]bits/.exec(text);
  if (llvmpipe) return `llvmpipe-${llvmpipe[1]}`;
  // Deno reports decimal ids, unmasked Chromium hexadecimal ones: then the description is the name a person knows.
  const named = isName(identity.device) ? identity.device : identity.description || identity.device;
  const vendor = isName(identity.vendor) ? identity.vendor : "";
  const name = slug(named || identity.architecture);
  if (name === "unnamed") return slug(vendor);
  return vendor && !name.startsWith(slug(vendor)) ? slug(`${vendor} ${name}`) : name;
}

/** `tables/<device>/<compiler>-<backend>.<profile>`: where a device's tables live. */
export function tableFolder(identity: DeviceIdentity, profile: string): string {
  return `${deviceSlug(identity)}/${slug(identity.compiler)}-${slug(identity.backend)}.${slug(profile)}`;
}
