import { pathToFileURL } from "node:url";
import { asFault, Fault } from "@tunelab/contract";
import type { SideLoader, SideModule } from "@tunelab/harness";
import type { HostParts } from "./host.ts";

/** Loads the sides of comparisons into this host: a commit's bundle once a path, or the host's own operations. */
export function loadSide(suite: HostParts["suite"]): SideLoader {
  const modules = new Map<string, Promise<SideModule>>();
  const own = async (operation: string): Promise<SideModule> => ({ suite: await suite(operation) });
  return ({ bundle }, operation) => {
    const key = bundle ?? `own ${operation}`;
    const known = modules.get(key);
    if (known) return known;
    const loading = bundle === undefined ? own(operation) : bundled(bundle, operation);
    modules.set(key, loading);
    return loading;
  };
}

async function bundled(path: string, operation: string): Promise<SideModule> {
  let module: SideModule;
  try {
    module = (await import(pathToFileURL(path).href)) as SideModule;
  } catch (error) {
    throw new Fault("data", `the bundle ${path} cannot be loaded: ${asFault(error, "data").message}`);
  }
  const holds = module.suite?.operation?.name;
  if (holds !== operation) throw new Fault("data", `the bundle ${path} holds ${holds}, not ${operation}`);
  return module;
}
