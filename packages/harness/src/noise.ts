import { Fault, type Noise } from "@tunelab/contract";
import { estimate } from "./estimate.ts";
import { gateReached } from "./gate.ts";
import { NOISE_SAMPLES } from "./protocol.ts";
import { fixed } from "./rules.ts";
import { takeSamples } from "./sampler.ts";
import type { Workbench } from "./workbench.ts";

/**
 * Times one kernel (the arithmetic anchor, else the copy anchor) over and over after the warm-up: at least 15 samples.
 * @throws Fault `unsupported` when no anchor runs here, `environment` when none of its samples survives.
 */
export async function measureNoise(bench: Workbench, samples: number): Promise<Noise> {
  const { context } = bench;
  context.onPhase("warm-up");
  await bench.settle();
  const anchor = (await bench.anchor("fma")) ?? (await bench.anchor("copy"));
  if (!anchor) {
    throw new Fault("unsupported", "noise cannot be measured: no fma or copy probe runs on this device");
  }
  const { clock, tickNs } = await bench.ticks();
  context.onPhase("measure");
  const { timing, status, reason } = await takeSamples(anchor.run.timeable, {
    clock,
    tickNs,
    time: context.clock,
    rule: fixed(Math.max(NOISE_SAMPLES, samples)),
    repeats: anchor.repeats,
  });
  if (status !== "ok") {
    throw new Fault("environment", `the clock of this device cannot be trusted: ${reason}`);
  }
  const { repeats } = timing;
  return {
    kernel: anchor.run.probe.name,
    samplesNs: timing.samplesNs.map((sample) => Math.round(sample / repeats)),
    cv: estimate(timing.samplesNs, repeats)!.cv,
    gateReachable: gateReached(timing.samplesNs),
  };
}
