/** What a device lets one workgroup have. */
export interface WorkgroupLimits {
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupStorageSize: number;
}

/** A text that the device compiles in another's place, and what was moved out of workgroup memory. */
export interface StandIn {
  readonly wgsl: string;
  readonly stoodIn: boolean;
  /** Arrays that lie in storage here and in workgroup memory in truth, and their bytes. */
  readonly moved: readonly string[];
  readonly movedBytes: number;
}

const BYTES: Readonly<Record<string, number>> = { f32: 4, u32: 4, i32: 4, vec2f: 8, vec4f: 16 };
const SIZE = /@workgroup_size\((\d+)\)/;
const LANE = /@builtin\(local_invocation_index\) (\w+): u32/;
const GROUP = /@builtin\(workgroup_id\) (\w+): vec3u/;
const ARRAY = /var<workgroup> (\w+): array<(\w+), (\d+)>;/g;
/** Scalars, atomic or not: each takes a row of 16 bytes. */
const SCALAR = /var<workgroup> \w+: (?!array)[^;]+;/g;

/**
 * A text with the same ranges of indexes that fits a smaller device, for a compiler refuses what the device cannot run. The invocation's
 * number becomes some number modulo the true workgroup's size (a range analysis gives both [0, size - 1]), and arrays that workgroup
 * memory does not hold go to storage, their lengths kept. Such a text computes nonsense and is never run; it has one addition and
 * one remainder more. Undefined where the text has not the form to do that with.
 */
export function standInFor(wgsl: string, limits: WorkgroupLimits): StandIn | undefined {
  let text = wgsl;
  const size = Number(SIZE.exec(text)?.[1]);
  if (size > limits.maxComputeInvocationsPerWorkgroup) {
    const [lane, group] = [LANE.exec(text)?.[1], GROUP.exec(text)?.[1]];
    const open = /fn main\([^{]*\{\n/.exec(text);
    if (!lane || !group || !open) return undefined;
    const body = open.index + open[0].length;
    const here = `  let ${lane} = (${lane}_here + ${group}.x) % ${size}u;\n`;
    text = `${text.slice(0, body)}${here}${text.slice(body)}`
      .replace(SIZE, `@workgroup_size(${limits.maxComputeInvocationsPerWorkgroup})`)
      .replace(LANE, `@builtin(local_invocation_index) ${lane}_here: u32`);
  }
  const moved: string[] = [];
  let movedBytes = 0;
  const arrays = [...text.matchAll(ARRAY)]
    .map(([line, name, type, count]) => ({
      line,
      name: name!,
      type: type!,
      bytes: (BYTES[type!] ?? 16) * Number(count),
    }))
    .sort((a, b) => b.bytes - a.bytes);
  const scalars = 16 * [...text.matchAll(SCALAR)].length;
  let bytes = arrays.reduce((sum, one) => sum + Math.ceil(one.bytes / 16) * 16, scalars);
  for (const one of arrays) {
    if (bytes <= limits.maxComputeWorkgroupStorageSize) break;
    const binding = `@group(1) @binding(${moved.length})`;
    text = text.replace(one.line, one.line.replace("var<workgroup>", `${binding} var<storage, read_write>`));
    moved.push(one.name);
    movedBytes += one.bytes;
    bytes -= Math.ceil(one.bytes / 16) * 16;
  }
  if (bytes > limits.maxComputeWorkgroupStorageSize) return undefined;
  return { wgsl: text, stoodIn: text !== wgsl, moved, movedBytes };
}
