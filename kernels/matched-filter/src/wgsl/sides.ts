import type { Constraint, Parameter } from "@tunelab/contract";
import {
  exchangeFor,
  exchangeWords,
  memoryExchanges,
  powersOfTwo,
  type Shape,
  type TransformConfig,
} from "@tunelab/kernel-fft";
import { formatU32, type Text } from "@tunelab/variants";

/** The longest transforms that share a workgroup: from 1024 points on, sharing was slower at every length of an H200. */
const SHORT_N = 512;

/** Invocations that transforms may fill together: what every device grants. */
const FILL = 256;

/** Transforms side by side at most: of 16 threads each they fill a workgroup. */
const MOST = 16;

type Sided = TransformConfig & { readonly transforms?: number };

export const sidesParameter = (n: number): Parameter => ({
  name: "transforms",
  values: n <= SHORT_N ? powersOfTwo(1, MOST) : [1],
  unit: "transforms",
  doc: "short transforms side by side in one workgroup of workgroup * transforms invocations, each of its own pair",
  absent: 1,
});

export const sidesConstraint: Constraint<Sided> = {
  name: "side-by-side-to-fill",
  doc: `several transforms share a workgroup to fill it, not to overflow it: workgroup * transforms <= ${FILL}`,
  parameters: ["workgroup", "transforms"],
  holds: ({ workgroup, transforms = 1 }) => transforms === 1 || workgroup * transforms <= FILL,
};

/** Name of a thread's index in its workgroup: among its transform's threads where the workgroup is one transform's. */
export const laneName = ({ transforms = 1 }: Sided): string => (transforms > 1 ? "lane" : "t");

/** Statements that tell a thread's transform `side` and its place `t` in it, from `lane`, and where the transform's words begin. */
export function sideText(shape: Shape, config: Sided): Text[] {
  const { transforms = 1, workgroup } = config;
  if (transforms === 1) return [];
  return [
    `let side = lane / ${formatU32(workgroup)};`,
    `let t = lane % ${formatU32(workgroup)};`,
    memoryExchanges(shape) > 0 &&
      `let base = side * ${formatU32(exchangeWords(shape, exchangeFor(config)))};`,
  ];
}

/** Where a transform's slot lies in the exchange array. */
export const sideHooks = ({ transforms = 1 }: Sided): { readonly stageIndex?: (slot: string) => string } =>
  transforms > 1 ? { stageIndex: (slot) => `base + ${slot}` } : {};

/**
 * Statements that set `source`, the indexes of the pair: a transform past the last pair repeats it, because every thread must reach
 * every barrier, and stores nothing.
 */
export const sourceText = ({ transforms = 1 }: Sided): string =>
  transforms > 1 ? "let source = pairs[min(pair, extents.items - 1u)];" : "let source = pairs[pair];";
