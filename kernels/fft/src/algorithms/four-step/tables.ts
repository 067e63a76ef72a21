import type { BufferSpec } from "@tunelab/contract";
import { constantBuffer, twiddleBuffer } from "../../buffers.ts";
import type { Sign } from "../../codelets.ts";
import { shapeFor, transformFor } from "../../transform-space.ts";
import { usesTable } from "../../twiddles.ts";
import { type BetweenOptions, TURNS, turnTable } from "./between.ts";
import { type StepsConfig, stepConfig, stepLengths } from "./space.ts";

/** Whether a step's transforms read twiddle factors from a table: those of a single pass have none. */
export function readsTable(length: number, config: StepsConfig): boolean {
  return usesTable(config.twiddles) && shapeFor(length, stepConfig(length, config)).passes.length > 1;
}

/** The tables of twiddle factors inside the steps, named after their length. */
export const stepTables = (n: number, config: StepsConfig, sign: Sign): readonly (BufferSpec | undefined)[] =>
  stepLengths(n, config).map((length) => {
    const own = stepConfig(length, config);
    return twiddleBuffer(shapeFor(length, own), { ...transformFor(own, sign), table: `twiddles${length}` });
  });

/** The table of factors between the steps; undefined where they are computed. */
export const turnBuffer = (between: BetweenOptions): BufferSpec | undefined =>
  between.between === "direct" ? undefined : constantBuffer(TURNS, turnTable(between));
