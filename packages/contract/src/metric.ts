import type { TrialOutcome } from "./measure.ts";

/**
 * A figure of an operation's own about a trial: bytes a second, joules where somebody measures them, bytes of workgroup memory. It is
 * worked out from verified, timed trials, stored with them, shown, and may be what a search is for.
 */
export interface Metric {
  /** As `--objective` takes it: a word. `time` is the laboratory's own. */
  readonly name: string;
  /** What it is counted in, as it is printed: `GB/s`. */
  readonly unit: string;
  readonly doc: string;
  readonly better: "lower" | "higher";
  /** Pure. Undefined where the trial does not say; what is no finite number counts as that. */
  of(trial: TrialOutcome): number | undefined;
}

/** The metric that every trial has. */
export const TIME_METRIC = "time";

/** Values of metrics by name, and of those that threw what they said, one line each. */
export interface MetricValues {
  readonly values: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** Works metrics out; one that throws spoils no other, and no trial. */
export function metricValues(metrics: readonly Metric[], trial: TrialOutcome): MetricValues {
  const values: Record<string, number> = {};
  const faults: string[] = [];
  for (const { name, of } of metrics) {
    try {
      const value = of(trial);
      if (value !== undefined && Number.isFinite(value)) values[name] = value;
    } catch (error) {
      faults.push(`the metric ${name} throws: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { values, faults };
}
