import type { BufferSpec, Capabilities, DispatchStep, Step } from "@tunelab/contract";
import { bindingDeclarations, block, formatU32, GROUP_BUILTINS, linearGroup, lines } from "@tunelab/variants";
import { dispatchStep, MODULE } from "./shape.ts";

/** What probes of global memory share: a source of known words, its growth, and vec4 as the unit of access. */
export const VECTOR_BYTES = 16;

/** Buffer at scale 1: its copy takes a software GPU 3 to 10 ms. */
const FIRST_BYTES = 16 * 2 ** 20;

/**
 * Largest buffer: 20 times the 50 MB cache of an H200, so that next to nothing is served from it. Only a device that copies
 * half of it within the harness's time for one run ever gets there (over 200 GB/s), and such devices have the memory.
 */
const MOST_BYTES = 2 ** 30;

/** Most passes over the buffer in a run, so that a plan stays short: 128 GiB moved by a copy of 1 GiB. */
const MOST_SWEEPS = 64;

/** Buffers are whole multiples of this, so that every shape, and the 1024 stretches of its outputs, divide them evenly. */
const QUANTUM_BYTES = 2 ** 18;

/** Places looked at after a run, one in each of as many equal stretches. */
export const SAMPLES = 1024;

/** Knuth's multiplicative constant (2^32 / golden ratio, odd): distinct words for distinct vectors. */
export const SCATTER = 2654435761;

/** Workgroup size of the fill, which runs once and untimed. */
const FILL_WORKGROUP = 256;

/** Workgroup size of the look at the result: 2 microseconds in a run of milliseconds. */
const CHECK_WORKGROUP = 64;

export interface MemorySizes {
  readonly vectors: number;
  readonly sweeps: number;
}

/** The buffer grows with the scale up to what the device grants, then the sweeps over it do. */
export function memorySizes({ limits }: Capabilities, scale: number): MemorySizes {
  const cap = Math.min(MOST_BYTES, limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const wanted = FIRST_BYTES * scale;
  const bytes = Math.floor(Math.min(cap, wanted) / QUANTUM_BYTES) * QUANTUM_BYTES;
  const sweeps = Math.max(1, Math.min(MOST_SWEEPS, Math.round(wanted / bytes)));
  return { vectors: bytes / VECTOR_BYTES, sweeps };
}

/** A word of the source: component `part` of vector `vector`. */
export const sourceWord = (vector: number, part: number): number => Math.imul(vector * 4 + part, SCATTER);

/** Where the look at stretch `sample` of `stretch` places lands. */
export const sampledPlace = (sample: number, stretch: number): number =>
  sample * stretch + ((Math.imul(sample, SCATTER) >>> 0) % stretch);

/** The same place as an expression of the text. */
const sampledPlaceText = (stretch: string): string =>
  `sample * ${stretch} + (sample * ${formatU32(SCATTER)}) % ${stretch}`;

export const words = (name: string, role: BufferSpec["role"], count: number): BufferSpec => ({
  name,
  role,
  dtype: "u32",
  fixedBytes: count * 4,
  itemBytes: 0,
});

/** Fills `source` on the device, once and outside the timed region. */
export const fillStep = (vectors: number): Step => ({
  kind: "once",
  stage: "fill",
  steps: [
    {
      kind: "dispatch",
      stage: "fill",
      module: MODULE,
      entry: "fill",
      bindings: [{ buffer: "source", access: "read-write" }],
      groups: { fixed: vectors / FILL_WORKGROUP },
    },
  ],
});

/** The entry that fills; it writes the binding `filled`. */
export const FILL_TEXT: string = lines(
  `@compute @workgroup_size(${FILL_WORKGROUP})`,
  block(
    `fn fill(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
    `let vector = ${linearGroup()} * ${FILL_WORKGROUP}u + local;`,
    "if (vector >= extents.vectors) { return; }",
    `filled[vector] = (vec4u(vector * 4u) + vec4u(0u, 1u, 2u, 3u)) * ${formatU32(SCATTER)};`,
  ),
  "",
);

const SAMPLED = { buffer: "sampled", access: "read-write" } as const;

/** The look at `result` after the run: one place in each of its stretches is copied to `sampled`. */
export const checkStep = (result: string): DispatchStep =>
  dispatchStep("check", [{ buffer: result, access: "read" }, SAMPLED], SAMPLES / CHECK_WORKGROUP);

/** Variables of the entries `fill` and `check`, the latter reading `result`, an array of `word`. */
export const fillAndCheckVariables = (result: string, word: "u32" | "vec4u"): string =>
  lines(
    bindingDeclarations([{ buffer: "filled", access: "read-write" }], { filled: "array<vec4u>" }),
    bindingDeclarations([{ buffer: result, access: "read" }, SAMPLED], {
      [result]: `array<${word}>`,
      sampled: `array<${word}>`,
    }),
  );

/** The entry that looks at `result`; the extent `stretch` is the length of its stretches. */
export const checkText = (result: string): string =>
  lines(
    `@compute @workgroup_size(${CHECK_WORKGROUP})`,
    block(
      `fn check(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let sample = ${linearGroup()} * ${CHECK_WORKGROUP}u + local;`,
      `if (sample >= ${SAMPLES}u) { return; }`,
      `sampled[sample] = ${result}[${sampledPlaceText("extents.stretch")}];`,
    ),
    "",
  );
