import { expect, it } from "vitest";
import { type Metric, metricValues, type TrialOutcome } from "../src/index.ts";

const metric = (name: string, of: Metric["of"]): Metric => ({
  name,
  of,
  unit: "B",
  doc: "",
  better: "lower",
});
const trial = { requestedBytes: 8 } as TrialOutcome;

it("metrics are worked out by name; what is no finite number, or is not said, is left out", () => {
  const metrics = [
    metric("bytes", ({ requestedBytes }) => requestedBytes),
    metric("none", () => undefined),
    metric("nan", () => Number.NaN),
    metric("endless", () => 1 / 0),
    metric("zero", () => 0),
  ];
  expect(metricValues(metrics, trial)).toEqual({ values: { bytes: 8, zero: 0 }, faults: [] });
});

it("one that throws is named with what it said, and spoils no other", () => {
  const broken = metric("joules", () => {
    throw new Error("no meter");
  });
  const bytes = metric("bytes", ({ requestedBytes }) => requestedBytes);
  expect(metricValues([broken, bytes], trial)).toEqual({
    values: { bytes: 8 },
    faults: ["the metric joules throws: no meter"],
  });
});
