import {
  DEFAULT_LIMITS,
  type DeviceIdentity,
  type DeviceInfo,
  deviceSlug,
  type TuningTable,
} from "@tunelab/contract";
import { operation } from "@tunelab/kernel-matched-filter";
import { select } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { deviceInfoOf } from "../src/identity.ts";
import { KNOWN, SEEN, type SeenAdapter } from "./adapters.ts";
import { tableOf } from "./made-table.ts";

const subgroups: Record<keyof typeof KNOWN, number> = {
  ...{ h200: 32, rtx3090: 32, radeon: 64, m2: 32, arc: 16, swiftshader: 4, llvmpipe: 8 },
};
/** Limits by which hardware differs from hardware: without them every device would be as similar as any other. */
const wideLimits = { ...DEFAULT_LIMITS, maxComputeInvocationsPerWorkgroup: 1024 };

function knownDevice(name: keyof typeof KNOWN): DeviceInfo {
  const software = name === "swiftshader" || name === "llvmpipe";
  const identity: DeviceIdentity = {
    ...{ implementation: "dawn", implementationVersion: "0.6.2", compiler: "tint", backend: "vulkan" },
    ...{ driver: "", adapterType: software ? "cpu" : "unknown", ...KNOWN[name] },
  };
  const size = subgroups[name];
  const limits = name === "h200" ? { ...wideLimits, maxComputeWorkgroupStorageSize: 49152 } : wideLimits;
  return {
    identity,
    capabilities: {
      features: ["subgroups"],
      limits: software ? DEFAULT_LIMITS : limits,
      subgroup: { minimum: size, maximum: size },
    },
  };
}

async function tables(): Promise<ReadonlyMap<string, TuningTable>> {
  const names = Object.keys(KNOWN) as (keyof typeof KNOWN)[];
  const made = await Promise.all(
    names.map(async (name) => [name, await tableOf(knownDevice(name), 256)] as const),
  );
  return new Map(made);
}

function seenDevice({ info }: SeenAdapter): DeviceInfo {
  const whole = {
    ...{ vendor: "", architecture: "", device: "", description: "", isFallbackAdapter: false },
    ...info,
  };
  const features = new Set(info.subgroupMaxSize ? ["subgroups"] : []);
  const software = whole.isFallbackAdapter || /swiftshader|llvmpipe/.test(JSON.stringify(info));
  const limits = (software ? DEFAULT_LIMITS : wideLimits) as unknown as GPUSupportedLimits;
  return deviceInfoOf({ limits, features } as never, whole as unknown as GPUAdapterInfo);
}

describe("what adapters say in the field", () => {
  it.each(SEEN.map((seen) => [seen.where, seen] as const))("%s", async (_where, seen) => {
    const known = await tables();
    const { identity, capabilities } = seenDevice(seen);
    const selection = await select({
      ...{ operation, identity, capabilities, tables: [...known.values()] },
      problem: { n: 256, data: 3, templates: 3, pairs: 9 },
    });
    const { origin } = selection.candidates[0];
    if (origin.kind !== "table") throw new Error("no table was taken");
    const { identity: taken } = knownDevice(seen.takes);
    expect(origin.table.split("/")[0]).toBe(deviceSlug(taken));
    expect(origin.closeness).toBe(seen.closeness);
  });

  it("the compiler is known where the shape of the info gives it away, and nowhere else", () => {
    const compilers = SEEN.map((seen) => [seen.where, seenDevice(seen).identity.compiler]);
    expect(compilers.filter(([, compiler]) => compiler !== "")).toEqual([
      ["an H200 in Deno (wgpu): decimal ids", "naga"],
      ["any Apple device in Safari", "webkit"],
      ["SwiftShader in Deno: Google's id in decimal, no feature subgroups to tell a width by", "naga"],
      ["llvmpipe in Deno: Khronos's id of Mesa", "naga"],
    ]);
  });
});
