import type { Plan, Side } from "@tunelab/contract";
import { PORT_USAGE } from "@tunelab/executor";

/** Whose code it is, and in which placement. */
export interface Apart {
  readonly side: Side;
  readonly placement: number;
}

/**
 * The plan with a last line of comment in its texts, so that it gets machine code of its own. Dawn hands out one pipeline for one
 * text (the second compilation of a kernel of 3,000 multiply-adds took 0.2 ms after 1,300 for the first; with another comment 1,450
 * again): without this both sides of an A/A run the very same code, and what is compiled anew lies where it lay.
 */
export function codeApart(plan: Plan, { side, placement }: Apart): Plan {
  const line = `\n// ${side}, placement ${placement}\n`;
  return { ...plan, modules: plan.modules.map((module) => ({ ...module, wgsl: module.wgsl + line })) };
}

/** Gaps in bytes are multiples of `step` up to `most` of them: within the heap of 4 MiB that Dawn parts among small buffers, and beside it. */
const GAPS = [
  { step: 64 * 1024, most: 60 },
  { step: 2 * 1024 * 1024, most: 8 },
] as const;

/** Multiples of the golden ratio's fraction fill the unit interval evenly. */
const fraction = (index: number): number => (index * 0.618033988749895) % 1;

/** Sizes of the gaps before the `part`-th group of buffers of a placement. */
export const gapsOf = (placement: number, part: number): readonly number[] =>
  GAPS.map(
    ({ step, most }, index) =>
      step * (1 + Math.floor(most * fraction(1 + index + 5 * part + 11 * placement))),
  );

/**
 * Buffers that nobody uses: what is allocated after them lies elsewhere than in other placements. A device that has no memory for
 * them does without.
 */
export function gap(device: GPUDevice, placement: number, part: number): { dispose(): void } {
  device.pushErrorScope("out-of-memory");
  const buffers = gapsOf(placement, part).map((size) =>
    device.createBuffer({ label: "gap", size, usage: PORT_USAGE }),
  );
  device.popErrorScope().catch(() => {});
  return {
    dispose: () => {
      for (const buffer of buffers) buffer.destroy();
    },
  };
}
