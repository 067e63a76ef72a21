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
        ...Array.from({ length: sweeps }, () => dispatchStep("main", COPY, vectors / (workgroup * each))),
        checkStep("destination"),
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
    fillAndCheckVariables("copied", "vec4u"),
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
    checkText("copied"),
  );
}
