import { type Algorithm, type Binding, CONTRACT_VERSION, type Plan, requirementsOf } from "@tunelab/contract";
import {
  defaultTransform,
  exchangedBytes,
  exchangeFor,
  exchangeMemory,
  looseBuiltins,
  PLAIN,
  positionText,
  range,
  readsStorage,
  registers,
  shuffleNeeds,
  stageDeclaration,
  tableAccess,
  tableType,
  transformFor,
  transformText,
  twiddleBuffer,
  workgroupBytes,
} from "@tunelab/kernel-fft";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
} from "@tunelab/variants";
import { inputBuffers, recordsBuffer, typesOf } from "../../buffers.ts";
import { checkLength } from "../../length.ts";
import {
  COMPLEX_BYTES,
  INVERSE,
  type MatchedFilterProblem,
  PAIR_BYTES,
  pairFlops,
  RECORD_BYTES,
  thresholdExtents,
} from "../../problem.ts";
import { loadingShape, loadText } from "../../wgsl/loads.ts";
import {
  NO_PEAK_DECLARATION,
  peakText,
  reductionDeclarations,
  reductionMemory,
  reductionReset,
} from "../../wgsl/peak.ts";
import { laneName, sideHooks, sideText, sourceText } from "../../wgsl/sides.ts";
import { type CorrReduceConfig, corrReduceSpace } from "./space.ts";

/** Pieces below this leave most devices idle; small enough that a software GPU stays within its time budget. */
const LEAST_PAIRS = 32;

/**
 * Transform to global memory, then a second kernel that finds the peak: what calling an FFT library and reducing afterwards
 * costs. The correlation takes n complex numbers of scratch a pair, so memory cuts the batch.
 */
export const corrReduce: Algorithm<MatchedFilterProblem, CorrReduceConfig> = {
  name: "corr-reduce",
  space: ({ n }) => corrReduceSpace(n),

  defaultConfig({ n }, { limits }) {
    const invocations = limits.maxComputeInvocationsPerWorkgroup;
    const transform = defaultTransform(n, limits.maxComputeWorkgroupStorageSize, invocations);
    return {
      ...transform,
      scan: Math.min(64, n),
      reduction: "tree",
      loads: "scalar",
      transforms: 1,
      ...PLAIN,
    };
  },

  resources({ n }, config) {
    return {
      workgroupBytes: Math.max(
        workgroupBytes((config.transforms ?? 1) * exchangeMemory(n, config, loadingShape(n, config))),
        workgroupBytes(...reductionMemory(config.reduction, config.scan)),
      ),
      invocations: Math.max(config.workgroup * (config.transforms ?? 1), config.scan),
      scratchBytesPerItem: n * COMPLEX_BYTES,
      storageBuffers: readsStorage(config.twiddles) ? 5 : 4,
      ...shuffleNeeds(config),
      features: needsSubgroups(config) ? ["subgroups"] : [],
      looseBuiltins: looseBuiltins(config),
    };
  },

  plan(problem, config) {
    const { n, pairs } = problem;
    checkLength(n);
    const table = twiddleBuffer(loadingShape(n, config), transformFor(config, INVERSE));
    const correlate: Binding[] = [
      { buffer: "data", access: "read" },
      { buffer: "templates", access: "read" },
      { buffer: "pairs", access: "read" },
      ...(table ? [{ buffer: "twiddles", access: tableAccess(config.twiddles) }] : []),
      { buffer: "correlation", access: "read-write" },
    ];
    const reduce: Binding[] = [
      { buffer: "correlation", access: "read" },
      { buffer: "records", access: "read-write" },
    ];
    const { transforms = 1 } = config;
    const groups = (items: number) => ({ fixed: 0, perItem: { groups: 1, items } });
    const needs = this.resources(problem, config);
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "matched-filter",
      algorithm: "corr-reduce",
      buffers: [
        ...inputBuffers(problem),
        ...(table ? [table] : []),
        { name: "correlation", role: "scratch", dtype: "f32", fixedBytes: 0, itemBytes: n * COMPLEX_BYTES },
        recordsBuffer(),
      ],
      modules: [
        { name: "correlate", wgsl: correlateText(n, config, correlate) },
        { name: "reduce", wgsl: reduceText(problem, config, reduce) },
      ],
      steps: [
        {
          kind: "dispatch",
          stage: "correlate",
          module: "correlate",
          entry: "main",
          bindings: correlate,
          groups: groups(transforms),
        },
        {
          kind: "dispatch",
          stage: "reduce",
          module: "reduce",
          entry: "main",
          bindings: reduce,
          groups: groups(1),
        },
      ],
      batch: {
        dimension: "pairs",
        items: pairs,
        order: "independent",
        quantum: transforms,
        minimum: LEAST_PAIRS,
      },
      extents: thresholdExtents(problem),
      requires: requirementsOf(needs),
    };
    return plan;
  },

  cost({ n, data, templates, pairs }, config) {
    return {
      flops: pairs * pairFlops(n),
      requestedBytes: pairs * (4 * n * COMPLEX_BYTES + PAIR_BYTES + RECORD_BYTES),
      compulsoryBytes: (data + templates) * n * COMPLEX_BYTES + pairs * (PAIR_BYTES + RECORD_BYTES),
      workgroupBytes: pairs * exchangedBytes(n, config, loadingShape(n, config)),
    };
  },
};

const correlationType = (n: number): string => `array<array<vec2f, ${n}>>`;

const needsSubgroups = ({ reduction, shuffle = 0 }: CorrReduceConfig): boolean =>
  reduction === "subgroup" || shuffle > 0;

function correlateText(n: number, config: CorrReduceConfig, bindings: readonly Binding[]): string {
  const shape = loadingShape(n, config);
  const last = shape.passes.at(-1)!;
  const every = range(shape.points);
  const { transforms = 1, workgroup } = config;
  const first = transforms > 1 ? "first" : "pair";
  const stores = registers(shape).map(
    (x, r) => `correlation[pair][${positionText(shape, last, "output", r)}] = ${x};`,
  );
  const products = { a: every.map((r) => `d${r}`), h: every.map((r) => `h${r}`) };
  return lines(
    shuffleNeeds(config).features.map((feature) => `enable ${feature};`),
    extentsStruct(),
    bindingDeclarations(bindings, {
      ...typesOf(n, config.loads),
      twiddles: tableType(shape, transformFor(config, INVERSE)),
      correlation: correlationType(n),
    }),
    stageDeclaration(shape, exchangeFor(config), transforms),
    `@compute @workgroup_size(${workgroup * transforms})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) ${laneName(config)}: u32)`,
      `let ${first} = ${linearGroup()}${transforms > 1 ? ` * ${formatU32(transforms)}` : ""};`,
      `if (${first} >= extents.items) { return; }`,
      sideText(shape, config),
      transforms > 1 && "let pair = first + side;",
      sourceText(config),
      loadText(shape, config.loads, "data[source.x]", (r) => `let d${r}`, "dv"),
      loadText(shape, config.loads, "templates[source.y]", (r) => `let h${r}`, "hv"),
      registers(shape).map((x) => `var ${x} = vec2f();`),
      transformText(shape, transformFor(config, INVERSE), { products, ...sideHooks(config) }).text,
      transforms > 1 ? block("if (pair < extents.items)", stores) : stores,
    ),
  );
}

function reduceText(
  problem: MatchedFilterProblem,
  config: CorrReduceConfig,
  bindings: readonly Binding[],
): string {
  const { n } = problem;
  const { scan, reduction } = config;
  return lines(
    reduction === "subgroup" && "enable subgroups;",
    extentsStruct(thresholdExtents(problem)),
    bindingDeclarations(bindings, { ...typesOf(n), correlation: correlationType(n) }),
    reductionDeclarations(reduction, scan),
    NO_PEAK_DECLARATION,
    `@compute @workgroup_size(${scan})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let pair = ${linearGroup()};`,
      "if (pair >= extents.items) { return; }",
      reductionReset(reduction),
      reduction === "subgroup" && "workgroupBarrier();",
      "var best = -1.0f;",
      "var mine = NO_PEAK;",
      block(
        `for (var step = 0u; step < ${formatU32(n / scan)}; step += 1u)`,
        `let index = step * ${formatU32(scan)} + t;`,
        "let value = correlation[pair][index];",
        "let size = dot(value, value);",
        "if (size > best) {",
        "  best = size;",
        "  mine = index;",
        "}",
      ),
      peakText({
        threads: scan,
        reduction,
        thresholded: problem.threshold !== undefined,
        search: ["at = mine;"],
        value: ["z = correlation[pair][found];"],
      }),
    ),
  );
}
