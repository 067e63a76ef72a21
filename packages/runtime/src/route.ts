/** Where an operation computes; `auto` takes whichever is expected to answer first. */
export type Backend = "gpu" | "cpu" | "auto";

/** What a call costs on each side, in ms. */
export interface RouteCosts {
  /** The kernel on the GPU, from this device's table or earlier runs; undefined when nothing is known. */
  readonly gpuMs: number | undefined;
  /** A round trip that computes nothing, and each byte that travels, measured on the device. */
  readonly roundTripMs: number;
  readonly msPerByte: number;
  readonly bytes: number;
  /** The same work on the CPU, measured there. */
  readonly cpuMs: number;
}

export interface Route {
  readonly backend: "gpu" | "cpu";
  readonly why: string;
  /** Of the side taken, where known. */
  readonly expectedMs?: number;
}

const ms = (value: number): string => `${Number(value.toPrecision(3))} ms`;

/**
 * The side that is expected to answer first: GPU time + round trip + bytes against CPU time. A GPU of unknown speed is taken, and
 * known after that.
 */
export function routeFor({ gpuMs, roundTripMs, msPerByte, bytes, cpuMs }: RouteCosts): Route {
  if (gpuMs === undefined) {
    return {
      backend: "gpu",
      why: "auto: no table or run tells this GPU's time yet, so it is measured by this call",
    };
  }
  const transferMs = bytes * msPerByte;
  const whole = gpuMs + roundTripMs + transferMs;
  const gpu = `${ms(whole)} on the GPU (${ms(gpuMs)} to compute, ${ms(roundTripMs)} round trip, ${ms(transferMs)} transfer)`;
  const cpu = `${ms(cpuMs)} on the CPU`;
  return cpuMs < whole
    ? { backend: "cpu", why: `auto: ${cpu} against ${gpu}`, expectedMs: cpuMs }
    : { backend: "gpu", why: `auto: ${gpu} against ${cpu}`, expectedMs: whole };
}
