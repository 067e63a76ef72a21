import { type Access, accessesOf, type Clamp } from "./accesses.ts";
import { censusOf, type FunctionCensus, type Safety, safetyOf } from "./census.ts";
import { type Line, linesOf } from "./lines.ts";
import { parseSpirv } from "./parse.ts";

export type { Access, Clamp, IndexOrigin, Space } from "./accesses.ts";
export { type Counts, type FunctionCensus, KINDS, type Kind, type Safety } from "./census.ts";
export type { Line } from "./lines.ts";

/** A clamp where it stands. */
export interface PlacedClamp extends Clamp {
  readonly array: string;
  readonly space: Access["space"];
  /** Absent where the text's accesses and the module's cannot be matched. */
  readonly line?: Line;
}

/** What a compiler made of one WGSL text. */
export interface Inspection {
  readonly functions: readonly FunctionCensus[];
  /** Instructions of all functions. */
  readonly total: number;
  /** Accesses to arrays whose index the text computes, and all. */
  readonly dynamicAccesses: number;
  readonly accesses: number;
  readonly clamps: readonly PlacedClamp[];
  readonly safety: Safety;
}

/**
 * Counts and finds what a SPIR-V disassembly (names kept) does for the WGSL text it came from.
 * @throws Fault `data` for what is no disassembly.
 */
export function inspectSpirv(disassembly: string, wgsl: string): Inspection {
  const module = parseSpirv(disassembly);
  const accesses = accessesOf(module);
  const lines = linesOf(wgsl, accesses);
  const functions = censusOf(module);
  return {
    functions,
    total: functions.reduce((sum, { total }) => sum + total, 0),
    accesses: accesses.length,
    dynamicAccesses: accesses.filter(({ dynamic }) => dynamic > 0).length,
    clamps: accesses.flatMap(({ array, space, clamps }, index) => {
      const line = lines[index];
      return clamps.map((clamp): PlacedClamp => ({ ...clamp, array, space, ...(line ? { line } : {}) }));
    }),
    safety: safetyOf(module),
  };
}

/**
 * Whether a clamp is one that another form of the index would have spared: the array's length is in the text, and nothing of the index
 * comes from memory, so `%` and `/` by constants can show its range (WEBGPU facts: never `&`). A runtime-sized array's length is known
 * to no analysis, and an index read from memory has no range: those stay, by the driver or by Tint.
 */
export const isAvoidable = ({ bound, origin }: Clamp): boolean => bound === "fixed" && origin === "known";
