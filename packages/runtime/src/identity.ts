import type { DeviceIdentity, DeviceInfo } from "@tunelab/contract";
import { capabilitiesOf } from "@tunelab/executor";

/** Names that software rasterisers give themselves, wherever they appear. */
const SOFTWARE = /swiftshader|llvmpipe|basic render/i;

/**
 * What a device says about itself. Browsers mask most of it (Chromium leaves device and description empty, Safari says
 * `apple`), and none names its shader compiler or backend: those stay empty, which selection reads as unknown.
 */
export function deviceInfoOf(device: GPUDevice, info: GPUAdapterInfo): DeviceInfo {
  const { vendor, architecture, description } = info;
  const software = info.isFallbackAdapter || SOFTWARE.test(`${architecture} ${info.device} ${description}`);
  const identity: DeviceIdentity = {
    implementation: "",
    implementationVersion: "",
    compiler: "",
    backend: "",
    vendor,
    architecture,
    device: info.device,
    description,
    driver: "",
    adapterType: software ? "cpu" : "unknown",
  };
  return { identity, capabilities: capabilitiesOf(device, info) };
}
