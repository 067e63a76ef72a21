import { type Capabilities, Fault, firstLine, LIMIT_NAMES, type LimitName } from "@tunelab/contract";

/** Features that some variant or the timing can use. */
export const WANTED_FEATURES = [
  "timestamp-query",
  "subgroups",
  "subgroup-size-control",
  "shader-f16",
] as const;

export interface DeviceRequest {
  /** Features to ask for when the adapter has them; by default WANTED_FEATURES. */
  readonly features?: readonly string[];
  /** `adapter` (default): all that the adapter grants of LIMIT_NAMES; `default`: WebGPU's default limits. */
  readonly limits?: "adapter" | "default";
  readonly label?: string;
}

/**
 * A device with the wanted features and limits that the adapter has, and no other: what is asked for decides what
 * variants fit, so it must not vary by accident.
 * @throws Fault `environment` with the reason and the next step.
 */
export async function requestDeviceFor(adapter: GPUAdapter, request: DeviceRequest = {}): Promise<GPUDevice> {
  const features = (request.features ?? WANTED_FEATURES).filter((name) =>
    adapter.features.has(name as GPUFeatureName),
  );
  const limits: Record<string, number> = {};
  if (request.limits !== "default") for (const name of LIMIT_NAMES) limits[name] = adapter.limits[name];
  try {
    return await adapter.requestDevice({
      label: request.label ?? "tunelab",
      requiredFeatures: features as GPUFeatureName[],
      requiredLimits: limits,
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Fault(
      "environment",
      `the adapter gave no device: ${firstLine(text)}; ask for a fresh adapter`,
      {
        features,
        limits,
      },
    );
  }
}

/** What a device was created with; subgroup widths come from its adapter's info. */
export function capabilitiesOf(
  device: Pick<GPUDevice, "limits" | "features">,
  info: GPUAdapterInfo,
): Capabilities {
  const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, device.limits[name]]));
  const features = [...device.features].sort();
  const { subgroupMinSize: minimum, subgroupMaxSize: maximum } = info;
  const known = features.includes("subgroups") && minimum && maximum;
  return {
    features,
    limits: limits as Record<LimitName, number>,
    ...(known ? { subgroup: { minimum, maximum } } : {}),
  };
}
