/** The entry point `@tunelab/runtime/fft`: the runtime and the Fourier transform, and nothing else. */
export * from "./core.ts";
export {
  type BoundFft,
  bindFft,
  calibrateFft,
  explainFft,
  type FftArray,
  type FftInput,
  type FftOutput,
  type FftShape,
  fft,
  fftOperation,
  prepareFft,
} from "./operations/fft/call.ts";
