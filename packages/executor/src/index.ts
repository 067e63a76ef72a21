export { DEFAULT_BUDGETS } from "./budgets.ts";
export { type BatchCut, type CutRequest, cutBatch, type Piece } from "./cut.ts";
export { capabilitiesOf, type DeviceRequest, requestDeviceFor, WANTED_FEATURES } from "./device.ts";
export { Executor, type ExecutorOptions } from "./executor.ts";
export { PORT_USAGE } from "./flags.ts";
export { foldGroups } from "./fold.ts";
export { POISON_WORD } from "./memory.ts";
export { TOTAL_STAGE } from "./passes.ts";
export type * from "./types.ts";
