export { anchoredRatio, type Estimate, estimate } from "./estimate.ts";
export {
  type FakeClock,
  type FakeTimeable,
  type FakeTimeableOptions,
  fakeClock,
  fakeTimeable,
} from "./fake.ts";
export { CERTIFYING, gateFault, gateReached } from "./gate.ts";
export { createHarness } from "./harness.ts";
export { variantLabel } from "./label.ts";
export * from "./protocol.ts";
export { algorithmOf, planSubject, type Subject } from "./subject.ts";
export * from "./timing.ts";
export * from "./types.ts";
export { failureOf, mergeVerdicts } from "./verify.ts";
export { mannKendall, type WarmUp, warmUp } from "./warmup.ts";
