export { loadAlgorithms } from "./candidate.ts";
export { reusable } from "./reuse.ts";
export { FINALISTS } from "./search.ts";
export * from "./strategy.ts";
export { orderJobs, tune } from "./tune.ts";
export * from "./types.ts";
