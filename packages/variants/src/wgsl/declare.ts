import { type Binding, EXTENTS_WORDS, Fault } from "@tunelab/contract";
import { block, lines } from "./text.ts";

/**
 * The extents uniform at @group(0) @binding(0): the built-in words, then the plan's own in their order (`Plan.extents`).
 * Read in the text as `extents.items`, `extents.first`, ...
 */
export function extentsStruct(own: readonly string[] | Readonly<Record<string, number>> = []): string {
  const names = [...EXTENTS_WORDS, ...(isList(own) ? own : Object.keys(own))];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Fault("usage", `two extents are named ${twice}: rename the plan's own`);
  return lines(
    block("struct Extents", ...names.map((name) => `${identifier(name)}: u32,`)),
    "@group(0) @binding(0) var<uniform> extents: Extents;",
  );
}

const SPACES: Readonly<Record<Binding["access"], string>> = {
  read: "storage, read",
  "read-write": "storage, read_write",
  uniform: "uniform",
};

/**
 * Declarations of one step's buffers: `bindings` take @binding(1), (2), ... in order, named after their buffers.
 * `types` gives each buffer's WGSL store type, e.g. `{ data: "array<vec2f>", hits: "array<atomic<u32>>" }`.
 */
export function bindingDeclarations(
  bindings: readonly Binding[],
  types: Readonly<Record<string, string>>,
): string {
  return lines(
    bindings.map(({ buffer, access }, index) => {
      const type = types[buffer];
      if (type === undefined) throw new Fault("usage", `no WGSL type given for the buffer ${buffer}`);
      return `@group(0) @binding(${index + 1}) var<${SPACES[access]}> ${identifier(buffer)}: ${type};`;
    }),
  );
}

/** Parameters of an entry point that `linearGroup()` reads. */
export const GROUP_BUILTINS = "@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u";

/**
 * Linear index of this workgroup, as an expression, whatever way the executor folded the count over x, y and z. Folding
 * rounds up: compare with the count known from the extents and return at or above it.
 */
export function linearGroup(group = "group", groups = "groups"): string {
  return `((${group}.z * ${groups}.y + ${group}.y) * ${groups}.x + ${group}.x)`;
}

const isList = (own: readonly string[] | Readonly<Record<string, number>>): own is readonly string[] =>
  Array.isArray(own);

function identifier(name: string): string {
  // ASCII only, and no leading double underscore (reserved by WGSL, section 3.6).
  if (!/^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name === "_") {
    throw new Fault("usage", `"${name}" is no WGSL identifier: use letters, digits and _`);
  }
  return name;
}
