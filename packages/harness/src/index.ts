export { type Claimable, claimable } from "./claims.ts";
export { type Estimate, estimate } from "./estimate.ts";
export {
  type FakeClock,
  type FakeTimeable,
  type FakeTimeableOptions,
  fakeClock,
  fakeTimeable,
} from "./fake.ts";
export { benjaminiHochberg } from "./fdr.ts";
export { CERTIFYING, gateFault, gateReached } from "./gate.ts";
export { createHarness } from "./harness.ts";
export { variantLabel } from "./label.ts";
export { type MdeOptions, minimumDetectableEffect, processesDetectableEffect } from "./mde.ts";
export { type OrderEffect, orderEffect } from "./order-effect.ts";
export { PADDING_STEP, padPlan } from "./padding.ts";
export type { SideLoader, SideModule } from "./pair/module.ts";
export { findPlateau, PLATEAU_TOLERANCE, type Plateau, type SweepPoint } from "./plateau.ts";
export { judgeProcesses, type ProcessesJudgement } from "./processes.ts";
export * from "./protocol.ts";
export {
  QuadMachine,
  type QuadOptions,
  type QuadOutcome,
  type QuadRequest,
  type Reading,
  runQuads,
} from "./quad-run.ts";
export * from "./quads.ts";
export * from "./race.ts";
export type { Meeting } from "./race-finals.ts";
export type { Racer, Shuffle } from "./race-rounds.ts";
export { judgeReferences, referenceLogs } from "./references.ts";
export { hodgesLehmann, type Interval } from "./signed-rank.ts";
export { algorithmOf, planSubject, type Subject } from "./subject.ts";
export * from "./timing.ts";
export * from "./types.ts";
export { failureOf, mergeVerdicts } from "./verify.ts";
export { mannKendall, type WarmUp, warmUp } from "./warmup.ts";
