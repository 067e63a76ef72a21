/** Bytes of the types that texts keep in workgroup memory. */
const BYTES: Readonly<Record<string, number>> = {
  ...{ f32: 4, u32: 4, "atomic<u32>": 4 },
  ...{ vec2f: 8, vec4f: 16, vec4u: 16 },
};

/** Bytes of `var<workgroup>` in a text, each variable rounded up to 16. Throws for a declaration of another type. */
export function declaredWorkgroupBytes(wgsl: string): number {
  let bytes = 0;
  for (const [declaration, type] of wgsl.matchAll(/var<workgroup> \w+: (.+);/g)) {
    const [, element, count] = /^array<(.+), (\d+)>$/.exec(type!) ?? [undefined, type!, "1"];
    const size = BYTES[element!];
    if (size === undefined) throw new Error(`no size is known for ${declaration}`);
    bytes += Math.ceil((size * Number(count)) / 16) * 16;
  }
  return bytes;
}
