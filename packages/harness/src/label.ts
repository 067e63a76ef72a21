import { type Config, namedParameters, type Space } from "@tunelab/contract";

/**
 * Canonical id of a variant, a label: parameters in their space's order, `fused/radix=16,workgroup=256`, without those at the
 * value that an id without them means; the algorithm's name alone when it names none. Without a space, every setting.
 */
export function variantLabel(algorithm: string, config: Config, space?: Space): string {
  const names = space ? namedParameters(space, config).map(({ name }) => name) : Object.keys(config);
  return names.length === 0
    ? algorithm
    : `${algorithm}/${names.map((name) => `${name}=${config[name]}`).join(",")}`;
}
