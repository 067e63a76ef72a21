import type { Dtype, Plan } from "@tunelab/contract";
import type { Lifeline } from "./lifeline.ts";
import type { Memory } from "./memory.ts";

/** The named words of every probe, by `buffer.field`. */
export async function readProbes(
  plan: Plan,
  memory: Memory,
  lifeline: Lifeline,
): Promise<Readonly<Record<string, number>>> {
  const values: Record<string, number> = {};
  for (const { name, role, fixedBytes, fields } of plan.buffers) {
    if (role !== "probe" || !fields) continue;
    const words = await memory.read(name, fixedBytes, lifeline);
    const view = new DataView(words.buffer, words.byteOffset, words.byteLength);
    for (const [field, { offset, dtype }] of Object.entries(fields)) {
      values[`${name}.${field}`] = word(view, offset, dtype);
    }
  }
  return values;
}

// WebGPU memory is little-endian on every host that runs it.
function word(view: DataView, offset: number, dtype: Dtype): number {
  if (dtype === "f32") return view.getFloat32(offset, true);
  return dtype === "u32" ? view.getUint32(offset, true) : view.getInt32(offset, true);
}
