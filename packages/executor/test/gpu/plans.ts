import { type BufferSpec, CONTRACT_VERSION, type Plan } from "@tunelab/contract";

/** A one-dispatch plan, a workgroup of one thread an item; `body` sees `i`, `extents` and the buffers by name. */
export function itemwise(
  items: number,
  buffers: readonly BufferSpec[],
  body: string,
  change: Partial<Plan> & { readonly quantum?: number; readonly minimum?: number } = {},
): Plan {
  const { quantum = 1, minimum = 1, ...rest } = change;
  const bindings = buffers.map(({ name, role }) => ({
    buffer: name,
    access: role === "in" || role === "constant" ? ("read" as const) : ("read-write" as const),
  }));
  const declarations = bindings.map(({ buffer, access }, index) => {
    const { dtype } = buffers[index]!;
    return `@group(0) @binding(${index + 1}) var<storage, ${access === "read" ? "read" : "read_write"}> ${buffer}: array<${dtype}>;`;
  });
  const own = Object.keys(rest.extents ?? {}).map((name) => `, ${name}: u32`);
  const wgsl = `struct Extents { items: u32, first: u32, total: u32, iteration: u32${own.join("")} }
@group(0) @binding(0) var<uniform> extents: Extents;
${declarations.join("\n")}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let i = id.x + count.x * (id.y + count.y * id.z);
  if (i >= extents.items) { return; }
  ${body}
}`;
  return {
    contract: CONTRACT_VERSION,
    operation: "test",
    algorithm: "itemwise",
    buffers,
    modules: [{ name: "items", wgsl }],
    steps: [
      {
        kind: "dispatch",
        stage: "items",
        module: "items",
        entry: "main",
        groups: { fixed: 0, perItem: { groups: 1, items: 1 } },
        bindings,
      },
    ],
    batch: { dimension: "items", items, order: "independent", quantum, minimum },
    extents: {},
    requires: { features: [], limits: {} },
    ...rest,
  };
}

export function words(name: string, role: BufferSpec["role"], perItem = 1): BufferSpec {
  return { name, role, dtype: "u32", fixedBytes: 0, itemBytes: 4 * perItem };
}

export const counting = (items: number): Uint32Array => Uint32Array.from({ length: items }, (_, i) => i);
