import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { MeasurePhase, MeasureRequest } from "@tunelab/contract";
import { capabilitiesOf, requestDeviceFor } from "@tunelab/executor";
import { create, globals } from "webgpu";
import { createHarness } from "../src/index.ts";
import { toyProbe, toySuite } from "./toy.ts";

/** Runs real measurements on the adapter that the environment gives and prints what came of them as JSON. */
Object.assign(globalThis, globals);
const precise = create(["backend=vulkan", "disable-dawn-features=timestamp_quantization"]);
// Rounds timestamps to 65,536 ns, as Chrome does.
const coarse = create(["backend=vulkan", "enable-dawn-features=timestamp_quantization"]);
const phases: MeasurePhase[] = [];
const suite = toySuite();

async function open(gpu: GPU, features?: readonly string[]) {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter, features ? { features } : {});
  const identity = {
    implementation: "dawn",
    implementationVersion: "",
    compiler: "tint",
    backend: "vulkan",
    vendor: "",
    architecture: "",
    device: "",
    description: "",
    driver: "",
    adapterType: "cpu" as const,
  };
  const harness = createHarness({
    device,
    info: { capabilities: capabilitiesOf(device, adapter.info), identity },
    clock: { now: () => performance.now(), sleep: (milliseconds) => sleep(milliseconds) },
    suite: async () => suite,
    probes: [toyProbe(), toyProbe({ name: "liar", lies: true, most: 1 })],
    onPhase: (phase) => phases.push(phase),
  });
  return { device, harness };
}

const { device, harness } = await open(precise);
const request = (algorithm: string, more: Partial<MeasureRequest> = {}): MeasureRequest => ({
  operation: "toy",
  algorithm,
  problem: { n: 65_536 },
  config: { workgroup: 64 },
  isDefault: false,
  grade: "screened",
  seeds: [1, 2, 3],
  oracleSample: 16,
  ...more,
});

const tickNs = await harness.tickNs();
// Fewer than 15 are made 15.
const noise = await harness.noise(3);
const trials: Record<string, unknown> = {};
for (const name of ["right", "wrong", "half", "nan", "inaccurate", "untyped", "once", "slow", "huge"]) {
  phases.length = 0;
  const start = performance.now();
  const outcome = await harness.measure(request(name));
  trials[name] = { ...outcome, tookMs: performance.now() - start, phases: [...phases] };
}
trials.onceWithOneSeed = await harness.measure(request("once", { seeds: [1] }));
trials.certified = await harness.measure(request("right", { grade: "certified" }));
trials.staged = await harness.measure(request("staged", { grade: "certified" }));
trials.looped = await harness.measure(request("looped", { grade: "raced" }));
const counts = { ...suite.counts };
const turns: number[] = [];
const race = await harness.race(
  {
    entries: ["slow", "wrong", "right", "once"].map((name) => ({
      request: request(name, { grade: "raced", problem: { n: 8_192 } }),
      keep: name === "slow",
    })),
    limitMs: 15_000,
  },
  (index) => turns.push(index),
);
const hurried = await harness.race(
  {
    entries: ["slow", "right"].map((name) => ({ request: request(name, { grade: "raced" }), keep: true })),
    limitMs: 0,
  },
  () => {},
);
const quantized = await open(coarse);
trials.quantized = await quantized.harness.measure(request("right", { seeds: [1], problem: { n: 4_096 } }));
const blind = await open(precise, []);
trials.wall = await blind.harness.measure(request("right"));
const ceilings = await harness.ceilings();
device.destroy();
trials.lost = await harness.measure(request("right"));
console.log(JSON.stringify({ tickNs, noise, ceilings, trials, counts, race, turns, hurried }));
process.exit(0);
