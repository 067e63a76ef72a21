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
  CHECK_WORKGROUP,
  FILL_TEXT,
  fillStep,
  type MemorySizes,
  memorySizes,
  SAMPLES,
  sampledPlace,
  sampledPlaceText,
  sourceWord,
  VECTOR_BYTES,
  words,
} from "./memory.ts";
import { MODULE, probe, STAGE } from "./shape.ts";

export interface CopyShape {
  readonly name: string;
  readonly workgroup: number;
  /** vec4 that each invocation moves, a workgroup apart. */
  readonly vectors: number;
}

const COPY = [
  { buffer: "source", access: "read" },
  { buffer: "destination", access: "read-write" },
] as const;
const CHECK = [
  { buffer: "destination", access: "read" },
  { buffer: "sampled", access: "read-write" },
] as const;

/**
 * Copies one buffer into another in vec4 (16 B an access): bytes read plus written. The source is filled on the device
 * once; after the copies, one vector in each of 1024 stretches of the destination is read back and compared.
 */
export function copyProbe({ name, workgroup, vectors: each }: CopyShape): Probe {
  return probe<MemorySizes>({
    name,
    ceiling: "copy",
    doc: `copies vec4<u32>, ${each} an invocation, workgroups of ${workgroup}`,
    sizes: memorySizes,
    amount: ({ vectors, sweeps }) => 2 * VECTOR_BYTES * vectors * sweeps,
    inputs: () => ({}),
    plan: ({ vectors, sweeps }) => ({
      buffers: [
        words("source", "scratch", vectors * 4),
        words("destination", "scratch", vectors * 4),
        words("sampled", "out", SAMPLES * 4),
      ],
      wgsl: copyText(workgroup, each),
      steps: [
        fillStep(vectors),
        ...Array.from({ length: sweeps }, () => ({
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
    verify: ({ sampled }, { vectors }) =>
      sampled?.length === SAMPLES * 4 &&
      sampled.every((word, index) => {
        const vector = sampledPlace(Math.floor(index / 4), vectors / SAMPLES);
        return word === sourceWord(vector, index % 4) >>> 0;
      }),
  });
}

function copyText(workgroup: number, each: number): string {
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
    FILL_TEXT,
    `@compute @workgroup_size(${CHECK_WORKGROUP})`,
    block(
      `fn check(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let sample = ${linearGroup()} * ${CHECK_WORKGROUP}u + local;`,
      `if (sample >= ${SAMPLES}u) { return; }`,
      `sampled[sample] = copied[${sampledPlaceText("extents.stretch")}];`,
    ),
    "",
  );
}
