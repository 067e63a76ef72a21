import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type DeviceInfo, Fault, type Probe, type ProfileName, type Suite } from "@tunelab/contract";
import { requestDeviceFor } from "@tunelab/executor";
import { createHarness, type Harness, type HarnessContext } from "@tunelab/harness";
import { dawnFlags, dawnPath, dawnVersion, openDawn, type Toggles, toggleNames, togglesOf } from "./dawn.ts";
import { deviceInfoOf, reportOf } from "./identity.ts";
import { loadSide } from "./load-side.ts";
import { dieWithParent } from "./orphan.ts";
import type { HostApi, HostHello, HostOptions, ParentApi } from "./protocol.ts";
import { connect } from "./wire.ts";

/** What a host's entry brings: the operations it can measure and the ceiling probes. */
export interface HostParts {
  /** The suite of an operation by name; rejects with a usage Fault that lists what exists. */
  readonly suite: (operation: string) => Promise<Suite>;
  readonly probes: readonly Probe[];
  /** Takes in an operation from outside by the path of its module. */
  readonly load?: (module: string) => Promise<void>;
  /** Replaces the instances of a comparison; see the harness. Tests drive its clock. */
  readonly instrument?: HarnessContext["instrument"];
}

interface OpenDevice {
  readonly hello: HostHello;
  readonly harness: Harness;
}

/**
 * Serves a device over the process channel until told to shut down or the parent is gone. Call it once, at the end of
 * a host's entry module; the device is opened by the first request, so that its failure reaches the parent as a Fault.
 */
export function serveHost(parts: HostParts): void {
  const options = JSON.parse(process.argv[2] ?? "null") as HostOptions | null;
  if (!options || !process.send) {
    throw new Fault("usage", "a device host is started by the laboratory, not by hand");
  }
  dieWithParent();
  let opened: Promise<OpenDevice> | undefined;
  const device = (): Promise<OpenDevice> => {
    opened ??= open(options, parts, parent);
    return opened;
  };
  const api: HostApi = {
    hello: async () => (await device()).hello,
    compile: async (requests) =>
      (await device()).harness.compile(requests, (index) => void parent.compiled(index)),
    measure: async (request) => (await device()).harness.measure(request),
    race: async (request) => (await device()).harness.race(request, (index) => void parent.turn(index)),
    ceilings: async (kinds) => (await device()).harness.ceilings(kinds),
    noise: async (samples) => (await device()).harness.noise(samples),
    trip: async () => (await device()).harness.trip(),
    routes: async (request) => (await device()).harness.routes(request),
    pair: async (request) => (await device()).harness.pair(request),
    shutdown: async () => {
      // After the reply has left: Dawn keeps the process alive, so it has to be ended by name.
      setTimeout(() => process.exit(0), 10);
    },
  };
  const parent = connect<ParentApi, HostApi>(process, api, [
    "phase",
    "subject",
    "compiled",
    "turn",
    "side",
    "lost",
  ]);
}

async function open(
  options: HostOptions,
  parts: HostParts,
  parent: Pick<ParentApi, "phase" | "subject" | "side" | "lost">,
): Promise<OpenDevice> {
  for (const module of options.modules ?? []) await parts.load?.(module);
  const { device, info, toggles } = await openDevice(options, options.profile, parent);
  const others = new Map<ProfileName, Promise<Opened>>();
  const harness = createHarness({
    device,
    info,
    clock: { now: () => performance.now(), sleep: (milliseconds) => sleep(milliseconds) },
    suite: parts.suite,
    probes: parts.probes,
    onPhase: (phase) => void parent.phase(phase),
    onSubject: ({ variant, planHash, epoch, work, resources }) =>
      void parent.subject({ variant, planHash, epoch, work, ...(resources ? { resources } : {}) }),
    profile: options.profile,
    ...(options.beside ? { ceilings: options.beside } : {}),
    openProfile: (profile) => {
      const known = others.get(profile) ?? openDevice(options, profile, parent);
      others.set(profile, known);
      return known;
    },
    side: loadSide(parts.suite),
    onSide: (side, subject) => void parent.side(side, subject),
    ...(parts.instrument ? { instrument: parts.instrument } : {}),
  });
  const hello: HostHello = {
    info,
    profile: options.profile,
    toggles: toggleNames(toggles),
    timestamps: device.features.has("timestamp-query"),
    tickNs: options.beside ? 0 : await harness.tickNs(),
    runtime: `node ${process.versions.node}`,
    pid: process.pid,
  };
  return { hello, harness };
}

interface Opened {
  readonly device: GPUDevice;
  readonly info: DeviceInfo;
  readonly toggles: Toggles;
}

/** Opens the adapter under a profile's toggles. Toggles belong to a Dawn instance, so each profile has an instance of its own. */
async function openDevice(
  options: HostOptions,
  profile: ProfileName,
  parent: Pick<ParentApi, "lost">,
): Promise<Opened> {
  const path = dawnPath();
  const toggles = togglesOf(profile, options.quantizedTimestamps ?? false, options.toggles);
  const gpu = openDawn(dawnFlags(options.backend, options.match, toggles), path);
  const adapter = await requestAdapter(gpu, options);
  const info = deviceInfoOf(reportOf(adapter, options.backend, options.match), dawnVersion(path));
  const device = await requestDeviceFor(adapter);
  void device.lost.then(({ reason, message }) => parent.lost(`${reason}: ${message.split("\n")[0]}`));
  device.addEventListener("uncapturederror", (event) => console.error(event.error.message));
  return { device, info, toggles };
}

async function requestAdapter(gpu: GPU, options: HostOptions): Promise<GPUAdapter> {
  const wanted = options.match ? `adapter ${options.match}` : "adapter";
  let adapter: GPUAdapter | null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll("\n", " ") : String(error);
    throw new Fault("environment", `no ${wanted} on ${options.backend}: ${reason}`);
  }
  if (!adapter)
    throw new Fault("environment", `no ${wanted} on ${options.backend}: \`lab check-gpu\` names the cause`);
  const { isFallbackAdapter } = adapter.info as GPUAdapterInfo & { isFallbackAdapter?: boolean };
  if (isFallbackAdapter && !options.software) {
    throw new Fault(
      "environment",
      `${wanted} on ${options.backend} is a software adapter, hardware was asked for`,
    );
  }
  return adapter;
}
