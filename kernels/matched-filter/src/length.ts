import { type Constraint, Fault } from "@tunelab/contract";
import { ONE_WORKGROUP_N } from "./problem.ts";

/** For algorithms whose transform is one workgroup's. */
export const oneWorkgroupHolds = (n: number): Constraint => ({
  name: "one-workgroup-holds-it",
  doc: `longer spectra than ${ONE_WORKGROUP_N} points take several dispatches: choose four-step`,
  parameters: [],
  holds: () => n <= ONE_WORKGROUP_N,
});

/** @throws Fault unsupported where one workgroup does not hold the transform. */
export function checkLength(n: number): void {
  if (n <= ONE_WORKGROUP_N) return;
  throw new Fault(
    "unsupported",
    `one workgroup transforms up to ${ONE_WORKGROUP_N} points, not ${n}: choose four-step`,
  );
}
