import { type Config, DEFAULT_CAPABILITIES, type Plan } from "@tunelab/contract";
import { codelet, inputPosition, shapeOf } from "@tunelab/kernel-fft";
import { interpret, interpretPlan, type PlanReport } from "@tunelab/variants/interpreter";
import { expect } from "vitest";
import { type Break, type Breaking, turnsRed } from "../../../test/breaks.ts";
import { gatherAsScatter, handedOn, lastExchangeSkipped, segment, without } from "../../fft/test/segments.ts";
import { fused, type MatchedFilterProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/**
 * What a generator of such kernels gets wrong without an error from WebGPU, put in on purpose. Each break must turn exactly the check
 * that is named for it red. The checks look at one property each and not at values, which most of these spoil.
 */

/** 2 * 4^3: a radix-2 stage, three of radix 4, three exchanges. */
const PROBLEM: MatchedFilterProblem = { n: 128, data: 2, templates: 3, pairs: 6 };
const CONFIG: Config = {
  ...fused.defaultConfig(PROBLEM, DEFAULT_CAPABILITIES),
  ...{ radix: 4, butterfly: "split", workgroup: 32, chunk: 4, staging: "whole", padding: 0, gap: 1 },
  ...{ twiddles: "table", reduction: "subgroup", tile: 1, hoist: false },
};
const SHAPE = shapeOf(PROBLEM.n, 4, 32);
const inputs = suite.inputs(PROBLEM, 2);

interface Kernel {
  readonly plan: Plan;
  readonly wgsl: string;
}

const planOf = (problem: MatchedFilterProblem, config: Config): Plan =>
  fused.plan(problem, config as never, DEFAULT_CAPABILITIES);

function kernelOf(broken: Break<Kernel>): Kernel {
  const plan = planOf(PROBLEM, CONFIG);
  const { plan: changed, wgsl } = broken({ plan, wgsl: plan.modules[0]!.wgsl });
  return { wgsl, plan: { ...changed, modules: [{ ...plan.modules[0]!, wgsl }] } };
}

const run = ({ plan }: Kernel, subgroupSize = 32): PlanReport =>
  interpretPlan(plan, inputs, { subgroupSize });

/** Largest key that the reduction of a text agrees on, for keys 1 .. 32 by thread, at a subgroup width. */
function agreedOn(wgsl: string, subgroupSize: number): number {
  const lines = wgsl.split("\n").map((line) => line.trim());
  const from = lines.findIndex((line) => line.startsWith("let top = "));
  const text = `enable subgroups;
    @group(0) @binding(0) var<storage, read_write> got: array<u32>;
    var<workgroup> peakKey: atomic<u32>;
    @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) t: u32) {
      if (t == 0u) { atomicStore(&peakKey, 0u); }
      workgroupBarrier();
      let key = 32u - t;
      ${lines.slice(from, from + 3).join("\n")}
      if (t == 0u) { got[0] = atomicLoad(&peakKey); }
    }`;
  const got = new Uint32Array(1);
  interpret({ wgsl: text, buffers: { got }, extents: {}, groups: 1, subgroupSize });
  return got[0]!;
}

/** Every check by its name; each throws where its property does not hold. */
const CHECKS: Breaking<Kernel>["checks"] = {
  "no thread reads what another may still be writing": (broken) => {
    const races = run(kernelOf(broken)).faults.filter(({ kind }) => kind === "race");
    expect(races).toEqual([]);
  },

  "the reduction agrees on the largest key at every subgroup width": (broken) => {
    const { wgsl } = kernelOf(broken);
    // The largest key belongs to the first thread of the second half.
    const turned = wgsl.replace("let key = 32u - t;", "");
    for (const width of [4, 8, 16, 32, 64]) expect(agreedOn(turned, width), `width ${width}`).toBe(32);
  },

  "every variable of the text is a buffer of its own": (broken) => {
    const { plan, wgsl } = kernelOf(broken);
    const [step] = plan.steps;
    const bound = step?.kind === "dispatch" ? step.bindings.map(({ buffer }) => buffer) : [];
    for (const [, binding, name] of wgsl.matchAll(/@binding\((\d+)\) var<storage, \w+> (\w+):/g)) {
      expect(bound[Number(binding) - 1], `binding ${binding}`).toBe(name);
    }
  },

  "an odd power of two has its radix-2 stage: the arithmetic of every pass is there": (broken) => {
    const { wgsl } = kernelOf(broken);
    expect(SHAPE.passes.map(({ radix }) => radix)).toEqual([2, 4, 4, 4]);
    for (const [index, { radix }] of SHAPE.passes.entries()) {
      const operations = segment(wgsl, index).filter((line) => /^let p\d+v/.test(line)).length;
      expect(operations, `pass ${index}`).toBe((SHAPE.points / radix) * codelet(radix, 1).operations.length);
    }
  },

  "an exchange hands every register the position that its next pass reads": (broken) => {
    const { wgsl } = kernelOf(broken);
    for (const [index, next] of SHAPE.passes.slice(1).entries()) {
      if (!segment(wgsl, index).some((line) => line.includes("stage["))) continue;
      const want = Array.from({ length: PROBLEM.n }, (_, at) =>
        inputPosition(SHAPE, next, Math.floor(at / SHAPE.points), at % SHAPE.points),
      );
      expect(handedOn(wgsl, SHAPE, index), `after pass ${index}`).toEqual(want);
    }
  },

  "every exchange takes place: workgroup memory carries what the cost claims": (broken) => {
    const { reads, writes } = run(kernelOf(broken)).stages.fused!.traffic.stage!;
    // Writes are forgotten from one workgroup to the next, reads add up: compare one workgroup's.
    const words = (counts: Uint32Array): number => counts.reduce((sum, count) => sum + count, 0);
    const bytes = 4 * (words(reads) / PROBLEM.pairs + words(writes));
    expect(bytes).toBe(fused.cost(PROBLEM, CONFIG as never).workgroupBytes / PROBLEM.pairs);
  },

  "the buffers are of the length that the text reads": (broken) => {
    const { plan, wgsl } = kernelOf(broken);
    for (const name of ["data", "templates"] as const) {
      const points = Number(new RegExp(`> ${name}: array<array<vec2f, (\\d+)>>;`).exec(wgsl)![1]);
      const { fixedBytes } = plan.buffers.find((buffer) => buffer.name === name)!;
      expect(fixedBytes).toBe(8 * points * PROBLEM[name]);
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
    "a hard-coded 32",
    "the reduction agrees on the largest key at every subgroup width",
    inText((wgsl) => wgsl.replaceAll("subgroupElect()", "t % 32u == 31u")),
  ],
  [
    "two buffers overlapping",
    "every variable of the text is a buffer of its own",
    inText((wgsl) => wgsl.replace(/@binding\(2\)( var<storage, read> templates)/, "@binding(1)$1")),
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
      plan: planOf({ ...PROBLEM, n: PROBLEM.n / 2 }, { ...CONFIG, workgroup: 16 }),
    }),
  ],
];

turnsRed<Kernel>({ what: "kernel", made: kernelOf, checks: CHECKS, breaks: BREAKS });
