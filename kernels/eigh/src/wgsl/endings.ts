import { lines } from "@tunelab/variants";
import { STATUS } from "../problem.ts";

/** Counts in the probe `report` how a matrix ended that did not end well, by its status `ending`. A word by a constant: an index from data is clamped. */
export const countEnding = (ending: string): string =>
  lines(
    [STATUS.unconverged, STATUS.nonFinite].map(
      (bad) => `if (${ending} == ${bad}u) { atomicAdd(&report[${bad}], 1u); }`,
    ),
  );
