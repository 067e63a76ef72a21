export { loadAlgorithms } from "./candidate.ts";
export { parseReplay, type ReplayEntry, type ReplayFile, type ReplayParameter } from "./replay/format.ts";
export { quotedCounts, type ReplayOptions, type ReplayResult, replay } from "./replay/run.ts";
export { mean } from "./replay/score.ts";
export { changedConditions, reusable } from "./reuse.ts";
export { FINALISTS } from "./search.ts";
export * from "./strategies/strategy.ts";
export { orderJobs, tune } from "./tune.ts";
export * from "./types.ts";
