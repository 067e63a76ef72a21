import {
  Fault,
  largestDispatch,
  type MeasureRequest,
  type PortData,
  type Suite,
  type TrialOutcome,
} from "@tunelab/contract";
import type { Instance, Run } from "@tunelab/executor";
import type { Case } from "./cases.ts";
import { faultAt, ofSuite, type Stage, statusOf } from "./failures.ts";
import { type InstanceTimeable, runMs } from "./instance-timeable.ts";
import { variantLabel } from "./label.ts";
import { algorithmOf, type Subject } from "./subject.ts";
import { failureOf, judgeOutputs, type Look, readOutputs, verifyCases } from "./verify.ts";
import { sameBits } from "./words.ts";
import type { Workbench } from "./workbench.ts";

/** What is known of a trial so far: whatever stops it, the outcome carries this. */
export type Known = { -readonly [Key in keyof TrialOutcome]: TrialOutcome[Key] };

/** The trial before anything was tried. @throws Fault `usage` without seeds. */
export function unknownYet(request: MeasureRequest, suite: Suite): Known {
  if (request.seeds.length === 0)
    throw new Fault("usage", "a trial needs at least one input seed: give seeds");
  const { operation, algorithm, problem, config, grade, isDefault } = request;
  return {
    operation,
    algorithm,
    problem,
    config,
    grade,
    isDefault,
    variant: variantLabel(algorithm, config),
    planHash: "",
    epoch: suite.epoch,
    status: "ok",
    seeds: [],
    work: { flops: 0, bytes: 0, items: 0 },
  };
}

function describe(known: Known, suite: Suite, { plan, planHash, resources, cost }: Subject): void {
  const { workgroupBytes, invocations } = resources;
  known.planHash = planHash;
  known.resources = { workgroupBytes, invocations };
  known.requestedBytes = cost.requestedBytes;
  known.workgroupBytes = cost.workgroupBytes;
  known.workgroups = largestDispatch(plan);
  known.work = ofSuite(suite.operation.name, () => suite.work(known.problem));
}

export function fail(known: Known, status: TrialOutcome["status"], reason: string): void {
  known.status = status;
  known.reason = reason;
}

/** A variant that is compiled and bound. */
export interface Opened {
  readonly bench: Workbench;
  readonly suite: Suite;
  readonly request: MeasureRequest;
  readonly subject: Subject;
  /** Made when their turn comes: one problem's inputs may be large. */
  readonly cases: readonly (() => Case)[];
  readonly instance: Instance;
}

function note(known: Known, instance: Instance, { probes }: Run): void {
  known.cut = instance.cut;
  if (Object.keys(probes).length > 0) known.probes = probes;
}

/**
 * Plans, compiles and binds a variant within `work`, which calls `open` for it; `named` hears what it is before it is compiled. What
 * goes wrong meanwhile becomes the outcome's status; rejects only for faults that are not the variant's own. Whoever opened disposes.
 */
export async function attempt(
  bench: Workbench,
  request: MeasureRequest,
  work: (known: Known, open: () => Promise<Opened>) => Promise<void>,
  named?: (known: Known) => void,
): Promise<TrialOutcome> {
  const { context } = bench;
  context.onPhase("plan");
  const suite = await context.suite(request.operation);
  const algorithm = await algorithmOf(suite, request);
  const known: Known = unknownYet(request, suite);
  let stage: Stage = "plan";
  const open = async (): Promise<Opened> => {
    known.variant = variantLabel(request.algorithm, request.config, algorithm.space(request.problem));
    const subject = await bench.planned.get(suite, request);
    describe(known, suite, subject);
    named?.(known);
    stage = "compile";
    context.onPhase("compile");
    const prepared = await bench.compiled.prepare(subject);
    known.compileMs = prepared.compileMs;
    stage = "run";
    context.onPhase("verify");
    const collapsed = request.altered?.collapsed === true;
    const cases = request.seeds.map((seed) => () => bench.cases.get(suite, request.problem, seed, collapsed));
    const instance = await prepared.bind(cases[0]!().inputs);
    return { bench, suite, request, subject, cases, instance };
  };
  try {
    await work(known, open);
  } catch (error) {
    const fault = faultAt(error, stage);
    const status = statusOf(fault, stage);
    if (status === undefined) throw fault;
    fail(known, status, fault.message);
  }
  return known;
}

function lookOf({ suite, request }: Opened): Look {
  const ports = suite.operation.ports(request.problem);
  return { operation: suite.operation.name, ports, sample: request.oracleSample };
}

/** Verifies on every seed, the last of which stays bound; its outputs, or undefined when the variant may not be timed. */
export async function verify(opened: Opened, known: Known): Promise<PortData | undefined> {
  const { suite, subject, cases, instance } = opened;
  const verified = await verifyCases(instance, cases, lookOf(opened), suite.operation.accuracy);
  known.verdict = verified.verdict;
  known.seeds = verified.seeds;
  note(known, instance, verified.run);
  if (verified.failure) {
    fail(known, verified.failure.status, verified.failure.reason);
    return undefined;
  }
  // The first run may have compiled lazily; from the second on, a run says what an item costs.
  const cost = runMs(verified.run) / subject.plan.batch.items;
  if (cases.length > 1 && cost > 0) instance.recut(cost);
  return verified.found;
}

/**
 * One sample more, with poisoned outputs, verified: what it leaves is what timed submissions leave. Whether that was right. The very words
 * that were `right` of the same inputs are not judged again: at n = 512 that takes the eigensolver's oracle seconds.
 */
export async function witness(
  opened: Opened,
  known: Known,
  timeable: InstanceTimeable,
  repeats: number,
  right?: PortData,
): Promise<boolean> {
  const { bench, suite, cases, instance } = opened;
  instance.poison();
  await timeable.sample(repeats);
  bench.context.onPhase("verify");
  const look = lookOf(opened);
  const words = await readOutputs(instance, look);
  note(known, instance, timeable.last!);
  if (right && sameBits(words, right)) return true;
  const found = judgeOutputs(words, cases.at(-1)!(), look);
  const failure = failureOf(found, suite.operation.accuracy);
  if (failure) {
    known.verdict = found;
    fail(known, failure.status, `after ${repeats} timed repeats: ${failure.reason}`);
    return false;
  }
  known.verdict = { ...known.verdict!, maxError: Math.max(known.verdict!.maxError, found.maxError) };
  return true;
}
