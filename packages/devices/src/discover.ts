import { asFault, type DeviceInfo, deviceSlug, Fault } from "@tunelab/contract";
import { judgeClock } from "@tunelab/harness/timing";
import { dawnPath, dawnVersion } from "./dawn.ts";
import { diagnose } from "./diagnose.ts";
import { driverManifests, isLavapipe, manifestFolders, manifestsIn } from "./drivers.ts";
import {
  type EmbeddedFiles,
  type Environment,
  embeddedFiles,
  forcedDriver,
  libraryPath,
} from "./embedded.ts";
import { deviceInfoOf } from "./identity.ts";
import { PLATFORM_BACKEND, type ProbedAdapter, type ProbeResult, probe } from "./probe.ts";
import type { HostOptions } from "./protocol.ts";

/** A device that a host can be started on. */
export interface DeviceTarget {
  /** Names the device on a command line and in folders; unique among the targets of this machine. */
  readonly id: string;
  readonly kind: "hardware" | "software";
  /** `system`: through the machine's own Vulkan loader; `lavapipe`: its Mesa driver alone; `embedded`: from the install. */
  readonly origin: "system" | "lavapipe" | "embedded";
  readonly info: DeviceInfo;
  /** Variables that a host is started with. */
  readonly environment: Environment;
  readonly host: Omit<HostOptions, "profile" | "quantizedTimestamps">;
  readonly timestamps: boolean;
  /** Step of the device's clock in ns, quantization lifted; 0 when it has no clock that can be used. */
  readonly tickNs: number;
}

type Candidate = Omit<DeviceTarget, "id">;

/** Order in which `auto` prefers adapters; among equals Dawn's own order (its high-performance choice) stands. */
const PREFERENCE: Readonly<Record<DeviceInfo["identity"]["adapterType"], number>> = {
  discrete: 0,
  integrated: 1,
  unknown: 2,
  cpu: 3,
};

let discovered: Promise<readonly DeviceTarget[]> | undefined;

/**
 * Every device of this machine, best first: hardware, then the embedded software GPU, then other software. Each was
 * opened once by a child process. The answer is kept for the life of this process.
 */
export function discoverDevices(): Promise<readonly DeviceTarget[]> {
  discovered ??= discover();
  return discovered;
}

/**
 * The device with an id, or with `auto` the best hardware, else the embedded software GPU. Rejects with a usage Fault that
 * lists the ids that exist, or an environment Fault with the diagnosis when there is no device at all.
 */
export async function chooseDevice(id = "auto"): Promise<DeviceTarget> {
  return pick(await discoverDevices(), id) ?? Promise.reject(await noDevice());
}

/** `chooseDevice` over known targets, pure; undefined when there are none. */
export function pick(targets: readonly DeviceTarget[], id: string): DeviceTarget | undefined {
  if (!targets.length) return undefined;
  if (id === "auto") return targets[0];
  const target = targets.find((candidate) => candidate.id === id);
  if (target) return target;
  throw new Fault(
    "usage",
    `unknown device ${id}: this machine has ${targets.map((each) => each.id).join(", ")}`,
  );
}

async function noDevice(): Promise<Fault> {
  const [finding] = await diagnose();
  const why = finding ? `${finding.cause}: ${finding.fix}` : "`lab check-gpu` looks for the cause";
  const software = await embeddedFiles().then(
    () => "the embedded software GPU did not open",
    (error: unknown) => asFault(error, "environment").message,
  );
  return new Fault("environment", `no WebGPU device on this machine; ${why}; ${software}`);
}

async function discover(): Promise<readonly DeviceTarget[]> {
  const version = dawnVersion(dawnPath());
  const embedded = await embeddedFiles().catch(() => undefined);
  const [system, lavapipe, swiftshader] = await Promise.all([
    probeSystem(embedded),
    probeLavapipe(embedded),
    embedded ? probeForced(forcedDriver(embedded.manifest, embedded.folder)) : nothing,
  ]);
  const named = (origin: DeviceTarget["origin"], { result, environment }: Probed): Candidate[] =>
    result.adapters.map((adapter) => candidate(origin, adapter, environment, version));
  return withIds(
    order([
      ...named("system", system),
      ...lavapipe.flatMap((each) => named("lavapipe", each)),
      ...named("embedded", swiftshader),
    ]),
  );
}

/** Best first, and a software adapter of the system's loader only when it is not also found alone. Pure. */
export function order(candidates: readonly Candidate[]): readonly Candidate[] {
  const rank = ({ kind, origin, info }: Candidate): number =>
    kind === "hardware"
      ? PREFERENCE[info.identity.adapterType]
      : origin === "embedded"
        ? 10
        : origin === "lavapipe"
          ? 11
          : 12;
  const alone = new Set(
    candidates.filter(({ origin }) => origin !== "system").map(({ info }) => driverKey(info)),
  );
  return candidates
    .filter(({ origin, info }) => origin !== "system" || !alone.has(driverKey(info)))
    .map((each, index) => ({ each, index }))
    .sort((a, b) => rank(a.each) - rank(b.each) || a.index - b.index)
    .map(({ each }) => each);
}

const driverKey = ({ identity }: DeviceInfo): string => `${identity.description}\n${identity.driver}`;

/** Gives each candidate its slug, with -2, -3, ... for those whose slug is taken. Pure. */
export function withIds(candidates: readonly Candidate[]): readonly DeviceTarget[] {
  const seen = new Map<string, number>();
  return candidates.map((each) => {
    const slug = deviceSlug(each.info.identity);
    const count = (seen.get(slug) ?? 0) + 1;
    seen.set(slug, count);
    return { id: count === 1 ? slug : `${slug}-${count}`, ...each };
  });
}

interface Probed {
  readonly environment: Environment;
  readonly result: ProbeResult;
}

const nothing: Probed = { environment: {}, result: { adapters: [], failures: [], words: [] } };

async function probeForced(environment: Environment): Promise<Probed> {
  return { environment, result: await probe(environment) };
}

/** The system's own loader, untouched; where it has drivers but no loader, the loader that came with the install. */
async function probeSystem(embedded: EmbeddedFiles | undefined): Promise<Probed> {
  const untouched = await probeForced({});
  if (untouched.result.adapters.length || !embedded || !driverManifests().length) return untouched;
  if (!untouched.result.words.some((line) => line.includes("libvulkan.so.1"))) return untouched;
  return probeForced({ LD_LIBRARY_PATH: libraryPath([], [embedded.folder]) });
}

/** Each installed lavapipe in a process of its own, whatever the user's variables force. */
function probeLavapipe(embedded: EmbeddedFiles | undefined): Promise<readonly Probed[]> {
  const manifests = manifestFolders().flatMap(manifestsIn).filter(isLavapipe);
  const loader = embedded ? { LD_LIBRARY_PATH: libraryPath([], [embedded.folder]) } : {};
  return Promise.all(manifests.map(({ path }) => probeForced({ ...forcedDriver(path), ...loader })));
}

function candidate(
  origin: DeviceTarget["origin"],
  { report, readings }: ProbedAdapter,
  environment: Environment,
  version: string,
): Candidate {
  const info = deviceInfoOf(report, version);
  const clock = judgeClock(readings);
  const software = info.identity.adapterType === "cpu";
  return {
    kind: software ? "software" : "hardware",
    origin,
    info,
    environment,
    host: { backend: PLATFORM_BACKEND, software, match: report.name },
    timestamps: readings.length > 0,
    tickNs: clock.usable ? clock.tickNs : 0,
  };
}
