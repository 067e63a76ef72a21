import { Fault } from "@tunelab/contract";
import { expect } from "vitest";
import { create, globals } from "webgpu";
import { capabilitiesOf, Executor, requestDeviceFor, WANTED_FEATURES } from "../../src/index.ts";
import { instrument, type Watch } from "./instrument.ts";
import { itemwise, words } from "./plans.ts";

Object.assign(globalThis, globals);
/** Dawn's null backend: checks everything, computes nothing. It must outlive every device. */
export const gpu: GPU = create(["backend=null"]);

/** A clock that advances by one each time it is read. */
export const ticking = () => {
  let now = 0;
  return { now: () => now++ };
};

/** A device and its executor. The null backend's timestamps are whatever memory held: only ask for them to ignore them. */
export async function open(
  clock: { now(): number } = ticking(),
  watch: Watch = {},
  features: readonly string[] = WANTED_FEATURES.filter((name) => name !== "timestamp-query"),
) {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter, { features });
  const capabilities = capabilitiesOf(device, adapter.info);
  const log = instrument(device, watch);
  return { adapter, device, capabilities, log, executor: new Executor(device, capabilities, { clock }) };
}

export const double = itemwise(64, [words("x", "in"), words("y", "out")], "y[i] = x[i] * 2u;");
export const fault = (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => expect.fail("nothing was thrown"),
    (error) => {
      expect(error).toBeInstanceOf(Fault);
      expect(error.message).not.toContain("\n");
      return error;
    },
  );
