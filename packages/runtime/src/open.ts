import { type DeviceInfo, Fault } from "@tunelab/contract";
import { requestDeviceFor } from "@tunelab/executor";
import { vendorOf } from "@tunelab/selection";
import type { KnownFault } from "@tunelab/selection/known-faults";
import { deviceInfoOf } from "./identity.ts";

export interface DeviceOptions {
  /** The caller's own device; it stays the caller's. */
  readonly device?: GPUDevice;
  /** The adapter to request a device from, or (beside `device`) the one that the device came from. */
  readonly adapter?: GPUAdapter;
  /** WebGPU's entry point: `navigator.gpu` unless given; in Node `create([])` of the package webgpu. */
  readonly gpu?: GPU;
  readonly powerPreference?: GPUPowerPreference;
}

export interface OpenDevice {
  readonly device: GPUDevice;
  /** Who it is, and what can be relied on in spite of `faults`. */
  readonly info: DeviceInfo;
  readonly faults: readonly KnownFault[];
  /** Whether the library made the device and must destroy it. */
  readonly owned: boolean;
}

/**
 * The device to compute on: the caller's, one of the caller's adapter, or one of the best adapter there is.
 * Rejects with `Fault` environment that says what is missing and what to do.
 */
export async function openDevice(options: DeviceOptions): Promise<OpenDevice> {
  if (options.device) {
    const info = options.device.adapterInfo ?? options.adapter?.info;
    if (!info) {
      throw new Fault(
        "usage",
        "this WebGPU does not tell a device's adapter: pass `adapter` beside `device`",
      );
    }
    return opened(options.device, info, false);
  }
  const adapter = options.adapter ?? (await findAdapter(options));
  return opened(await requestDeviceFor(adapter), adapter.info, true);
}

async function opened(device: GPUDevice, told: GPUAdapterInfo, owned: boolean): Promise<OpenDevice> {
  const { amended, knownFaultsOf } = await import("@tunelab/selection/known-faults");
  const { identity, capabilities } = deviceInfoOf(device, told);
  const faults = knownFaultsOf(vendorOf(identity), identity.compiler);
  return { device, info: { identity, capabilities: amended(capabilities, faults) }, faults, owned };
}

async function findAdapter({ gpu, powerPreference }: DeviceOptions): Promise<GPUAdapter> {
  const entry = gpu ?? (globalThis as { readonly navigator?: { readonly gpu?: GPU } }).navigator?.gpu;
  if (!entry) throw (await import("./missing.ts")).noWebGpu();
  const adapter = await entry.requestAdapter(powerPreference ? { powerPreference } : {});
  if (!adapter) throw (await import("./missing.ts")).noAdapter();
  return adapter;
}
