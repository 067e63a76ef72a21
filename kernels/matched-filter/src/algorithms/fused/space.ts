import type { Space } from "@tunelab/contract";
import {
  furtherConstraints,
  furtherParameters,
  type TransformConfig,
  transformConstraints,
  transformParameters,
  withConstants,
} from "@tunelab/kernel-fft";
import { oneWorkgroupHolds } from "../../length.ts";
import { type Loads, loadsConstraint, loadsParameter } from "../../wgsl/loads.ts";
import type { Reduction } from "../../wgsl/peak.ts";
import { sidesConstraint, sidesParameter } from "../../wgsl/sides.ts";

export type FusedConfig = TransformConfig & {
  readonly reduction: Reduction;
  readonly tile: number;
  readonly hoist: boolean;
  /** Undefined is what ids without it mean, as for all parameters added later. */
  readonly loads?: Loads;
  readonly transforms?: number;
};

export function fusedSpace(n: number): Space<FusedConfig> {
  return {
    parameters: [
      ...withConstants(transformParameters(n)),
      {
        name: "reduction",
        values: ["subgroup", "tree"],
        doc: "how threads agree on the peak: subgroup maxima (any width) and two atomics, or a tree through workgroup memory",
      },
      {
        name: "tile",
        values: [1, 2, 4, 8],
        unit: "pairs",
        doc: "consecutive pairs of one workgroup; the data spectrum stays in registers while its index does not change",
      },
      {
        name: "hoist",
        values: [false, true],
        doc: "twiddles are computed or loaded once before the tile's loop and stay in registers, or inside it where they are used",
      },
      loadsParameter,
      sidesParameter(n),
      ...furtherParameters,
    ],
    constraints: [
      oneWorkgroupHolds(n),
      ...transformConstraints(n),
      ...furtherConstraints(n),
      {
        name: "hoist-from-a-loop",
        doc: "twiddles can only move out of a loop: hoist needs tile > 1",
        parameters: ["tile", "hoist"],
        holds: ({ tile, hoist }) => tile > 1 || !hoist,
      },
      {
        name: "a-loop-keeps-its-factors",
        doc: "the factors of a loop over levels are another level's each round and cannot be hoisted",
        parameters: ["hoist", "unroll"],
        holds: ({ hoist, unroll }) => !hoist || unroll !== false,
      },
      loadsConstraint(n),
      sidesConstraint,
    ],
  };
}
