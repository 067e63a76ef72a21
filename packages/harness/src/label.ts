import type { Config } from "@tunelab/contract";

/**
 * Canonical id of a variant, a label: parameters in their space's order, `fused/radix=16,workgroup=256`; the
 * algorithm's name alone when it has none.
 */
export function variantLabel(
  algorithm: string,
  config: Config,
  names: readonly string[] = Object.keys(config),
): string {
  return names.length === 0
    ? algorithm
    : `${algorithm}/${names.map((name) => `${name}=${config[name]}`).join(",")}`;
}
