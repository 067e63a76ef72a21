import { Fault } from "@tunelab/contract";

/** The fault of a place without WebGPU; a chunk of its own, for most pages never need the text. */
export const noWebGpu = (): Fault =>
  new Fault(
    "environment",
    "there is no WebGPU here: open the page over HTTPS or localhost in a browser that has it, or in Node pass `gpu: create([])` of the package webgpu",
  );

/** The fault of a WebGPU without an adapter. */
export const noAdapter = (): Fault =>
  new Fault(
    "environment",
    'WebGPU is here but gives no adapter: check the graphics driver, or that the browser has not disabled the GPU; with `backend: "auto"` the CPU computes where there is none',
  );
