import { createRequire } from "node:module";
import type { Capabilities, LimitName } from "@tunelab/contract";
import { DEFAULT_LIMITS, LIMIT_NAMES } from "@tunelab/contract";
import { Executor } from "@tunelab/executor";

/** Dawn, as the executor's tests use it. */
const { create, globals } = createRequire(
  new URL("../../../packages/executor/package.json", import.meta.url),
)("webgpu");
Object.assign(globalThis, globals);

/** Kept for as long as devices live: Dawn crashes when it is collected. */
const kept: GPU[] = [];

export interface Opened {
  readonly device: GPUDevice;
  readonly capabilities: Capabilities;
  readonly executor: Executor;
  readonly description: string;
}

/** A device with subgroups where there are any and the default limits, or those of the adapter; refused validation throws. */
export async function open(backend: string, raised: boolean): Promise<Opened> {
  const gpu = create([`backend=${backend}`]) as GPU;
  kept.push(gpu);
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error(`no adapter on ${backend}`);
  const granted = adapter.limits as unknown as Record<LimitName, number>;
  const limits = Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, raised ? granted[name] : DEFAULT_LIMITS[name]]),
  ) as Record<LimitName, number>;
  const features = (["subgroups"] as const).filter((name) => adapter.features.has(name));
  const device = await adapter.requestDevice({ requiredLimits: limits, requiredFeatures: features });
  const capabilities: Capabilities = { features, limits };
  const executor = new Executor(device, capabilities, { clock: performance });
  return { device, capabilities, executor, description: adapter.info.description };
}
