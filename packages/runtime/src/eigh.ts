/** The entry point `@tunelab/runtime/eigh`: the runtime and the symmetric eigensolver, and nothing else. */
export * from "./core.ts";
export {
  type BoundEigh,
  bindEigh,
  calibrateEigh,
  type EighArrays,
  type EighBuffers,
  type EighInput,
  type EighOutput,
  type EighShape,
  eigh,
  eighOperation,
  explainEigh,
  prepareEigh,
} from "./operations/eigh/call.ts";
