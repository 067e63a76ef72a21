import { EXTENTS_WORDS } from "../../src/index.ts";

/** The declaration of the extents uniform: built-in words, then the plan's own. */
export function extentsText(own: Readonly<Record<string, number>>): string {
  const fields = [...EXTENTS_WORDS, ...Object.keys(own)].map((name) => `${name}: u32`);
  return `struct Extents { ${fields.join(", ")} }
@group(0) @binding(0) var<uniform> extents: Extents;`;
}

/** Linear workgroup index over the folded grid. */
export const LINEAR_INDEX = `fn linear(id: vec3u, count: vec3u) -> u32 { return id.x + count.x * (id.y + count.y * id.z); }`;
