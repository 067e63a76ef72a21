import {
  type Algorithm,
  type Binding,
  type BufferSpec,
  CONTRACT_VERSION,
  type DispatchStep,
  type Plan,
  requirementsOf,
  type Step,
} from "@tunelab/contract";
import { portBindings, portBuffers, strides } from "../../buffers.ts";
import { type EighProblem, FLOAT_BYTES } from "../../problem.ts";
import { tridiagonalBytes } from "./bytes.ts";
import { tridiagonalCost } from "./cost.ts";
import { CHECK_THREADS, checkText, FINISH_THREADS, finishSlabs, finishText } from "./finish.ts";
import { formText, slabOf } from "./form.ts";
import { levelsOf, mergeGroups, mergeText } from "./merge.ts";
import { MULTIPLY_THREADS, multiplyGroups, multiplyText } from "./multiply.ts";
import { mostDispatches, qlText, qlThreads, sweepsADispatch } from "./ql.ts";
import { reduceText } from "./reduce.ts";
import { bandFloats, COLUMNS_A_DISPATCH, STATE, shapeOf } from "./shape.ts";
import { type TridiagonalConfig, tridiagonalSpace } from "./space.ts";
import { partialQuads, peakOfText, startText, wideText } from "./wide.ts";

/** Largest order that QL solves where nothing is tuned: its chain of rotations is n^2 long, divide and conquer some dozen dispatches. */
export const MOST_QL = 64;

/** Pieces below this, a workgroup a matrix, leave most devices idle. */
const LEAST_MATRICES = 32;

const wanted = ({ vectors }: EighProblem): boolean => vectors === "yes";

/** Buffers besides the ports, by what a configuration needs. */
function scratchOf(
  problem: EighProblem,
  { threads, memory, groups, solver }: TridiagonalConfig,
): readonly BufferSpec[] {
  const { n } = problem;
  const quads = Math.ceil(n / 4);
  const scratch = (name: string, dtype: "f32" | "u32", words: number): BufferSpec => ({
    name,
    role: "scratch",
    dtype,
    fixedBytes: 0,
    itemBytes: FLOAT_BYTES * words,
  });
  return [
    scratch("work", "f32", 4 * n * quads),
    scratch("band", "f32", bandFloats(n)),
    scratch("state", "u32", STATE.words),
    ...(memory === "global" ? [scratch("rows", "f32", 16 * quads * quads)] : []),
    ...(groups > 1 ? [scratch("partial", "f32", 4 * partialQuads(shapeOf(n, threads), groups))] : []),
    ...(wanted(problem) ? [scratch("basis", "f32", halvesOf(solver) * n * n)] : []),
    ...(solver === "divide"
      ? [scratch("mix", "f32", n * n), scratch("turns", "f32", 4 * n), scratch("pieces", "f32", 4 * n)]
      : []),
  ];
}

/** Divide and conquer takes the vectors from one half of `basis` to the other and back. */
const halvesOf = (solver: TridiagonalConfig["solver"]): number => (solver === "divide" ? 2 : 1);

const loops = (n: number): boolean => Number.isFinite(sweepsADispatch(n));

/**
 * Householder's reduction to a tridiagonal matrix, then implicit QL, and vectors as the product of all reflections and rotations. About 4/3 n^3 operations to
 * reduce, as many to form Q, and 5 n^3 to turn it: Jacobi takes some 8 n^3 a sweep.
 */
export const tridiagonal: Algorithm<EighProblem, TridiagonalConfig> = {
  name: "tridiagonal",
  space: tridiagonalSpace,

  defaultConfig(problem, { limits }) {
    const { n } = problem;
    const most = Math.min(256, limits.maxComputeInvocationsPerWorkgroup);
    const config = {
      threads: Math.min(most, Math.max(32, 2 ** Math.round(Math.log2(n)))),
      groups: 1,
      reduction: "workgroup",
      solver: n > MOST_QL ? "divide" : "ql",
      sweeps: 2,
      matrices: 1,
    } as const;
    const inside = { ...config, memory: "workgroup" } as const;
    const fits = tridiagonalBytes(problem, inside) <= limits.maxComputeWorkgroupStorageSize;
    // A workgroup alone needs about 2 n^3 / 3 elements from memory, one after the other.
    return fits ? inside : { ...config, memory: "global", groups: n > 256 ? 8 : 1 };
  },

  resources(problem, config) {
    const { n } = problem;
    const scratch = scratchOf(problem, config);
    const bySubgroup = config.reduction === "subgroup";
    return {
      workgroupBytes: tridiagonalBytes(problem, config),
      invocations: Math.max(
        config.threads,
        config.solver === "ql" ? qlThreads(n, config) : 0,
        FINISH_THREADS,
        wanted(problem) ? Math.max(slabOf(n).threads, MULTIPLY_THREADS) : 0,
      ),
      scratchBytesPerItem: scratch.reduce((sum, { itemBytes }) => sum + itemBytes, 0),
      storageBuffers: Math.max(
        portBindings(problem).length - 1 + (wanted(problem) ? 3 : 2),
        config.solver === "divide" || (config.memory === "global" && config.groups === 1) ? 5 : 4,
      ),
      features: bySubgroup ? ["subgroups"] : [],
    };
  },

  plan(problem, config) {
    const { n } = problem;
    const needs = this.resources(problem, config);
    const scratch = scratchOf(problem, config);
    const shape = shapeOf(n, config.threads);
    const global = config.memory === "global";
    const divides = config.solver === "divide";
    const [halves, levels] = [halvesOf(config.solver), levelsOf(n)];
    const use = (...names: string[]): Binding[] =>
      names.map((buffer) => ({ buffer, access: buffer === "matrices" ? "read" : "read-write" }));
    const step = (name: string, bindings: readonly Binding[], groups = 1, items = 1): DispatchStep => ({
      kind: "dispatch",
      stage: name,
      module: name,
      entry: "main",
      bindings,
      groups: { fixed: 0, perItem: { groups, items } },
    });
    const reduce = step("reduce", use("matrices", "work", "band", "state", ...(global ? ["rows"] : [])));
    const peak = step("peak", use("matrices", "state"), config.groups);
    const start = step("start", use("matrices", "state", "rows"), config.groups);
    const wide = step("reduce", use("work", "band", "rows", "partial"), config.groups);
    const form = step("form", use("work", "band", "basis"), slabOf(n).slabs, slabOf(n).matrices);
    const ql = step("ql", use("band", "state", ...(wanted(problem) ? ["basis"] : [])), 1, config.matrices);
    const merge = step(
      "merge",
      use("band", "state", "turns", "mix", "pieces"),
      mergeGroups(n, config.threads),
    );
    const multiply = step("multiply", use("basis", "mix"), multiplyGroups(n));
    const check = step("check", use("state", "left"), 1, CHECK_THREADS);
    const [, ...outputs] = portBindings(problem);
    const finish = step(
      "finish",
      [...outputs, ...use("band", "state", ...(wanted(problem) ? ["basis"] : []))],
      finishSlabs(problem),
    );
    const clear: Step = { kind: "clear", stage: "check", buffer: "left" };
    const times = (stage: string, count: number, ...steps: DispatchStep[]): Step => ({
      kind: "repeat",
      stage,
      steps,
      count,
    });
    const sweeps: Step = {
      kind: "loop",
      stage: "sweeps",
      steps: [ql],
      closing: [clear, check],
      maximum: mostDispatches(n),
      checkEvery: 2,
      until: { buffer: "left", offset: 0, equals: 0 },
    };
    const columns = Math.ceil(n / COLUMNS_A_DISPATCH);
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "eigh",
      algorithm: "tridiagonal",
      buffers: [
        ...portBuffers(problem),
        ...scratch,
        ...(!divides && loops(n)
          ? [{ name: "left", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 } as const]
          : []),
      ],
      modules: [
        ...(config.groups > 1
          ? [
              { name: "peak", wgsl: peakOfText(problem, shape, config.groups, peak.bindings) },
              { name: "start", wgsl: startText(problem, shape, config.groups, start.bindings) },
              { name: "reduce", wgsl: wideText(problem, config, shape, wide.bindings) },
            ]
          : [{ name: "reduce", wgsl: reduceText(problem, config, shape, reduce.bindings) }]),
        ...(wanted(problem) ? [{ name: "form", wgsl: formText(problem, halves, form.bindings) }] : []),
        ...(divides
          ? [{ name: "merge", wgsl: mergeText(problem, config.threads, merge.bindings) }]
          : [{ name: "ql", wgsl: qlText(problem, config, ql.bindings) }]),
        ...(divides && wanted(problem)
          ? [{ name: "multiply", wgsl: multiplyText(problem, multiply.bindings) }]
          : []),
        ...(!divides && loops(n) ? [{ name: "check", wgsl: checkText(problem, check.bindings) }] : []),
        { name: "finish", wgsl: finishText(problem, { halves, half: levels % halves }, finish.bindings) },
      ],
      steps: [
        ...(config.groups > 1
          ? [
              { kind: "clear", stage: "peak", buffer: "state" } as const,
              peak,
              start,
              times("columns", n, wide),
            ]
          : [global ? times("columns", columns, reduce) : reduce]),
        ...(wanted(problem) ? [form] : []),
        ...(divides
          ? [times("levels", levels, merge, ...(wanted(problem) ? [multiply] : []))]
          : [loops(n) ? sweeps : ql]),
        finish,
      ],
      batch: {
        dimension: "batch",
        items: problem.batch,
        order: "independent",
        quantum: 1,
        minimum: Math.ceil(LEAST_MATRICES / config.groups),
      },
      extents: strides(problem),
      requires: requirementsOf(needs),
    };
    return plan;
  },

  cost: tridiagonalCost,
};
