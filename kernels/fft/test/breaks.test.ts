import type { Config, Plan } from "@tunelab/contract";
import { expect, it } from "vitest";
import { type Break, type Breaking, turnsRed } from "../../../test/breaks.ts";
import {
  codelet,
  type FftProblem,
  inputPosition,
  type OneWorkgroupConfig,
  oneWorkgroup,
  shapeOf,
} from "../src/index.ts";
import { planOf, runOnCpu } from "./cpu.ts";
import { gatherAsScatter, handedOn, lastExchangeSkipped, segment, without } from "./segments.ts";

/**
 * What a generator of such kernels gets wrong without an error from WebGPU, put in on purpose. Each break must turn exactly the check
 * that is named for it red. The checks look at one property each and not at values, which most of these spoil.
 */

const PLAIN: OneWorkgroupConfig = {
  radix: 4,
  butterfly: "split",
  workgroup: 32,
  chunk: 4,
  staging: "whole",
  padding: 0,
  gap: 1,
  twiddles: "table",
  transforms: 1,
  loads: "scalar",
};
/** 2 * 4^3: a radix-2 stage, three of radix 4, three exchanges. */
const PROBLEM: FftProblem = { n: 128, batch: 2, direction: "forward" };
const SHAPE = shapeOf(PROBLEM.n, PLAIN.radix, PLAIN.workgroup);

interface Kernel {
  readonly plan: Plan;
  readonly wgsl: string;
}

function kernelOf(config: Config, broken: Break<Kernel>): Kernel {
  const plan = planOf("one-workgroup", PROBLEM, config);
  const { plan: changed, wgsl } = broken({ plan, wgsl: plan.modules[0]!.wgsl });
  return { wgsl, plan: { ...changed, modules: [{ ...plan.modules[0]!, wgsl }] } };
}

const faultsOf = ({ plan }: Kernel, kind: string): readonly string[] =>
  runOnCpu(plan, PROBLEM)
    .faults.filter((fault) => fault.kind === kind)
    .map(({ first }) => first);

/** Every check by its name; each throws where its property does not hold. */
const CHECKS: Breaking<Kernel>["checks"] = {
  "no thread reads what another may still be writing": (broken) => {
    expect(faultsOf(kernelOf(PLAIN, broken), "race")).toEqual([]);
  },

  "transforms side by side keep to their own slots": (broken) => {
    const side = { ...PLAIN, transforms: 4 };
    expect(faultsOf(kernelOf(side, broken), "overlap")).toEqual([]);
  },

  "an odd power of two has its radix-2 stage: the arithmetic of every pass is there": (broken) => {
    const { wgsl } = kernelOf(PLAIN, broken);
    expect(SHAPE.passes.map(({ radix }) => radix)).toEqual([2, 4, 4, 4]);
    for (const [index, { radix }] of SHAPE.passes.entries()) {
      const operations = segment(wgsl, index).filter((line) => /^let p\d+v/.test(line)).length;
      const butterflies = SHAPE.points / radix;
      expect(operations, `pass ${index}`).toBe(butterflies * codelet(radix, -1).operations.length);
    }
  },

  "an exchange hands every register the position that its next pass reads": (broken) => {
    const { wgsl } = kernelOf(PLAIN, broken);
    for (const [index, next] of SHAPE.passes.slice(1).entries()) {
      if (!segment(wgsl, index).some((line) => line.includes("stage["))) continue;
      const want = Array.from({ length: PROBLEM.n }, (_, at) =>
        inputPosition(SHAPE, next, Math.floor(at / SHAPE.points), at % SHAPE.points),
      );
      expect(handedOn(wgsl, SHAPE, index), `after pass ${index}`).toEqual(want);
    }
  },

  "every exchange takes place: workgroup memory carries what the cost claims": (broken) => {
    const { plan } = kernelOf(PLAIN, broken);
    const { reads, writes } = runOnCpu(plan, PROBLEM).stages.transform!.traffic.stage!;
    // Writes are forgotten from one workgroup to the next, reads add up: compare one workgroup's.
    const words = (counts: Uint32Array): number => counts.reduce((sum, count) => sum + count, 0);
    const bytes = 4 * (words(reads) / PROBLEM.batch + words(writes));
    expect(bytes).toBe(oneWorkgroup.cost(PROBLEM, PLAIN).workgroupBytes / PROBLEM.batch);
  },

  "the buffers are of the length that the text reads": (broken) => {
    const { plan, wgsl } = kernelOf(PLAIN, broken);
    for (const name of ["input", "output"]) {
      const points = Number(new RegExp(`> ${name}: array<array<vec2f, (\\d+)>>;`).exec(wgsl)![1]);
      expect(plan.buffers.find((buffer) => buffer.name === name)!.itemBytes).toBe(8 * points);
    }
  },
};

const inText =
  (change: (wgsl: string) => string): Break<Kernel> =>
  ({ plan, wgsl }) => ({ plan, wgsl: change(wgsl) });

const BREAKS: Breaking<Kernel>["breaks"] = [
  [
    "a barrier removed",
    "no thread reads what another may still be writing",
    inText((wgsl) => wgsl.replace("workgroupBarrier();", "")),
  ],
  [
    "two buffers overlapping",
    "transforms side by side keep to their own slots",
    inText((wgsl) =>
      wgsl.replace(/let base = side \* (\d+)u;/, (_, words) => `let base = side * ${Number(words) / 2}u;`),
    ),
  ],
  [
    "the radix-2 stage omitted",
    "an odd power of two has its radix-2 stage: the arithmetic of every pass is there",
    inText((wgsl) => without(wgsl, (line) => /^(let p0v|x\d+ = p0v)/.test(line))),
  ],
  [
    "a gather with the scatter's index",
    "an exchange hands every register the position that its next pass reads",
    inText(gatherAsScatter),
  ],
  [
    "the last exchange skipped",
    "every exchange takes place: workgroup memory carries what the cost claims",
    inText(lastExchangeSkipped),
  ],
  [
    "a stale length",
    "the buffers are of the length that the text reads",
    ({ wgsl }) => ({
      wgsl,
      plan: planOf("one-workgroup", { ...PROBLEM, n: PROBLEM.n / 2 }, { ...PLAIN, workgroup: 16 }),
    }),
  ],
];

turnsRed<Kernel>({
  ...{ what: "kernel", checks: CHECKS, breaks: BREAKS },
  made: (broken) => [PLAIN, { ...PLAIN, transforms: 4 }].map((config) => kernelOf(config, broken)),
});

it("every break but the lost barrier and the stale length spoils values as well", () => {
  for (const [name, , broken] of BREAKS) {
    const config = name === "two buffers overlapping" ? { ...PLAIN, transforms: 4 } : PLAIN;
    const { plan } = kernelOf(config, broken);
    if (name === "a stale length") continue;
    const right = runOnCpu(plan, PROBLEM).verdict.matched === PROBLEM.batch;
    // In step, threads need no barrier: only the race shows, until a device runs narrower subgroups.
    expect(right, name).toBe(name === "a barrier removed");
    if (right) expect(runOnCpu(plan, PROBLEM, { subgroupSize: 8 }).verdict.matched).toBe(0);
  }
});
