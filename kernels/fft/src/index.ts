export { codelet, codeletText, multiplyText, RADICES, type Radix, range, type Sign } from "./codelets.ts";
export { Builder, type Codelet, type Complex, evaluate, type Operation } from "./complex.ts";
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
  twiddleTurn,
} from "./passes.ts";
export { simulate } from "./simulate.ts";
export {
  registers,
  STAGE,
  stageDeclaration,
  type TransformOptions,
  type TransformText,
  transformText,
} from "./transform.ts";
export { TWIDDLES, type Twiddles, tableEntries, twiddleTable, twiddleText, usesTable } from "./twiddles.ts";
