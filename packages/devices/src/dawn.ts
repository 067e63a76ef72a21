import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Fault, PROFILES, type ProfileName } from "@tunelab/contract";

interface DawnModule {
  create(flags: string[]): GPU;
  readonly globals: Readonly<Record<string, unknown>>;
}

const require = createRequire(import.meta.url);

/** Each object that `create` returned: Dawn's threads use it for as long as devices live, and crash once it is collected. */
const kept: GPU[] = [];

/**
 * Path of dawn.node: `TUNELAB_DAWN` or `GPU_DAWN` where set, else the npm package `webgpu`, else a file `dawn.node` beside
 * this one (a packed laboratory). Throws an environment Fault that lists what was tried.
 */
export function dawnPath(environment: NodeJS.ProcessEnv = process.env): string {
  for (const name of ["TUNELAB_DAWN", "GPU_DAWN"]) {
    const path = environment[name];
    if (!path) continue;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile()) return path;
    const why = found ? "is no file" : "does not exist";
    throw new Fault("environment", `${name} names ${path}, which ${why}: name a dawn.node, or unset it`);
  }
  const folder = `${process.platform}-${process.platform === "darwin" ? "universal" : process.arch}`;
  const tried: string[] = [];
  try {
    const path = join(dirname(require.resolve("webgpu")), "dist", folder, "dawn.node");
    if (existsSync(path)) return path;
    tried.push(`webgpu has no build for ${folder}`);
  } catch {
    tried.push("the package webgpu is not installed");
  }
  const beside = join(import.meta.dirname, "dawn.node");
  if (existsSync(beside)) return beside;
  throw new Fault(
    "environment",
    `no dawn.node: ${tried.join(", ")}, none beside the program; set TUNELAB_DAWN to its path`,
  );
}

/**
 * Builds of the npm package by the first 12 hex digits of dawn.node's SHA-256 (linux-x64): a copy that left its package
 * is still known for what it is, so that tables of packed and installed laboratories name one implementation.
 */
const KNOWN_BUILDS: Readonly<Record<string, string>> = { ab18a659f832: "0.6.2" };

/** Version of the npm package a dawn.node comes from, else `sha-` and the first 12 hex digits of its SHA-256. */
export function dawnVersion(path: string): string {
  for (const folder of [dirname(path), join(dirname(path), "..", "..")]) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
        string,
        string
      >;
      if (manifest.name === "webgpu" && manifest.version) return manifest.version;
    } catch {
      // No manifest here: the file was copied out of its package.
    }
  }
  const hash = createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12);
  return KNOWN_BUILDS[hash] ?? `sha-${hash}`;
}

/** Dawn's toggles for a profile, or `instead` of its own. Timestamp quantization (65,536 ns) is lifted in every profile: a measurement setting. */
export interface Toggles {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

export function togglesOf(
  profile: ProfileName,
  quantizedTimestamps: boolean,
  instead?: readonly string[],
): Toggles {
  return {
    enabled: instead ?? PROFILES[profile].toggles,
    disabled: quantizedTimestamps ? [] : ["timestamp_quantization"],
  };
}

/** Toggles as a session records them; a leading `!` marks one that is forced off. */
export function toggleNames(toggles: Toggles): readonly string[] {
  return [...toggles.enabled, ...toggles.disabled.map((name) => `!${name}`)];
}

/** Flags of `create` for a backend, an adapter's name as Dawn lists it, and toggles. */
export function dawnFlags(backend: string, adapter: string | undefined, toggles: Toggles): string[] {
  const flags = [`backend=${backend}`];
  if (adapter) flags.push(`adapter=${adapter}`);
  if (toggles.enabled.length) flags.push(`enable-dawn-features=${toggles.enabled.join(",")}`);
  if (toggles.disabled.length) flags.push(`disable-dawn-features=${toggles.disabled.join(",")}`);
  return flags;
}

/** Loads dawn.node, installs WebGPU's globals (GPUBufferUsage, ...), and keeps the instance for the life of the process. */
export function openDawn(flags: readonly string[], path: string = dawnPath()): GPU {
  let dawn: DawnModule;
  try {
    dawn = require(path) as DawnModule;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new Fault(
      "environment",
      `dawn.node cannot be loaded (${reason}): \`lab check-gpu\` names the cause`,
    );
  }
  Object.assign(globalThis, dawn.globals);
  const gpu = dawn.create([...flags]);
  kept.push(gpu);
  return gpu;
}
