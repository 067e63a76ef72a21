import type { Capabilities } from "@tunelab/contract";
import type { Lifeline } from "./lifeline.ts";
import type { Timestamps } from "./timestamps.ts";
import type { Budgets, Instance } from "./types.ts";

/** What an instance needs of its executor. */
export interface Host {
  readonly device: GPUDevice;
  readonly limits: Capabilities["limits"];
  readonly lifeline: Lifeline;
  readonly budgets: Budgets;
  now(): number;
  /** Pass times of one run, on queries that runs share; undefined where the device has no timestamps. */
  timestamps(): Promise<Timestamps | undefined>;
  /** Wall time of submitting nothing, in ms. */
  roundTripMs(): Promise<number>;
  /** Called once, when the instance is disposed. */
  released(instance: Instance): void;
}
