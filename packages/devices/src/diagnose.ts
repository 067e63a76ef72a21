import { basename } from "node:path";
import type { Environment } from "./embedded.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";

/** Kinds of trouble, each recognised by its own evidence. */
export type CauseName =
  | "dawn-missing"
  | "old-libstdcxx"
  | "old-libc"
  | "dawn-unloadable"
  | "driver-variables"
  | "driver-refused"
  | "glvnd-missing"
  | "driver-broken"
  | "driver-not-mounted"
  | "no-loader"
  | "no-driver"
  | "device-permission"
  | "adapter-failed"
  | "software-only"
  | "unrecognised";

/** One finding: what is wrong, what shows it, what to do. One line each. */
export interface Diagnosis {
  readonly name: CauseName;
  readonly cause: string;
  readonly evidence: string;
  readonly fix: string;
}

/**
 * Why this machine, or a host with this environment, has no (hardware) WebGPU device. Empty when a hardware adapter
 * opens and nothing stands in its way. Looks by starting a probe with the loader's error messages on; changes nothing.
 */
export async function diagnose(environment: Environment = {}): Promise<readonly Diagnosis[]> {
  return findings(await gatherEvidence(environment));
}

/** The causes that evidence shows, the most basic first. Pure. */
export function findings(evidence: Evidence): readonly Diagnosis[] {
  const found = CHECKS.flatMap((check) => check(evidence));
  const hardware = evidence.probe.adapters.some(({ report }) => report.info.isFallbackAdapter !== true);
  if (found.length || hardware) return found;
  return [evidence.probe.adapters.length ? softwareOnly(evidence) : unrecognised(evidence)];
}

function softwareOnly({ probe, renderNodes }: Evidence): Diagnosis {
  const names = probe.adapters.map(({ report }) => report.name).join(", ");
  const nodes = renderNodes.map(({ path }) => path).join(", ");
  return {
    name: "software-only",
    cause: "the installed drivers give software adapters only",
    evidence: `${names}; ${nodes || "no /dev/dri render node and no /dev/nvidia*"}`,
    fix: nodes
      ? "install the driver of the card (mesa-vulkan-drivers for AMD and Intel)"
      : "on a machine with a GPU install its driver or pass its device files in; without one nothing is wrong",
  };
}

function unrecognised({ probe, embedded }: Evidence): Diagnosis {
  const words = probe.words.filter((line) => !/DRIVER: {2,}/.test(line));
  return {
    name: "unrecognised",
    cause: "no adapter was found and the cause is not one of those known",
    evidence: words.at(-1)?.trim() ?? "Dawn, the Vulkan loader and the drivers wrote nothing",
    fix: `run again with VK_LOADER_DEBUG=all and read the loader's messages${embedded ? "; the embedded software GPU still works" : ""}`,
  };
}

type Check = (evidence: Evidence) => readonly Diagnosis[];

const VERSION_NOT_FOUND = /(\S+): version [`']([A-Z]+)_([\d.]+)' not found \(required by ([^)]+)\)/;

/** (1) The dynamic linker found a libstdc++ or libc older than what dawn.node or a driver was built against. */
const oldLibraries: Check = ({ probe, folders }) => {
  const lines = [...(probe.unloadable ? [probe.unloadable] : []), ...probe.words];
  const matches = lines.flatMap((line) => VERSION_NOT_FOUND.exec(line) ?? []);
  const [, file, set, version, needer] = matches;
  if (!file || !set) return [];
  const needs = `${needer} needs ${set}_${version}`;
  if (set === "GLIBC") {
    return [
      {
        name: "old-libc",
        cause: `the C library is too old: ${needs}`,
        evidence: `${file} lacks it`,
        fix: "use a system with glibc 2.34 or newer (Debian 12, Ubuntu 22.04), or a container with one",
      },
    ];
  }
  const folder = folders.find((each) => file.startsWith(`${each}/`));
  return [
    {
      name: "old-libstdcxx",
      cause: folder
        ? `a libstdc++ on LD_LIBRARY_PATH shadows the system's: ${needs}`
        : `libstdc++ is too old: ${needs}`,
      evidence: `${file} lacks it${folder ? `, found through LD_LIBRARY_PATH=${folders.join(":")}` : ""}`,
      fix: folder
        ? `remove ${folder} from LD_LIBRARY_PATH`
        : "install a newer libstdc++6 (GCC 12 or later), or use a newer system",
    },
  ];
};

/** dawn.node is absent, or does not load for another reason than an old library. */
const dawnUnloadable: Check = (evidence) => {
  const { probe, dawn } = evidence;
  if (dawn.missing) {
    return [
      {
        name: "dawn-missing",
        cause: "there is no WebGPU implementation to load",
        evidence: dawn.missing,
        fix: "install the npm package webgpu, or set TUNELAB_DAWN to a dawn.node",
      },
    ];
  }
  if (!probe.unloadable || oldLibraries(evidence).length) return [];
  const library = /(\S+): cannot open shared object file/.exec(probe.unloadable)?.[1];
  return [
    {
      name: "dawn-unloadable",
      cause: library ? `dawn.node needs ${library}, which is not installed` : "dawn.node cannot be loaded",
      evidence: probe.unloadable.split("\n")[0] ?? "",
      fix: library
        ? `install the package that has ${library}`
        : `check that ${dawn.path} is whole and for this platform`,
    },
  ];
};

/** (2) The user's variables turn the loader away from the installed drivers. */
const driverVariables: Check = ({ variables }) =>
  variables.map(({ name, value, missing }) => ({
    name: "driver-variables",
    cause: `${name} decides which drivers the Vulkan loader sees`,
    evidence: `${name}=${value}${missing.length ? `, of which ${missing.join(", ")} does not exist` : ""}`,
    fix: `unset ${name}`,
  }));

/** (3) Dawn looked at a driver's device and refused it. */
const driverRefused: Check = ({ refusals }) =>
  refusals.map(({ driver, reason }) => ({
    name: "driver-refused",
    cause: `Dawn refuses the device of ${driver}: ${reason}`,
    evidence: `Dawn wrote, while initializing the adapter: ${reason}`,
    fix: "update the driver; lavapipe needs Mesa 23.1 or newer (bookworm-backports has 25), Debian 12's 22.3 is refused",
  }));

const LOADER_ERROR = /^\[Vulkan Loader\] ERROR[^:]*: *(.*)$/;

/** The loader's error messages that name a driver's library. */
function driverErrors(evidence: Evidence, library: string): readonly string[] {
  const errors = evidence.probe.words.flatMap((line) => LOADER_ERROR.exec(line)?.[1] ?? []);
  return [...new Set(errors.filter((line) => line.includes(basename(library))))];
}

/** (4) A driver is installed but gives the loader no entry; for NVIDIA's in a container, GLVND libraries are missing. */
const driverBroken: Check = (evidence) =>
  evidence.manifests.flatMap(({ path, library, nvidia }): readonly Diagnosis[] => {
    const errors = driverErrors(evidence, library);
    if (!errors.length) return [];
    const shown = `${path}: ${errors[0]}`;
    const missing = nvidia ? evidence.glvnd.filter(({ problem }) => problem) : [];
    if (missing.length) {
      return [
        {
          name: "glvnd-missing",
          cause: `NVIDIA's driver cannot start without the GLVND libraries: ${missing.map(({ name }) => name).join(", ")}`,
          evidence: `${shown}; ${missing.map(({ problem }) => problem).join("; ")}`,
          fix: "install libegl1 libglx0 libgl1 libopengl0 libgles2 (Debian, Ubuntu), then run again",
        },
      ];
    }
    return [
      {
        name: "driver-broken",
        cause: `the driver ${library} gives the Vulkan loader no entry point`,
        evidence: shown,
        fix: nvidia
          ? "install the driver libraries that match the kernel module (nvidia-smi shows its version)"
          : "reinstall the driver's package",
      },
    ];
  });

/** The kernel module of an NVIDIA card is there, its Vulkan driver is not: a container without the graphics capability. */
const driverNotMounted: Check = ({ manifests, nvidiaNodes, variables }) => {
  if (!nvidiaNodes.length || variables.length || manifests.some(({ nvidia }) => nvidia)) return [];
  return [
    {
      name: "driver-not-mounted",
      cause: "an NVIDIA card is present but its Vulkan driver is not installed here",
      evidence: `${nvidiaNodes.join(", ")} exist, no driver manifest names an NVIDIA library`,
      fix: "in a container set NVIDIA_DRIVER_CAPABILITIES=all (or graphics); else install the driver's Vulkan package",
    },
  ];
};

/** (5) No Vulkan loader. */
const noLoader: Check = ({ loader, probe, embedded }) => {
  if (!loader.problem || probe.unloadable) return [];
  return [
    {
      name: "no-loader",
      cause: "the Vulkan loader libvulkan.so.1 cannot be loaded",
      evidence: loader.problem,
      fix: `install libvulkan1 (Debian, Ubuntu) or vulkan-loader (Fedora)${embedded ? "; the embedded software GPU brings its own" : ""}`,
    },
  ];
};

const noDriver: Check = (evidence) => {
  const { manifests, variables, searched, nvidiaNodes, renderNodes, linux, embedded } = evidence;
  if (!linux || manifests.length || variables.length || nvidiaNodes.length) return [];
  const nodes = renderNodes.map(({ path }) => path).join(", ");
  return [
    {
      name: "no-driver",
      cause: "no Vulkan driver is installed",
      evidence: `no manifest in ${searched.join(", ")}; ${nodes || "no /dev/dri render node and no /dev/nvidia*"}`,
      fix: nodes
        ? "install the card's driver (mesa-vulkan-drivers for AMD and Intel)"
        : `on a machine with a GPU install its driver${embedded ? "; without one, use the embedded software GPU" : ""}`,
    },
  ];
};

const devicePermission: Check = ({ renderNodes, user }) =>
  renderNodes
    .filter(({ accessible }) => !accessible)
    .map(({ path, group }) => ({
      name: "device-permission",
      cause: `${path} exists but this user may not open it`,
      evidence: `${path} belongs to group ${group}, the user is ${user}`,
      fix: "add the user to the group that owns it (usually `render` or `video`) and log in again",
    }));

const adapterFailed: Check = ({ probe }) =>
  probe.failures.map(({ name, reason }) => ({
    name: "adapter-failed",
    cause: `${name} could not be opened`,
    evidence: reason.split("\n")[0] ?? "",
    fix: "update the driver; another device can be chosen with --device",
  }));

const CHECKS: readonly Check[] = [
  oldLibraries,
  dawnUnloadable,
  driverVariables,
  driverBroken,
  driverRefused,
  driverNotMounted,
  noLoader,
  noDriver,
  devicePermission,
  adapterFailed,
];
