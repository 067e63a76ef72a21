import { type Algorithm, type Binding, CONTRACT_VERSION, Fault, requirementsOf } from "@tunelab/contract";
import { pointsBuffer, twiddleBuffer } from "../../buffers.ts";
import { PLAIN } from "../../further-space.ts";
import {
  COMPLEX_BYTES,
  type FftProblem,
  leastItems,
  ONE_WORKGROUP_N,
  signOf,
  transformFlops,
} from "../../problem.ts";
import {
  defaultTransform,
  exchangedBytes,
  exchangeMemory,
  looseBuiltins,
  shapeFor,
  shuffleNeeds,
  transformFor,
  workgroupBytes,
} from "../../transform-space.ts";
import { readsStorage, tableAccess } from "../../twiddles.ts";
import { type OneWorkgroupConfig, oneWorkgroupSpace, widthFor } from "./space.ts";
import { oneWorkgroupText } from "./text.ts";

/** Invocations that the default fills with short transforms: a subgroup of the widest devices. */
const DEFAULT_FILL = 64;

/** A transform in the registers of one workgroup, one dispatch: every point is read once and written once. */
export const oneWorkgroup: Algorithm<FftProblem, OneWorkgroupConfig> = {
  name: "one-workgroup",
  space: ({ n }) => oneWorkgroupSpace(n),

  defaultConfig({ n }, { limits }) {
    const { maxComputeInvocationsPerWorkgroup: invocations, maxComputeWorkgroupStorageSize: memory } = limits;
    const side = Math.max(1, Math.min(DEFAULT_FILL, invocations) / (n / 4));
    return {
      ...defaultTransform(n, memory / side, invocations),
      transforms: side,
      loads: "scalar",
      ...PLAIN,
    };
  },

  resources({ n }, config) {
    return {
      workgroupBytes: workgroupBytes(config.transforms * exchangeMemory(n, config)),
      invocations: config.workgroup * config.transforms,
      scratchBytesPerItem: 0,
      storageBuffers: readsStorage(config.twiddles) && shapeFor(n, config).passes.length > 1 ? 3 : 2,
      ...shuffleNeeds(config),
      looseBuiltins: looseBuiltins(config),
    };
  },

  plan(problem, config) {
    const { n, batch, direction } = problem;
    if (n > ONE_WORKGROUP_N) {
      throw new Fault(
        "unsupported",
        `one workgroup transforms up to ${ONE_WORKGROUP_N} points, not ${n}: choose four-step`,
      );
    }
    const options = transformFor(config, signOf(direction));
    const table = twiddleBuffer(shapeFor(n, config, widthFor(config)), options);
    const bindings: Binding[] = [
      { buffer: "input", access: "read" },
      ...(table ? [{ buffer: table.name, access: tableAccess(config.twiddles) }] : []),
      { buffer: "output", access: "read-write" },
    ];
    const needs = this.resources(problem, config);
    return {
      contract: CONTRACT_VERSION,
      operation: "fft",
      algorithm: "one-workgroup",
      buffers: [pointsBuffer("input", "in", n), ...(table ? [table] : []), pointsBuffer("output", "out", n)],
      modules: [{ name: "transform", wgsl: oneWorkgroupText(n, config, options, bindings) }],
      steps: [
        {
          kind: "dispatch",
          stage: "transform",
          module: "transform",
          entry: "main",
          bindings,
          groups: { fixed: 0, perItem: { groups: 1, items: config.transforms } },
        },
      ],
      batch: {
        dimension: "batch",
        items: batch,
        order: "independent",
        quantum: config.transforms,
        minimum: leastItems(n),
      },
      extents: {},
      requires: requirementsOf(needs),
    };
  },

  cost({ n, batch }, config) {
    const bytes = 2 * batch * n * COMPLEX_BYTES;
    return {
      flops: batch * transformFlops(n),
      requestedBytes: bytes,
      compulsoryBytes: bytes,
      workgroupBytes: batch * exchangedBytes(n, config),
    };
  },

  // How registers travel changes no sum: only the factors and their order of use do.
  parityClass: (_problem, { radix, butterfly, twiddles }) => `${radix}/${butterfly}/${twiddles}`,
};
