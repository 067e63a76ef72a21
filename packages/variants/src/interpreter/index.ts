export type { KernelFault } from "./memory.ts";
export { interpretPlan, type PlanReport } from "./plan.ts";
export { interpret, type KernelReport, type KernelRun } from "./run.ts";
