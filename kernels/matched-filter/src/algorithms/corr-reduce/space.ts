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

export type CorrReduceConfig = TransformConfig & {
  readonly scan: number;
  readonly reduction: Reduction;
  readonly loads?: Loads;
  readonly transforms?: number;
};

export function corrReduceSpace(n: number): Space<CorrReduceConfig> {
  return {
    parameters: [
      ...withConstants(transformParameters(n)),
      {
        name: "scan",
        values: [32, 64, 128, 256],
        unit: "invocations",
        doc: "threads of the second kernel that scan one correlation",
      },
      {
        name: "reduction",
        values: ["subgroup", "tree"],
        doc: "how they agree on the peak: subgroup maxima (any width) and two atomics, or a tree through workgroup memory",
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
        name: "scan-fits-the-length",
        doc: "every scanning thread has a point: scan <= n",
        parameters: ["scan"],
        holds: ({ scan }) => scan <= n,
      },
      loadsConstraint(n),
      sidesConstraint,
    ],
  };
}
