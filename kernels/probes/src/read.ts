import type { Probe } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  GROUP_BUILTINS,
  linearGroup,
  lines,
  times,
} from "@tunelab/variants";
import {
  checkStep,
  checkText,
  FILL_TEXT,
  fillAndCheckVariables,
  fillStep,
  type MemorySizes,
  memorySizes,
  SAMPLES,
  sampledPlace,
  sourceWord,
  VECTOR_BYTES,
  words,
} from "./memory.ts";
import { dispatchStep, probe } from "./shape.ts";

const WORKGROUP = 256;

/** vec4 that an invocation reads before it writes one word: 128 bytes read for 4 written. */
const EACH = 8;

const READ = [
  { buffer: "source", access: "read" },
  { buffer: "sums", access: "read-write" },
] as const;

/**
 * Reads a buffer once through, neighbouring invocations neighbouring vec4, and keeps one wrapping sum an invocation: bytes
 * read plus the 3% that the sums write. A kernel that reads far more than it writes is bound by this, not by the copy.
 */
export const readProbe: Probe = probe<MemorySizes>({
  name: "read-256x8",
  ceiling: "read",
  doc: `reads vec4<u32>, ${EACH} an invocation, workgroups of ${WORKGROUP}, and writes one word each`,
  sizes: memorySizes,
  amount: ({ vectors, sweeps }) => (VECTOR_BYTES * vectors + (4 * vectors) / EACH) * sweeps,
  inputs: () => ({}),
  plan: ({ vectors, sweeps }) => ({
    buffers: [
      words("source", "scratch", vectors * 4),
      words("sums", "scratch", vectors / EACH),
      words("sampled", "out", SAMPLES),
    ],
    wgsl: TEXT,
    steps: [
      fillStep(vectors),
      ...Array.from({ length: sweeps }, () => dispatchStep("main", READ, vectors / (WORKGROUP * EACH))),
      checkStep("sums"),
    ],
    extents: { vectors, stretch: vectors / EACH / SAMPLES },
  }),
  verify: ({ sampled }, { vectors }) =>
    sampled?.length === SAMPLES &&
    sampled.every((word, sample) => word === sumAt(sampledPlace(sample, vectors / EACH / SAMPLES))),
});

/** What invocation `index` stores. */
function sumAt(index: number): number {
  const first = Math.floor(index / WORKGROUP) * WORKGROUP * EACH + (index % WORKGROUP);
  let sum = 0;
  for (let part = 0; part < EACH; part++) {
    for (let component = 0; component < 4; component++)
      sum = (sum + sourceWord(first + part * WORKGROUP, component)) | 0;
  }
  return sum >>> 0;
}

const TEXT: string = lines(
  extentsStruct(["vectors", "stretch"]),
  // Binding numbers restart at 1 for each entry point: the variables below are never used together.
  bindingDeclarations(READ, { source: "array<vec4u>", sums: "array<u32>" }),
  fillAndCheckVariables("summed", "u32"),
  "",
  `@compute @workgroup_size(${WORKGROUP})`,
  block(
    `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
    `let linear = ${linearGroup()};`,
    `let first = linear * ${WORKGROUP * EACH}u + local;`,
    "if (first >= extents.vectors) { return; }",
    "var sum = source[first];",
    times(EACH - 1, (part) => `sum += source[first + ${(part + 1) * WORKGROUP}u];`),
    `sums[linear * ${WORKGROUP}u + local] = sum.x + sum.y + sum.z + sum.w;`,
  ),
  "",
  FILL_TEXT,
  checkText("summed"),
);
