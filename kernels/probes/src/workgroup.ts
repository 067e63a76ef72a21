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
import { dispatchStep, type Growth, growth, probe } from "./shape.ts";

const WORKGROUP = 256;

/**
 * vec4 of workgroup memory: 8 KiB, half of WebGPU's default limit. SwiftShader zeroes it once for every four invocations:
 * 16 KiB cost it 2 ms a workgroup and 1.3 s of compile time, whatever the loop did.
 */
const SLOTS = 512;
const ROWS = SLOTS / WORKGROUP;

/** Columns that an invocation reads a round; every column gives ROWS loads from one computed index. */
const COLUMNS = 8;
const LOADS = COLUMNS * ROWS;

/** Values stored are integers below this, so that no sum here exceeds 2^24. */
const VALUES = 16;

/** 16 workgroups at first, because the zeroing weighs most on a software GPU. Sums of 8192 rounds stay below 2^23. */
const READ: Growth = { groups: 16, rounds: 32, mostRounds: 8192 };
const EXCHANGE: Growth = { groups: 16, rounds: 64, mostRounds: 32_768 };

const BINDINGS = [{ buffer: "sums", access: "read-write" }] as const;

interface Sizes {
  readonly groups: number;
  readonly rounds: number;
}

interface Form {
  readonly name: string;
  readonly doc: string;
  readonly growth: Growth;
  readonly bytesPerRound: number;
  readonly wgsl: string;
  /** What invocation `local` of workgroup `group` stores. */
  expected(group: number, local: number, rounds: number): number;
}

function workgroupProbe({ name, doc, growth: first, bytesPerRound, wgsl, expected }: Form): Probe {
  return probe<Sizes>({
    name,
    ceiling: "workgroup",
    doc,
    sizes: (_capabilities, scale) => growth(first, scale),
    amount: (sizes) => bytesPerRound * sizes.rounds * sizes.groups * WORKGROUP,
    inputs: () => ({}),
    plan: (sizes) => ({
      buffers: [
        { name: "sums", role: "out", dtype: "f32", fixedBytes: sizes.groups * WORKGROUP * 4, itemBytes: 0 },
      ],
      wgsl,
      steps: [dispatchStep("main", BINDINGS, sizes.groups)],
      extents: { groups: sizes.groups, rounds: sizes.rounds },
    }),
    verify: ({ sums }, sizes) => {
      if (sums?.length !== sizes.groups * WORKGROUP) return false;
      // Both forms depend on (group + local) mod 16 alone: sixteen sums answer for millions of invocations.
      const classes = Array.from({ length: VALUES }, (_, local) => expected(0, local, sizes.rounds));
      return sums.every((sum, index) => {
        const local = index % WORKGROUP;
        return sum === classes[(Math.floor(index / WORKGROUP) + local) % VALUES];
      });
    },
  });
}

/**
 * Reads alone: each round every invocation loads 16 vec4, neighbours from neighbouring slots (no bank conflict), and
 * adds them up. The slot moves with the round, so that no load can be lifted out of the loop.
 */
export const workgroupRead: Probe = workgroupProbe({
  name: "workgroup-read",
  doc: `${LOADS} conflict-free vec4 loads a round from 8 KiB of workgroup memory, bytes read`,
  growth: READ,
  bytesPerRound: LOADS * 16,
  wgsl: lines(
    head(),
    main(
      "var sum = vec4f();",
      block(
        "for (var round = 0u; round < extents.rounds; round += 1u)",
        times(COLUMNS, (column) => [
          `let c${column} = (local + round * ${COLUMNS}u + ${column}u) % ${WORKGROUP}u;`,
          times(ROWS, (row) => `sum += slots[c${column} + ${row * WORKGROUP}u];`),
        ]),
      ),
      `sums[linear * ${WORKGROUP}u + local] = sum.x + sum.y + sum.z + sum.w;`,
    ),
  ),
  expected: (group, local, rounds) => {
    let sum = 0;
    for (let round = 0; round < rounds; round++) {
      for (let column = 0; column < COLUMNS; column++)
        sum += ROWS * 4 * ((group + local + COLUMNS * round + column) % VALUES);
    }
    return sum;
  },
});

/**
 * Reads and writes as an exchange between invocations does: half of the memory is read, shifted by one slot, and written to the
 * other half, then a barrier, then back.
 */
export const workgroupExchange: Probe = workgroupProbe({
  name: "workgroup-exchange",
  doc: "2 vec4 loads, 2 stores and 2 barriers a round within 8 KiB of workgroup memory, bytes read plus written",
  growth: EXCHANGE,
  bytesPerRound: 4 * 16,
  wgsl: lines(
    head(),
    main(
      `let next = (local + 1u) % ${WORKGROUP}u;`,
      block("for (var round = 0u; round < extents.rounds; round += 1u)", [
        `slots[local + ${WORKGROUP}u] = slots[next];`,
        "workgroupBarrier();",
        `slots[local] = slots[next + ${WORKGROUP}u];`,
        "workgroupBarrier();",
      ]),
      "let last = slots[local];",
      `sums[linear * ${WORKGROUP}u + local] = last.x + last.y + last.z + last.w;`,
    ),
  ),
  expected: (group, local, rounds) => 4 * ((group + local + 2 * rounds) % VALUES),
});

function head(): string {
  return lines(
    extentsStruct(["groups", "rounds"]),
    bindingDeclarations(BINDINGS, { sums: "array<f32>" }),
    "",
    `var<workgroup> slots: array<vec4f, ${SLOTS}>;`,
    "",
  );
}

/** Every slot s of a group starts as (group + s) mod 16 in all four components. */
function main(...body: readonly string[]): string {
  return lines(
    `@compute @workgroup_size(${WORKGROUP})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let linear = ${linearGroup()};`,
      "if (linear >= extents.groups) { return; }",
      times(
        ROWS,
        (row) =>
          `slots[local + ${row * WORKGROUP}u] = vec4f(f32((linear + local + ${row * WORKGROUP}u) % ${VALUES}u));`,
      ),
      "workgroupBarrier();",
      body,
    ),
    "",
  );
}
