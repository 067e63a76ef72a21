import type { Space } from "@tunelab/contract";
import { furtherConstraints, furtherParameters, withConstants } from "../../further-space.ts";
import { ONE_WORKGROUP_N } from "../../problem.ts";
import {
  powersOfTwo,
  type TransformConfig,
  transformConstraints,
  transformParameters,
} from "../../transform-space.ts";

export type OneWorkgroupConfig = TransformConfig & {
  readonly transforms: number;
  readonly loads: "scalar" | "vector";
};

/** Invocations that several transforms may fill together; more than 512 gain nothing that fewer do not. */
const FILL = 512;

/** Transforms side by side; of 32 points a thread so many of 256 points fill a workgroup. */
const MOST = 64;

/** Butterflies that a thread owns side by side in the outer passes. */
export const widthFor = ({ loads }: OneWorkgroupConfig): number => (loads === "vector" ? 2 : 1);

export function oneWorkgroupSpace(n: number): Space<OneWorkgroupConfig> {
  return {
    parameters: [
      ...withConstants(transformParameters(n)),
      {
        name: "transforms",
        values: powersOfTwo(1, Math.max(1, Math.min(MOST, (32 * FILL) / n))),
        unit: "transforms",
        doc: "transforms side by side in one workgroup of workgroup * transforms invocations",
      },
      {
        name: "loads",
        values: ["scalar", "vector"],
        doc: "global memory by complex numbers (vec2f) or by neighbouring pairs of them (vec4f)",
      },
      ...furtherParameters,
    ],
    constraints: [
      {
        name: "one-workgroup-holds-it",
        doc: `longer transforms than ${ONE_WORKGROUP_N} take several dispatches: choose four-step`,
        parameters: [],
        holds: () => n <= ONE_WORKGROUP_N,
      },
      ...transformConstraints(n),
      ...furtherConstraints(n),
      {
        name: "side-by-side-to-fill",
        doc: `several transforms share a workgroup to fill it, not to overflow it: workgroup * transforms <= ${FILL}`,
        parameters: ["workgroup", "transforms"],
        holds: ({ workgroup, transforms }) => transforms === 1 || workgroup * transforms <= FILL,
      },
      {
        name: "vectors-need-two-butterflies",
        doc: "a vec4f feeds two neighbouring butterflies of one thread: 2 radix <= n / workgroup",
        parameters: ["radix", "workgroup", "loads"],
        holds: ({ radix, workgroup, loads }) => loads === "scalar" || 2 * radix <= n / workgroup,
      },
      {
        name: "shuffles-load-points-alone",
        doc: "the pairs that vector loads and stores take are other threads' after a shuffle: loads=scalar",
        parameters: ["loads", "shuffle"],
        holds: ({ loads, shuffle = 0 }) => loads === "scalar" || shuffle === 0,
      },
    ],
  };
}
