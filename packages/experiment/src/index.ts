export { checkDefinition, completed, EXPERIMENT_NAME } from "./check.ts";
export * from "./definition.ts";
export { commandOf, commandWords, EXPERIMENT_WORKLOAD, runsOf } from "./extract.ts";
export { boundText, experimentFiles } from "./readme.ts";
export * from "./result.ts";
export { type RunProgress, runSlots } from "./run.ts";
export { ROUNDS, type Slot, schedule } from "./schedule.ts";
export { floorOf, type Judged, judgeClaim, judgeRun, overall, type Verdict, verdictOf } from "./verdict.ts";
