import type { Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { type TridiagonalConfig, tridiagonal } from "../src/index.ts";
import { eighProblem, KINDS } from "../src/suite.ts";
import { runOnCpu } from "./cpu.ts";

const plain: TridiagonalConfig = {
  threads: 32,
  memory: "workgroup",
  groups: 1,
  reduction: "workgroup",
  solver: "ql",
  sweeps: 2,
  matrices: 1,
};
const divide = { ...plain, solver: "divide" } as const;
const shared = { ...plain, matrices: 4 } as const;
const wide = { ...plain, memory: "global", groups: 2 } as const;

/** Faults that a generator could put into a text without any error from WebGPU: what to replace, and in which variant. */
const FAULTS: readonly (readonly [name: string, config: TridiagonalConfig, from: RegExp, to: string])[] = [
  ["the upper triangle read", plain, /max\(i, /g, "min(i, "],
  ["a reflection of half the factor", plain, /2\.0f \/ \(v0/, "1.0f / (v0"],
  ["an update by one half of the pair", plain, / - vr\.y \* w/, ""],
  ["rotations turned back", plain, /by\.x \* x - by\.y \* x1/, "by.x * x + by.y * x1"],
  ["a second sweep that overtakes the first", plain, /rotations\[9u \+ k\]/, "rotations[0u + k]"],
  [
    "rotations of the workgroup's first matrix for all",
    shared,
    /let by = rotations\[slot \* 18u/g,
    "let by = rotations[0u",
  ],
  ["a workgroup that leaves with its first matrix", shared, /any = max\(any, /, "any = min(any, "],
  ["a last workgroup that takes itself for full", shared, /let live = [^;]*;/, "let live = true;"],
  ["values in no order", plain, /let spot = select\(j, rank, finite\);/, "let spot = j;"],
  ["a matrix with NaN taken for finite", plain, /select\(2u, 0u, finite\)/, "0u"],
  ["roots from the wrong pole", divide, /near = k \+ 1u;/, "near = k;"],
  ["the weights as they were, not of the roots", divide, /sz\[at \+ i\] = select.*;/, "sz[at + i] = 1.0f;"],
  ["neighbours that stay apart in sign", divide, /select\(firsts, -firsts, beside < 0\.0f\)/, "firsts"],
  ["rotations of left-out poles forgotten", divide, /turned \+= 1u;/, ""],
  ["first components of a piece lost", divide, /let firsts = .*;/, "let firsts = 0.0f;"],
  ["last components of a piece lost", divide, /let lasts = .*;/, "let lasts = 0.0f;"],
  ["the last pole counted twice", divide, /next < vec4u/g, "next <= vec4u"],
  ["blocks that mix with their neighbours", divide, / >> shift == j >> shift/g, " >= 0u"],
  ["a row updated while others read it", wide, /if \(4u \* r( \+ \du)? > k\)/g, "if (true)"],
  ["a share of the largest element forgotten", wide, /atomicMax\(&state/, "atomicStore(&state"],
  ["a part of the product forgotten", wide, /w \+= partial[^;]*;\s*\}/, "}"],
];

describe("a text of the tridiagonal form with a fault is not accepted", () => {
  for (const [name, config, from, to] of FAULTS) {
    it(name, () => {
      const spoiled = {
        ...tridiagonal,
        plan: (...given: Parameters<typeof tridiagonal.plan>): Plan => {
          const plan = tridiagonal.plan(...given);
          const modules = plan.modules.map((one) => ({ ...one, wgsl: one.wgsl.replace(from, to) }));
          expect(modules, "the fault changed nothing").not.toEqual(plan.modules);
          return { ...plan, modules };
        },
      };
      const problem = eighProblem(9, KINDS.length, { spectrum: "mixed" });
      const { verdict, faults } = runOnCpu(spoiled, problem, config, 8);
      const wrong = verdict.matched < KINDS.length || verdict.maxError > 10 || faults.length > 0;
      expect(wrong, `${verdict.matched} right, ${verdict.maxError} n eps`).toBe(true);
    });
  }
});
