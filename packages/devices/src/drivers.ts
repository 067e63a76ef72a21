import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";

/** A driver manifest that the Vulkan loader would read. */
export interface DriverManifest {
  readonly path: string;
  /** The driver's library: a path, or a bare name that the dynamic linker looks up. */
  readonly library: string;
}

/** Folders in which the Vulkan loader looks for driver manifests on Linux (its documentation, "Driver Discovery"). */
export function manifestFolders(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const list = (value: string | undefined, fallback: string) =>
    (value || fallback).split(":").filter(Boolean);
  const home = environment.HOME || homedir();
  const roots = [
    ...list(environment.XDG_CONFIG_HOME, join(home, ".config")),
    ...list(environment.XDG_CONFIG_DIRS, "/etc/xdg"),
    "/usr/local/etc",
    "/etc",
    ...list(environment.XDG_DATA_HOME, join(home, ".local", "share")),
    ...list(environment.XDG_DATA_DIRS, "/usr/local/share:/usr/share"),
  ];
  return [...new Set(roots.map((root) => join(root, "vulkan", "icd.d")))];
}

/** Manifests that the user's VK_DRIVER_FILES or VK_ICD_FILENAMES forces (the first wins), else those installed. */
export function driverManifests(environment: NodeJS.ProcessEnv = process.env): readonly DriverManifest[] {
  const forced = environment.VK_DRIVER_FILES || environment.VK_ICD_FILENAMES;
  if (!forced) return manifestFolders(environment).flatMap(manifestsIn);
  return forced.split(":").filter(Boolean).flatMap(readManifest);
}

/** Whether a manifest is Mesa's software rasteriser. */
export function isLavapipe({ path, library }: DriverManifest): boolean {
  return /^lvp_icd/.test(basename(path)) || /vulkan_lvp/.test(library);
}

/** Whether a manifest is NVIDIA's. */
export function isNvidia({ path, library }: DriverManifest): boolean {
  return /nvidia/i.test(basename(path)) || /nvidia/i.test(basename(library));
}

/** The driver manifests of one folder, in name order. */
export function manifestsIn(folder: string): readonly DriverManifest[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return names.sort().flatMap((name) => readManifest(join(folder, name)));
  } catch {
    return [];
  }
}

function readManifest(path: string): readonly DriverManifest[] {
  try {
    const manifest = JSON.parse(readFileSync(path, "utf8")) as { ICD?: { library_path?: string } };
    const library = manifest.ICD?.library_path;
    if (!library) return [];
    // As the loader does: a path with a slash is relative to the manifest, a bare name is the linker's to find.
    const relative = library.includes("/") && !isAbsolute(library);
    return [{ path, library: relative ? join(dirname(path), library) : library }];
  } catch {
    return [];
  }
}
