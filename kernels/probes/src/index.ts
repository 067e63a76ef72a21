import type { Probe } from "@tunelab/contract";
import { copyProbe } from "./copy.ts";
import { dispatchAlone, dispatchChained, dispatchEmpty, dispatchIndirect } from "./dispatch.ts";
import { fmaProbe, unitsProbe } from "./fma.ts";
import { readProbe } from "./read.ts";
import { subgroupAdd, subgroupShuffle } from "./subgroup.ts";
import { workgroupExchange, workgroupRead } from "./workgroup.ts";

/** The arithmetic-bound anchor: eight chains of scalar multiply-adds, no memory to speak of. */
export const arithmeticAnchor: Probe = fmaProbe({ name: "fma-f32", chains: 8, width: 1 });

/** The memory-bound anchor: a copy, one vec4 an invocation. */
export const memoryAnchor: Probe = copyProbe({ name: "copy-256", workgroup: 256, vectors: 1 });

/** Both anchors; they are probes too, and part of `probes`. */
export const anchors: { readonly arithmetic: Probe; readonly memory: Probe } = {
  arithmetic: arithmeticAnchor,
  memory: memoryAnchor,
};

/** Every probe; several shapes for one ceiling, of which the best rate counts. */
export const probes: readonly Probe[] = [
  arithmeticAnchor,
  fmaProbe({ name: "fma-vec2", chains: 8, width: 2 }),
  fmaProbe({ name: "fma-vec4", chains: 8, width: 4 }),
  memoryAnchor,
  copyProbe({ name: "copy-64", workgroup: 64, vectors: 1 }),
  copyProbe({ name: "copy-256x4", workgroup: 256, vectors: 4 }),
  readProbe,
  workgroupRead,
  workgroupExchange,
  dispatchEmpty,
  dispatchChained,
  dispatchAlone,
  dispatchIndirect,
  subgroupShuffle,
  subgroupAdd,
  unitsProbe({ name: "units", chains: 8, width: 1 }),
];
