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
  writePlace,
} from "./exchange.ts";
export {
  inputPosition,
  outputPosition,
  type Pass,
  registerOf,
  type Shape,
  shapeOf,
} from "./passes.ts";
export { simulate } from "./simulate.ts";
export {
  registers,
  STAGE,
  stageDeclaration,
  type TransformHooks,
  type TransformOptions,
  type TransformText,
  transformText,
} from "./transform.ts";
export {
  BUTTERFLIES,
  type Butterfly,
  type Factor,
  type FactorOptions,
  factorsOf,
  factorValue,
  TWIDDLES,
  type Twiddles,
  tableEntries,
  twiddleTable,
  twiddleText,
  usesTable,
} from "./twiddles.ts";
