import type { EighProblem } from "../problem.ts";

/** A problem with what is usual for the rest: vectors wanted, packed, random. */
export const eighProblem = (n: number, batch: number, rest: Partial<EighProblem> = {}): EighProblem => ({
  n,
  batch,
  vectors: "yes",
  pad: 0,
  gap: 0,
  spectrum: "random",
  ...rest,
});
