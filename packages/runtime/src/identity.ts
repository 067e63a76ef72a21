import type { DeviceIdentity, DeviceInfo } from "@tunelab/contract";
import { capabilitiesOf } from "@tunelab/executor";

/** Names that software rasterisers give themselves, wherever they appear. */
const SOFTWARE = /swiftshader|llvmpipe|basic render/i;

/**
 * The shader compiler that the shape of the info gives away: wgpu (Deno) reports decimal ids, Safari `apple` in every field.
 * Empty, which selection reads as unknown, where nothing does: Chromium and Firefox mask alike.
 */
function compilerOf({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  if (/^\d+$/.test(vendor)) return "naga";
  return [vendor, architecture, device, description].every((text) => text === "apple") ? "webkit" : "";
}

/**
 * What a device says about itself. Browsers mask most of it (Chromium leaves device and description empty, Safari says
 * `apple`), and none names its backend or driver: those stay empty, which selection reads as unknown.
 */
export function deviceInfoOf(
  device: Pick<GPUDevice, "limits" | "features">,
  info: GPUAdapterInfo,
): DeviceInfo {
  const { vendor, architecture, description } = info;
  const software = info.isFallbackAdapter || SOFTWARE.test(`${architecture} ${info.device} ${description}`);
  const identity: DeviceIdentity = {
    implementation: "",
    implementationVersion: "",
    compiler: compilerOf(info),
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
