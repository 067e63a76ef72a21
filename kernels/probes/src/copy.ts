import type { Capabilities, Probe } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
  times,
} from "@tunelab/variants";
import { MODULE, probe, STAGE } from "./shape.ts";

const VECTOR_BYTES = 16;

/** Buffer at scale 1: its copy takes a software GPU 3 to 10 ms. */
const FIRST_BYTES = 16 * 2 ** 20;

/**
 * Largest buffer: 20 times the 50 MB cache of an H200, so that next to nothing is served from it. Only a device that copies
 * half of it within the harness's time for one run ever gets there (over 200 GB/s), and such devices have the memory.
 */
const MOST_BYTES = 2 ** 30;

/** Most copies a run, so that a plan stays short: 128 GiB moved at 1 GiB a buffer. */
const MOST_COPIES = 64;

/** Buffers are whole multiples of this, so that every shape below divides them evenly. */
const QUANTUM_BYTES = 2 ** 16;

/** Vectors looked at after the copies, one in each of as many equal stretches. */
const SAMPLES = 1024;

/** Knuth's multiplicative constant (2^32 / golden ratio, odd): distinct words for distinct vectors. */
const SCATTER = 2654435761;

export interface CopyShape {
  readonly name: string;
  readonly workgroup: number;
  /** vec4 that each invocation moves, a workgroup apart. */
  readonly vectors: number;
}

interface Sizes {
  readonly vectors: number;
  readonly copies: number;
}

const COPY = [
  { buffer: "source", access: "read" },
  { buffer: "destination", access: "read-write" },
] as const;
const FILL = [{ buffer: "source", access: "read-write" }] as const;
const CHECK = [
  { buffer: "destination", access: "read" },
  { buffer: "sampled", access: "read-write" },
] as const;

/** Workgroup size of the fill, which runs once and untimed. */
const FILL_WORKGROUP = 256;
/** Workgroup size of the look at the result: 2 microseconds in a run of milliseconds. */
const CHECK_WORKGROUP = 64;

/**
 * Copies one buffer into another in vec4 (16 B an access): bytes read plus written. The source is filled on the device
 * once; after the copies, one vector in each of 1024 stretches of the destination is read back and compared.
 */
export function copyProbe({ name, workgroup, vectors: each }: CopyShape): Probe {
  return probe<Sizes>({
    name,
    ceiling: "copy",
    doc: `copies vec4<u32>, ${each} an invocation, workgroups of ${workgroup}`,
    sizes,
    amount: ({ vectors, copies }) => 2 * VECTOR_BYTES * vectors * copies,
    inputs: () => ({}),
    plan: ({ vectors, copies }) => ({
      buffers: [
        { name: "source", role: "scratch", dtype: "u32", fixedBytes: vectors * VECTOR_BYTES, itemBytes: 0 },
        {
          name: "destination",
          role: "scratch",
          dtype: "u32",
          fixedBytes: vectors * VECTOR_BYTES,
          itemBytes: 0,
        },
        { name: "sampled", role: "out", dtype: "u32", fixedBytes: SAMPLES * VECTOR_BYTES, itemBytes: 0 },
      ],
      wgsl: copyText(workgroup, each),
      steps: [
        {
          kind: "once",
          stage: "fill",
          steps: [
            {
              kind: "dispatch",
              stage: "fill",
              module: MODULE,
              entry: "fill",
              bindings: FILL,
              groups: { fixed: vectors / FILL_WORKGROUP },
            },
          ],
        },
        ...Array.from({ length: copies }, () => ({
          kind: "dispatch" as const,
          stage: STAGE,
          module: MODULE,
          entry: "main",
          bindings: COPY,
          groups: { fixed: vectors / (workgroup * each) },
        })),
        {
          kind: "dispatch",
          stage: STAGE,
          module: MODULE,
          entry: "check",
          bindings: CHECK,
          groups: { fixed: SAMPLES / CHECK_WORKGROUP },
        },
      ],
      extents: { vectors, stretch: vectors / SAMPLES },
    }),
    verify: ({ sampled }, { vectors }) => {
      if (sampled?.length !== SAMPLES * 4) return false;
      const stretch = vectors / SAMPLES;
      return sampled.every((word, index) => {
        const sample = Math.floor(index / 4);
        const vector = sample * stretch + ((Math.imul(sample, SCATTER) >>> 0) % stretch);
        return word === Math.imul(vector * 4 + (index % 4), SCATTER) >>> 0;
      });
    },
  });
}

function sizes({ limits }: Capabilities, scale: number): Sizes {
  const cap = Math.min(MOST_BYTES, limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const wanted = FIRST_BYTES * scale;
  const bytes = Math.floor(Math.min(cap, wanted) / QUANTUM_BYTES) * QUANTUM_BYTES;
  const copies = Math.max(1, Math.min(MOST_COPIES, Math.round(wanted / bytes)));
  return { vectors: bytes / VECTOR_BYTES, copies };
}

function copyText(workgroup: number, each: number): string {
  const scatter = formatU32(SCATTER);
  return lines(
    extentsStruct(["vectors", "stretch"]),
    // Binding numbers restart at 1 for each entry point: the variables below are never used together.
    bindingDeclarations(COPY, { source: "array<vec4u>", destination: "array<vec4u>" }),
    bindingDeclarations([{ buffer: "filled", access: "read-write" }], { filled: "array<vec4u>" }),
    bindingDeclarations(
      [
        { buffer: "copied", access: "read" },
        { buffer: "sampled", access: "read-write" },
      ],
      { copied: "array<vec4u>", sampled: "array<vec4u>" },
    ),
    "",
    `@compute @workgroup_size(${workgroup})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let first = ${linearGroup()} * ${workgroup * each}u + local;`,
      "if (first >= extents.vectors) { return; }",
      times(
        each,
        (part) => `destination[first + ${part * workgroup}u] = source[first + ${part * workgroup}u];`,
      ),
    ),
    "",
    `@compute @workgroup_size(${FILL_WORKGROUP})`,
    block(
      `fn fill(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let vector = ${linearGroup()} * ${FILL_WORKGROUP}u + local;`,
      "if (vector >= extents.vectors) { return; }",
      `filled[vector] = (vec4u(vector * 4u) + vec4u(0u, 1u, 2u, 3u)) * ${scatter};`,
    ),
    "",
    `@compute @workgroup_size(${CHECK_WORKGROUP})`,
    block(
      `fn check(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let sample = ${linearGroup()} * ${CHECK_WORKGROUP}u + local;`,
      `if (sample >= ${SAMPLES}u) { return; }`,
      `sampled[sample] = copied[sample * extents.stretch + (sample * ${scatter}) % extents.stretch];`,
    ),
    "",
  );
}
