import type { NamedExperiment } from "@tunelab/experiment";

/** The experiments of a packed laboratory: `lab pack` puts a module of all of them in this one's place. */
export const packedExperiments: readonly NamedExperiment[] = [];
