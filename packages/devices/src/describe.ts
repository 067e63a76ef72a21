import { type DeviceInfo, tableFolder } from "@tunelab/contract";
import { type DeviceTarget, discoverDevices } from "./discover.ts";

/** A device as a person wants to see it; plain data for a table or JSON. */
export interface DeviceDescription {
  readonly id: string;
  readonly kind: DeviceTarget["kind"];
  readonly origin: DeviceTarget["origin"];
  /** What `--device auto` takes. */
  readonly isDefault: boolean;
  readonly implementation: string;
  readonly compiler: string;
  readonly backend: string;
  readonly adapter: string;
  readonly driver: string;
  readonly adapterType: DeviceInfo["identity"]["adapterType"];
  readonly features: readonly string[];
  readonly limits: DeviceInfo["capabilities"]["limits"];
  /** Narrowest and widest subgroup; absent without the feature. */
  readonly subgroup?: { readonly minimum: number; readonly maximum: number };
  readonly timestamps: boolean;
  /** Step of the clock in ns, quantization lifted; 0 without one. */
  readonly tickNs: number;
  /** Where its portable tables live. */
  readonly tables: string;
}

/** Every device of this machine, best first, for printing. */
export async function describeDevices(): Promise<readonly DeviceDescription[]> {
  return (await discoverDevices()).map((target, index) => describeDevice(target, index === 0));
}

function describeDevice(target: DeviceTarget, isDefault: boolean): DeviceDescription {
  const { id, kind, origin, timestamps, tickNs } = target;
  const { identity, capabilities } = target.info;
  return {
    id,
    kind,
    origin,
    isDefault,
    implementation: `${identity.implementation} ${identity.implementationVersion}`,
    compiler: identity.compiler,
    backend: identity.backend,
    adapter: identity.description,
    driver: identity.driver,
    adapterType: identity.adapterType,
    ...capabilities,
    timestamps,
    tickNs,
    tables: tableFolder(identity, "portable"),
  };
}
