import { execFile } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { asFault } from "@tunelab/contract";
import { dawnPath } from "./dawn.ts";
import { type DriverManifest, driverManifests, isNvidia, manifestFolders } from "./drivers.ts";
import { type Environment, embeddedFiles } from "./embedded.ts";
import { type ProbeResult, probe } from "./probe.ts";

/** Whether the dynamic linker can load a library; `problem` is its own message when it cannot. */
export interface Loadable {
  readonly name: string;
  readonly problem?: string;
}

/** A GPU's device file. */
export interface RenderNode {
  readonly path: string;
  readonly group: number;
  readonly accessible: boolean;
}

/** Everything a diagnosis is drawn from; plain data. */
export interface Evidence {
  readonly linux: boolean;
  readonly probe: ProbeResult;
  readonly dawn: { readonly path?: string; readonly missing?: string };
  /** Folders of LD_LIBRARY_PATH. */
  readonly folders: readonly string[];
  /** Variables that change which drivers the loader sees, with the files they name that do not exist. */
  readonly variables: readonly {
    readonly name: string;
    readonly value: string;
    readonly missing: readonly string[];
  }[];
  readonly manifests: readonly (DriverManifest & { readonly nvidia: boolean })[];
  /** Folders searched for manifests. */
  readonly searched: readonly string[];
  /** What Dawn said of devices that it refused, and the manifest of the driver they belong to. */
  readonly refusals: readonly { readonly driver: string; readonly reason: string }[];
  readonly loader: Loadable;
  readonly glvnd: readonly Loadable[];
  readonly nvidiaNodes: readonly string[];
  readonly renderNodes: readonly RenderNode[];
  readonly user: string;
  /** Whether the software GPU came with the install; a packed laboratory has none. */
  readonly embedded: boolean;
}

/** Variables that change which drivers the Vulkan loader sees. */
const DRIVER_VARIABLES = [
  "VK_DRIVER_FILES",
  "VK_ICD_FILENAMES",
  "VK_LOADER_DRIVERS_SELECT",
  "VK_LOADER_DRIVERS_DISABLE",
] as const;

const LOADER = "libvulkan.so.1";

/** The libraries through which NVIDIA's driver reaches itself in a container without a display. */
const GLVND = ["libEGL.so.1", "libGLX.so.0", "libGL.so.1", "libOpenGL.so.0", "libGLESv2.so.2"] as const;

/**
 * Looks at the machine as a process with this environment would find it. `devices` is where device files lie. Never
 * rejects: what cannot be found out is evidence too.
 */
export async function gatherEvidence(environment: Environment = {}, devices = "/dev"): Promise<Evidence> {
  const effective: NodeJS.ProcessEnv = { ...process.env, ...environment };
  const dawn = findDawn(effective);
  const nothing: ProbeResult = { adapters: [], failures: [], words: [] };
  const [result, loadable] = await Promise.all([
    dawn.path ? probe({ ...environment, VK_LOADER_DEBUG: "error,driver" }) : nothing,
    loadables([LOADER, ...GLVND], effective),
  ]);
  const [loader = { name: LOADER }, ...glvnd] = loadable;
  const manifests = driverManifests(effective).map((each) => ({ ...each, nvidia: isNvidia(each) }));
  return {
    linux: process.platform === "linux",
    probe: result,
    dawn,
    folders: (effective.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean),
    // What the caller asks for is not the user's doing.
    variables: DRIVER_VARIABLES.filter((name) => !(name in environment)).flatMap((name) =>
      variable(name, effective),
    ),
    manifests,
    refusals: await refusalsOf(result, manifests, environment),
    searched: manifestFolders(effective),
    loader,
    glvnd,
    nvidiaNodes: entries(devices).filter((path) => /\/nvidia\d+$/.test(path)),
    renderNodes: renderNodesIn(join(devices, "dri")),
    user: `${userInfo().username} (${userInfo().uid})`,
    embedded: await embeddedFiles().then(
      () => true,
      () => false,
    ),
  };
}

/** Dawn prints the requirement that is not met and, on the next line, the occasion. */
function refusedIn(words: readonly string[]): readonly string[] {
  const reasons = words.filter((_line, index) => words[index + 1]?.includes("While initializing adapter"));
  return [
    ...new Set(
      reasons.map((line) =>
        line
          .replace(/^Warning: /, "")
          .replace(/\.$/, "")
          .trim(),
      ),
    ),
  ];
}

/** Names the driver behind each refusal, which Dawn does not, by asking again with one driver at a time. */
async function refusalsOf(
  { words }: ProbeResult,
  manifests: readonly DriverManifest[],
  environment: Environment,
): Promise<Evidence["refusals"]> {
  const all = refusedIn(words);
  const [only] = manifests;
  if (!all.length || !only) return [];
  if (manifests.length === 1) return all.map((reason) => ({ driver: only.path, reason }));
  const alone = await Promise.all(
    manifests.map(async ({ path }) => {
      const told = await probe({ ...environment, VK_ICD_FILENAMES: undefined, VK_DRIVER_FILES: path });
      return refusedIn(told.words).map((reason) => ({ driver: path, reason }));
    }),
  );
  return alone.flat();
}

function findDawn(environment: NodeJS.ProcessEnv): Evidence["dawn"] {
  try {
    return { path: dawnPath(environment) };
  } catch (error) {
    return { missing: asFault(error, "environment").message };
  }
}

function variable(name: string, environment: NodeJS.ProcessEnv): Evidence["variables"] {
  const value = environment[name];
  if (!value) return [];
  const files = name.endsWith("S") && name.includes("FILE") ? value.split(":").filter(Boolean) : [];
  return [{ name, value, missing: files.filter((file) => !existsSync(file)) }];
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The GPUs' device files in a folder such as /dev/dri; opened for a moment, because that is what a driver must do. */
export function renderNodesIn(folder: string): readonly RenderNode[] {
  const nodes = entries(folder).filter((path) => /\/renderD\d+$/.test(path));
  return nodes.map((path) => ({ path, group: statSync(path).gid, accessible: opens(path) }));
}

function opens(path: string): boolean {
  try {
    closeSync(openSync(path, "r+"));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "EACCES" && code !== "EPERM";
  }
}

/** Asks the dynamic linker for each library in a child; one that is refused only for being no Node addon has loaded. */
const LOAD_SCRIPT = `
for (const name of JSON.parse(process.argv[1])) {
  let problem;
  try { process.dlopen({ exports: {} }, name); }
  catch (error) { if (!/self-register/.test(error.message)) problem = error.message.split("\\n")[0]; }
  console.log(JSON.stringify({ name, problem }));
}
`;

function loadables(names: readonly string[], environment: NodeJS.ProcessEnv): Promise<readonly Loadable[]> {
  if (process.platform !== "linux") return Promise.resolve(names.map((name) => ({ name })));
  const env = { ...environment, NODE_OPTIONS: undefined };
  const options = { env, timeout: 10_000, killSignal: "SIGKILL" as const };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["-e", LOAD_SCRIPT, JSON.stringify(names)],
      options,
      (error, stdout, stderr) => {
        const told = stdout
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Loadable);
        const reason = stderr.trim().split("\n")[0] || error?.message.split("\n")[0] || "no answer";
        resolve(names.map((name) => told.find((each) => each.name === name) ?? { name, problem: reason }));
      },
    );
  });
}
