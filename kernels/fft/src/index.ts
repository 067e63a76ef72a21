export { type BetweenOptions, TURNS, turnEntries, turnTable } from "./algorithms/four-step/between.ts";
export { defaultSteps } from "./algorithms/four-step/default.ts";
export { fourStep } from "./algorithms/four-step/plan.ts";
export {
  BETWEEN,
  type Between,
  type FourStepConfig,
  INVOCATIONS,
  type StepsConfig,
  stepConfig,
  stepLengths,
  stepsConstraints,
  stepsParameters,
} from "./algorithms/four-step/space.ts";
export {
  at,
  columnsEnd,
  outputOffsets,
  type Step,
  type StepFrame,
  stepKernel,
  stepTransform,
} from "./algorithms/four-step/steps.ts";
export { readsTable, stepTables, turnBuffer } from "./algorithms/four-step/tables.ts";
export { oneWorkgroup } from "./algorithms/one-workgroup/plan.ts";
export type { OneWorkgroupConfig } from "./algorithms/one-workgroup/space.ts";
export { INDEX_FORMS, type IndexForm } from "./bits.ts";
export { twiddleBuffer } from "./buffers.ts";
export {
  codelet,
  codeletText,
  correlateText,
  type FusedFactor,
  type FusedInputs,
  fusedCodelet,
  fusedFactors,
  multiplyText,
  RADICES,
  type Radix,
  range,
  type Sign,
} from "./codelets.ts";
export { Builder, type Codelet, type Complex, evaluate, instructionsOf, type Operation } from "./complex.ts";
export {
  type Access,
  accesses,
  type ExchangeOptions,
  exchangeBytes,
  exchangeWords,
  type Layout,
  layoutOf,
  pad,
  placeOf,
  readPlace,
  threadTimes,
  writePlace,
} from "./exchange.ts";
export { furtherConstraints, furtherParameters, PLAIN, withConstants } from "./further-space.ts";
export { operation } from "./operation.ts";
export {
  butterflyOf,
  butterflyOffset,
  inputPosition,
  outputPosition,
  type Pass,
  paired,
  positionText,
  registerOf,
  type Shape,
  shapeOf,
  widthOf,
} from "./passes.ts";
export {
  DIRECTIONS,
  type Direction,
  type FftProblem,
  FOUR_STEP_N,
  leastItems,
  MAXIMUM_N,
  MINIMUM_N,
  ONE_WORKGROUP_N,
  transformFlops,
} from "./problem.ts";
export { handoverText, lanesOf, memoryExchanges, shuffled } from "./shuffle.ts";
export { simulate } from "./simulate.ts";
export { registers, stageDeclaration, type TransformText, transformText } from "./transform.ts";
export { STAGE, type TransformHooks, type TransformOptions } from "./transform-options.ts";
export {
  carriedBy,
  defaultTransform,
  exchangedBytes,
  exchangeFor,
  exchangeMemory,
  gapOfPadding,
  looseBuiltins,
  powersOfTwo,
  shapeFor,
  shuffleNeeds,
  type TransformConfig,
  transformConstraints,
  transformFor,
  transformParameters,
  transformParametersByPoints,
  workgroupBytes,
} from "./transform-space.ts";
export {
  BUTTERFLIES,
  type Butterfly,
  type Factor,
  type FactorOptions,
  factorsOf,
  factorValue,
  readsStorage,
  TWIDDLES,
  type Twiddles,
  tableAccess,
  tableType,
  twiddleTable,
  twiddleText,
  usesTable,
} from "./twiddles.ts";
