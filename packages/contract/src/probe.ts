import type { Capabilities } from "./capabilities.ts";
import type { PortData } from "./operation.ts";
import type { Plan } from "./plan.ts";

/**
 * What a probe's amount counts. FLOPs: `fma`; bytes: `copy`, `read` (global memory), `workgroup`; dispatches: `dispatch`
 * (32 a pass), `dispatch-alone` (one a pass), `indirect`; values reduced: `subgroup`; workgroups: `units`, whose every
 * workgroup keeps one compute unit busy and whose scale is their number.
 */
export type CeilingKind =
  | "fma"
  | "copy"
  | "read"
  | "workgroup"
  | "dispatch"
  | "dispatch-alone"
  | "indirect"
  | "subgroup"
  | "units";

/**
 * A small kernel whose cost is known exactly, measured to learn a device's ceiling. Several shapes may probe one
 * ceiling (vec1/2/4, several workgroup sizes): the best rate counts. Probes are injected into the harness. A plan that asks
 * for a feature which the device lacks is a probe that does not run there.
 */
export interface Probe {
  readonly name: string;
  readonly ceiling: CeilingKind;
  readonly doc: string;
  /** `scale` >= 1 multiplies the amount of work, so that a run lasts long enough on fast devices. */
  plan(capabilities: Capabilities, scale: number): Plan;
  /** FLOPs, bytes (read + written) or dispatches of one run at `scale`. */
  amount(capabilities: Capabilities, scale: number): number;
  inputs(capabilities: Capabilities, scale: number): PortData;
  /** Whether outputs are what the arithmetic must give; a probe that computed nothing measured nothing. */
  verify(outputs: PortData, capabilities: Capabilities, scale: number): boolean;
}
