/** The runtime without any operation: what each operation's entry point is called with. */
export { Fault, type FaultKind, type Operation, type TuningTable } from "@tunelab/contract";
export type { Demand, Explanation } from "@tunelab/selection";
export type { CalibrationOptions, Trial } from "./calibrate/calibrate.ts";
export type { CalibrationCache } from "./calibrate/memory.ts";
export type { Raced } from "./calibrate/race.ts";
export type { RuntimeEvent } from "./events.ts";
export type { DeviceOptions } from "./open.ts";
export type { Answer, BoundCall, Calibration, RuntimeOperation } from "./operation.ts";
export type { Asked, Provenance } from "./operations/typed.ts";
export type { Backend } from "./route.ts";
export { createRuntime, Runtime, type RuntimeOptions, type ShippedOperation } from "./runtime.ts";
