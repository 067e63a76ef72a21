import { type Algorithm, type Binding, CONTRACT_VERSION, type Plan, requirementsOf } from "@tunelab/contract";
import {
  defaultTransform,
  exchangedBytes,
  exchangeFor,
  exchangeMemory,
  looseBuiltins,
  outputPosition,
  PLAIN,
  positionText,
  range,
  readsStorage,
  registers,
  type Shape,
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
  type Text,
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
  maximum,
  NO_PEAK_DECLARATION,
  peakText,
  reductionDeclarations,
  reductionMemory,
  reductionReset,
} from "../../wgsl/peak.ts";
import { laneName, sideHooks, sideText, sourceText } from "../../wgsl/sides.ts";
import { type FusedConfig, fusedSpace } from "./space.ts";

/** Pieces below this leave most devices idle; small enough that a software GPU stays within its time budget. */
const LEAST_PAIRS = 32;

/** Multiply, inverse transform and peak scan in one dispatch; one workgroup a pair (or a tile of pairs), one record a pair. */
export const fused: Algorithm<MatchedFilterProblem, FusedConfig> = {
  name: "fused",
  space: ({ n }) => fusedSpace(n),

  defaultConfig({ n }, { limits }) {
    const invocations = limits.maxComputeInvocationsPerWorkgroup;
    const tree = workgroupBytes(...reductionMemory("tree", Math.min(n / 4, 256, invocations)));
    const transform = defaultTransform(n, limits.maxComputeWorkgroupStorageSize - tree, invocations);
    return {
      ...transform,
      reduction: "tree",
      tile: 1,
      hoist: false,
      loads: "scalar",
      transforms: 1,
      ...PLAIN,
    };
  },

  resources({ n }, config) {
    const { reduction, workgroup, transforms = 1 } = config;
    return {
      workgroupBytes: workgroupBytes(
        transforms * exchangeMemory(n, config, loadingShape(n, config)),
        ...reductionMemory(reduction, workgroup, transforms),
      ),
      invocations: workgroup * transforms,
      scratchBytesPerItem: 0,
      storageBuffers: readsStorage(config.twiddles) ? 5 : 4,
      ...shuffleNeeds(config),
      features: needsSubgroups(config) ? ["subgroups"] : [],
      looseBuiltins: looseBuiltins(config),
    };
  },

  plan(problem, config) {
    const { n, pairs } = problem;
    checkLength(n);
    const together = config.tile * (config.transforms ?? 1);
    const table = twiddleBuffer(loadingShape(n, config), transformFor(config, INVERSE));
    const bindings: Binding[] = [
      { buffer: "data", access: "read" },
      { buffer: "templates", access: "read" },
      { buffer: "pairs", access: "read" },
      ...(table ? [{ buffer: "twiddles", access: tableAccess(config.twiddles) }] : []),
      { buffer: "records", access: "read-write" },
    ];
    const needs = this.resources(problem, config);
    const plan: Plan = {
      contract: CONTRACT_VERSION,
      operation: "matched-filter",
      algorithm: "fused",
      buffers: [...inputBuffers(problem), ...(table ? [table] : []), recordsBuffer()],
      modules: [{ name: "fused", wgsl: fusedText(problem, config, bindings) }],
      steps: [
        {
          kind: "dispatch",
          stage: "fused",
          module: "fused",
          entry: "main",
          bindings,
          groups: { fixed: 0, perItem: { groups: 1, items: together } },
        },
      ],
      batch: {
        dimension: "pairs",
        items: pairs,
        order: "independent",
        quantum: together,
        minimum: LEAST_PAIRS,
      },
      extents: thresholdExtents(problem),
      requires: requirementsOf(needs),
    };
    return plan;
  },

  cost({ n, data, templates, pairs }, config) {
    const spectra = 1 + 1 / config.tile;
    return {
      flops: pairs * pairFlops(n),
      requestedBytes: pairs * (spectra * n * COMPLEX_BYTES + PAIR_BYTES + RECORD_BYTES),
      compulsoryBytes: (data + templates) * n * COMPLEX_BYTES + pairs * (PAIR_BYTES + RECORD_BYTES),
      workgroupBytes: pairs * exchangedBytes(n, config, loadingShape(n, config)),
    };
  },
};

/** Whether the kernel's text enables subgroups. */
export const needsSubgroups = ({ reduction, shuffle = 0 }: FusedConfig): boolean =>
  reduction === "subgroup" || shuffle > 0;

function fusedText(problem: MatchedFilterProblem, config: FusedConfig, bindings: readonly Binding[]): string {
  const { n } = problem;
  const shape = loadingShape(n, config);
  const { transforms = 1, workgroup, reduction } = config;
  const thresholded = problem.threshold !== undefined;
  return lines(
    needsSubgroups(config) && "enable subgroups;",
    extentsStruct(thresholdExtents(problem)),
    bindingDeclarations(bindings, {
      ...typesOf(n, config.loads),
      twiddles: tableType(shape, transformFor(config, INVERSE)),
    }),
    stageDeclaration(shape, exchangeFor(config), transforms),
    reductionDeclarations(reduction, workgroup, transforms),
    NO_PEAK_DECLARATION,
    `@compute @workgroup_size(${workgroup * transforms})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) ${laneName(config)}: u32)`,
      config.tile === 1 ? single(shape, config, thresholded) : tiled(shape, config, thresholded),
    ),
  );
}

function single(shape: Shape, config: FusedConfig, thresholded: boolean): Text[] {
  const { transforms = 1 } = config;
  const first = transforms > 1 ? "first" : "pair";
  return [
    `let ${first} = ${linearGroup()}${transforms > 1 ? ` * ${formatU32(transforms)}` : ""};`,
    `if (${first} >= extents.items) { return; }`,
    sideText(shape, config),
    transforms > 1 && "let pair = first + side;",
    pairText(shape, config, thresholded),
  ];
}

/**
 * One pair, known as `pair`, from its spectra to its record by thread `t` of a workgroup that has just begun or passed a barrier; `looped`
 * where the workgroup takes another pair by the same text, which is then right without a barrier in between.
 */
export function pairText(shape: Shape, config: FusedConfig, thresholded: boolean, looped = false): Text[] {
  const { factors, text } = transformAndPeak(shape, config, thresholded, looped);
  return [
    sourceText(config),
    loadText(shape, config.loads, "data[source.x]", (r) => `let d${r}`, "dv"),
    factors,
    text,
  ];
}

function tiled(shape: Shape, config: FusedConfig, thresholded: boolean): Text[] {
  const { factors, text } = transformAndPeak(shape, config, thresholded, true);
  const { tile, transforms = 1 } = config;
  return [
    `let first = ${linearGroup()} * ${formatU32(tile * transforms)};`,
    sideText(shape, config),
    "var held = NO_PEAK;",
    range(shape.points).map((r) => `var d${r} = vec2f();`),
    factors,
    block(
      `for (var step = 0u; step < ${formatU32(tile)}; step += 1u)`,
      // Side 0 has the least pair: where it is past the last, so are all, and all leave together.
      transforms === 1
        ? ["let pair = first + step;", "if (pair >= extents.items) { break; }"]
        : [
            "if (first + step >= extents.items) { break; }",
            `let pair = first + side * ${formatU32(tile)} + step;`,
          ],
      sourceText(config),
      block(
        "if (source.x != held)",
        "held = source.x;",
        loadText(shape, config.loads, "data[source.x]", (r) => `d${r}`, "dv"),
      ),
      text,
    ),
  ];
}

/** From the data spectrum in d0, d1, ... and the pair in `pair` and `source` to the record; the factors apart when hoisted. */
function transformAndPeak(
  shape: Shape,
  config: FusedConfig,
  thresholded: boolean,
  looped: boolean,
): { factors: Text; text: Text[] } {
  const { transforms = 1 } = config;
  const reset = reductionReset(config.reduction, transforms);
  const every = range(shape.points);
  const { factors, text, barriers, barriersAfter } = transformText(
    shape,
    transformFor(config, INVERSE, config.hoist),
    {
      afterFirstBarrier: reset ? [reset] : [],
      products: { a: every.map((r) => `d${r}`), h: every.map((r) => `h${r}`) },
      ...sideHooks(config),
    },
  );
  const last = shape.passes.at(-1)!;
  // The registers' order is that of their positions, whatever the thread: its bits and theirs are different ones.
  const positions = every.map((r) => outputPosition(shape, last, 0, r));
  const ascending = [...every].sort((a, b) => positions[a]! - positions[b]!);
  const at = (r: number): string => positionText(shape, last, "output", r);
  return {
    factors,
    text: [
      loadText(shape, config.loads, "templates[source.y]", (r) => `let h${r}`, "hv"),
      registers(shape).map((x) => `var ${x} = vec2f();`),
      text,
      // Without a barrier in the transform the pair before may still be read by some when others come to write.
      looped && barriers === 0 && "workgroupBarrier();",
      // The reset must be seen by all before the first maximum.
      reset !== "" && barriersAfter === 0 && "workgroupBarrier();",
      registers(shape).map((x, r) => `let m${r} = dot(${x}, ${x});`),
      `let best = ${maximum(every.map((r) => `m${r}`))};`,
      peakText({
        threads: config.workgroup,
        reduction: config.reduction,
        thresholded,
        transforms,
        search: [...ascending].reverse().map((r) => `if (m${r} == best) { at = ${at(r)}; z = x${r}; }`),
      }),
    ],
  };
}
