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

/** Operations written out in the loop's body, an even number, on each of two independent chains. */
const WRITTEN_OUT = 32;
const CHAINS = 2;

/** 2048 rounds of 32 end at 65,536 and a half: the sum of 64 such lanes is still below 2^23, exact in f32. */
const GROWTH: Growth = { groups: 16, rounds: 16, mostRounds: 2048 };

const BINDINGS = [
  { buffer: "seed", access: "read" },
  { buffer: "results", access: "read-write" },
] as const;

interface Form {
  readonly name: string;
  readonly doc: string;
  /** The next value of `x`. */
  next(x: string): string;
  /** What invocation `local` stores after so many operations on each chain. */
  expected(local: number, operations: number): number;
}

function subgroupProbe({ name, doc, next, expected }: Form): Probe {
  const wgsl = subgroupText(next);
  return probe({
    name,
    ceiling: "subgroup",
    doc: `${doc}; values that take part, one an invocation and operation`,
    sizes: (_capabilities, scale) => growth(GROWTH, scale),
    amount: ({ groups, rounds }) => groups * WORKGROUP * rounds * WRITTEN_OUT * CHAINS,
    inputs: () => ({ seed: new Float32Array([1]) }),
    plan: ({ groups, rounds }) => ({
      buffers: [
        { name: "seed", role: "in", dtype: "f32", fixedBytes: 4, itemBytes: 0 },
        { name: "results", role: "out", dtype: "f32", fixedBytes: groups * WORKGROUP * 4, itemBytes: 0 },
      ],
      wgsl,
      steps: [dispatchStep("main", BINDINGS, groups)],
      extents: { groups, rounds },
      features: ["subgroups"],
    }),
    verify: ({ results }, { groups, rounds }) =>
      results?.length === groups * WORKGROUP &&
      results.every((value, index) => value === expected(index % WORKGROUP, rounds * WRITTEN_OUT)),
  });
}

/**
 * Exchanges between neighbours: after an even number of swaps, each adding 1, every invocation holds its own value again and 1
 * for each: whatever the subgroup's width, and wherever its invocations lie as long as pairs stay together.
 */
export const subgroupShuffle: Probe = subgroupProbe({
  name: "subgroup-shuffle",
  doc: "shuffles between neighbouring invocations",
  next: (x) => `subgroupShuffleXor(${x}, 1u) + one`,
  // Both chains start at the lane's parity, the second 1 higher.
  expected: (local, operations) => 2 * ((local % 2) + operations) + 1,
});

/** Sums over the subgroup, scaled back by its width (a power of two, so exactly): 1 more for each, on every lane. */
export const subgroupAdd: Probe = subgroupProbe({
  name: "subgroup-add",
  doc: "sums over the subgroup",
  next: (x) => `subgroupAdd(${x}) * share + one`,
  // Half of the lanes start at 0 and half at 1: the first sum evens them out at one half.
  expected: (_local, operations) => 2 * (0.5 + operations) + 1,
});

function subgroupText(next: Form["next"]): string {
  return lines(
    "enable subgroups;",
    extentsStruct(["groups", "rounds"]),
    bindingDeclarations(BINDINGS, { seed: "array<f32>", results: "array<f32>" }),
    "",
    `@compute @workgroup_size(${WORKGROUP})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32, @builtin(subgroup_size) width: u32)`,
      `let linear = ${linearGroup()};`,
      "if (linear >= extents.groups) { return; }",
      "let one = seed[0];",
      "let share = one / f32(width);",
      "var x = f32(local % 2u);",
      "var y = x + one;",
      block(
        "for (var round = 0u; round < extents.rounds; round += 1u)",
        times(WRITTEN_OUT, () => [`x = ${next("x")};`, `y = ${next("y")};`]),
      ),
      `results[linear * ${WORKGROUP}u + local] = x + y;`,
    ),
    "",
  );
}
