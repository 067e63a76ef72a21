import { interpret } from "@tunelab/variants/interpreter";
import { outputPosition, type Shape } from "../src/index.ts";

/** The lines of a text that belong to pass `index` of a transform: its butterflies, then the exchange after it. */
export function segment(wgsl: string, index: number): string[] {
  const all = wgsl.split("\n").map((line) => line.trim());
  const from = all.findIndex((line) => line.startsWith(`// pass ${index}:`));
  const to = all.findIndex((line) => line.startsWith(`// pass ${index + 1}:`));
  return all.slice(from + 1, to < 0 ? undefined : to);
}

const isExchange = (line: string): boolean => /stage\[|workgroupBarrier|^let p\d+[oi]\d/.test(line);

/** Positions that the registers hold after the exchange of a pass, by thread; they held those of the pass's outputs. */
export function handedOn(wgsl: string, shape: Shape, index: number): number[] {
  const { points, threads, n } = shape;
  const registers = Array.from({ length: points }, (_, r) => r);
  const text = `
    @group(0) @binding(0) var<storage, read> tags: array<f32>;
    @group(0) @binding(1) var<storage, read_write> got: array<f32>;
    ${/var<workgroup> stage[^;]+;/.exec(wgsl)![0]}
    @compute @workgroup_size(${threads}) fn main(@builtin(local_invocation_index) t: u32) {
      ${registers.map((r) => `var x${r} = vec2f(tags[t * ${points}u + ${r}u], 0.0f);`).join("\n")}
      ${segment(wgsl, index).filter(isExchange).join("\n")}
      ${registers.map((r) => `got[t * ${points}u + ${r}u] = x${r}.x;`).join("\n")}
    }`;
  const tags = new Float32Array(n);
  for (let t = 0; t < threads; t++) {
    for (const r of registers) tags[t * points + r] = outputPosition(shape, shape.passes[index]!, t, r);
  }
  const got = new Float32Array(n);
  interpret({ wgsl: text, buffers: { tags, got }, extents: {}, groups: 1 });
  return [...got];
}

/** Removes lines of a text. */
export const without = (wgsl: string, drop: (line: string) => boolean): string =>
  wgsl
    .split("\n")
    .filter((line) => !drop(line.trim()))
    .join("\n");

/** The gather after pass 1 reads where that pass's scatter wrote. */
export function gatherAsScatter(wgsl: string): string {
  const scatter = [...wgsl.matchAll(/^ *stage\[([^\]]*p1o[^\]]*)\] = x(\d+);/gm)];
  return scatter.reduce(
    (text, [, slot, register]) =>
      text.replace(
        new RegExp(`x${register} = stage\\[[^\\]]*p1i[^\\]]*\\];`),
        `x${register} = stage[${slot}];`,
      ),
    wgsl,
  );
}

/** The exchange before the last of four passes is left out. */
export function lastExchangeSkipped(wgsl: string): string {
  const [before, after] = wgsl.split(/(?=\/\/ pass 2:)/) as [string, string];
  const [last, rest] = after.split(/(?=\/\/ pass 3:)/) as [string, string];
  return before + without(last, (line) => line.includes("stage[")) + rest;
}
