import {
  Fault,
  type LoopStep,
  largestDispatch,
  type MeasureRequest,
  type Suite,
  type TrialOutcome,
} from "@tunelab/contract";
import type { Instance, Run } from "@tunelab/executor";
import type { Case } from "./cases.ts";
import { faultAt, ofSuite, type Stage, statusOf } from "./failures.ts";
import { CERTIFYING } from "./gate.ts";
import { type InstanceTimeable, instanceTimeable, runMs } from "./instance-timeable.ts";
import { variantLabel } from "./label.ts";
import { SETTLE } from "./protocol.ts";
import { RACING, SCREENING, type StoppingRule } from "./rules.ts";
import { type AnchorRun, type Sampled, takeSamples } from "./sampler.ts";
import { stageTimes } from "./stages.ts";
import { algorithmOf, planSubject, type Subject } from "./subject.ts";
import { checkOutputs, failureOf, type Look, verifyCases } from "./verify.ts";
import type { Workbench } from "./workbench.ts";

const RULES = { screened: SCREENING, raced: RACING, certified: CERTIFYING } as const;

/** When to stop sampling: the grade's rule, cut shorter where the session says so. */
function ruleFor({ grade, extensionMs }: MeasureRequest): StoppingRule {
  const rule = RULES[grade];
  return extensionMs === undefined ? rule : { ...rule, extensionMs: Math.min(rule.extensionMs, extensionMs) };
}

/** What is known of a trial so far: whatever stops it, the outcome carries this. */
type Known = { -readonly [Key in keyof TrialOutcome]: TrialOutcome[Key] };

/**
 * Verifies and times one variant. Whatever the variant does becomes a status with a one-line reason; rejects only for
 * faults that are not its own: an unknown operation or algorithm, no seeds, a suite that throws, the machine.
 */
export async function measureVariant(bench: Workbench, request: MeasureRequest): Promise<TrialOutcome> {
  const { context } = bench;
  context.onPhase("plan");
  let instance: Instance | undefined;
  try {
    const suite = await context.suite(request.operation);
    const algorithm = await algorithmOf(suite, request);
    const known: Known = unknownYet(request, suite);
    let stage: Stage = "plan";
    try {
      const names = algorithm.space(request.problem).parameters.map(({ name }) => name);
      known.variant = variantLabel(request.algorithm, request.config, names);
      const subject = await planSubject(suite, algorithm, request, context.info.capabilities);
      describe(known, suite, subject);
      stage = "compile";
      context.onPhase("compile");
      const prepared = await bench.compiled.prepare(subject);
      known.compileMs = prepared.compileMs;
      stage = "run";
      context.onPhase("verify");
      const collapsed = request.altered?.collapsed === true;
      const cases = request.seeds.map(
        (seed) => () => bench.cases.get(suite, request.problem, seed, collapsed),
      );
      instance = await prepared.bind(cases[0]!().inputs);
      await verifyAndTime({ bench, suite, request, subject, cases, instance }, known);
    } catch (error) {
      const fault = faultAt(error, stage);
      const status = statusOf(fault, stage);
      if (status === undefined) throw fault;
      fail(known, status, fault.message);
    }
    return known;
  } finally {
    instance?.dispose();
    context.onPhase("idle");
  }
}

/** The trial before anything was tried. @throws Fault `usage` without seeds. */
function unknownYet(request: MeasureRequest, suite: Suite): Known {
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

function fail(known: Known, status: TrialOutcome["status"], reason: string): void {
  known.status = status;
  known.reason = reason;
}

interface Trial {
  readonly bench: Workbench;
  readonly suite: Suite;
  readonly request: MeasureRequest;
  readonly subject: Subject;
  /** Made when their turn comes: one problem's inputs may be large. */
  readonly cases: readonly (() => Case)[];
  readonly instance: Instance;
}

/** Verify on every seed, warm up, time on the last, and verify what the last timed submission left. */
async function verifyAndTime(trial: Trial, known: Known): Promise<void> {
  const { bench, suite, request, subject, cases, instance } = trial;
  const { context } = bench;
  const { accuracy, name } = suite.operation;
  const ports = suite.operation.ports(request.problem);
  const look: Look = { operation: name, ports, sample: request.oracleSample };
  const verified = await verifyCases(instance, cases, look, accuracy);
  known.verdict = verified.verdict;
  known.seeds = verified.seeds;
  note(known, instance, verified.run);
  if (verified.failure) return fail(known, verified.failure.status, verified.failure.reason);
  // The first run may have compiled lazily; from the second on, a run says what an item costs.
  const cost = runMs(verified.run) / subject.plan.batch.items;
  if (cases.length > 1 && cost > 0) instance.recut(cost);

  context.onPhase("warm-up");
  await bench.settle();
  context.onPhase("measure");
  let { timeable, sampled } = await time(trial);
  for (let retake = 0; retake < SETTLE.retakes && !(await bench.held()); retake += 1) {
    await bench.settle();
    ({ timeable, sampled } = await time(trial));
  }

  // A sample more, with poisoned outputs: what it leaves is what timed submissions leave.
  instance.poison();
  await timeable.sample(sampled.timing.repeats);
  context.onPhase("verify");
  const witness = await checkOutputs(instance, cases.at(-1)!(), look);
  note(known, instance, timeable.last!);
  const failure = failureOf(witness, accuracy);
  if (failure) {
    known.verdict = witness;
    return fail(known, failure.status, `after ${sampled.timing.repeats} timed repeats: ${failure.reason}`);
  }
  known.verdict = { ...known.verdict, maxError: Math.max(known.verdict.maxError, witness.maxError) };
  known.timing = sampled.timing;
  if (sampled.status !== "ok") fail(known, sampled.status, sampled.reason ?? sampled.status);
  if (request.grade === "certified" && sampled.status !== "unresolved" && sampled.timing.clock === "gpu") {
    context.onPhase("measure");
    const stagesNs = await stageTimes(instance, subject.plan, sampled.timing.repeats);
    if (stagesNs) known.timing = { ...sampled.timing, stagesNs };
  }
}

function note(known: Known, instance: Instance, { probes }: Run): void {
  known.cut = instance.cut;
  if (Object.keys(probes).length > 0) known.probes = probes;
}

/** Times the bound instance at the request's grade. A host-driven loop runs once a sample, by the wall. */
async function time(trial: Trial): Promise<{ timeable: InstanceTimeable; sampled: Sampled }> {
  const { bench, request, subject, instance } = trial;
  const hostLoop = subject.plan.steps.some((step): step is LoopStep => step.kind === "loop");
  const { clock, tickNs } = await bench.ticks(hostLoop ? "wall" : "best");
  const timeable = instanceTimeable(instance, clock);
  const anchor = await anchorOf(trial);
  const { fmaFlopsPerSecond } = bench.ceilings;
  const sampled = await takeSamples(timeable, {
    clock,
    tickNs,
    time: bench.context.clock,
    rule: ruleFor(request),
    ...(hostLoop ? { repeats: 1 } : {}),
    ...(anchor ? { anchor } : {}),
    ...(fmaFlopsPerSecond === undefined ? {} : { flops: subject.cost.flops, fmaFlopsPerSecond }),
  });
  return { timeable, sampled };
}

/** The anchor that resembles the ceiling which binds the variant: arithmetic, unless its traffic takes longer. */
async function anchorOf({ bench, subject }: Trial): Promise<AnchorRun | undefined> {
  const { fmaFlopsPerSecond, copyBytesPerSecond } = bench.ceilings;
  const { flops, compulsoryBytes } = subject.cost;
  const memory =
    fmaFlopsPerSecond !== undefined &&
    copyBytesPerSecond !== undefined &&
    compulsoryBytes / copyBytesPerSecond > flops / fmaFlopsPerSecond;
  const anchor = (await bench.anchor(memory ? "copy" : "fma")) ?? (await bench.anchor("fma"));
  if (!anchor) return undefined;
  const { run, repeats } = anchor;
  return { name: run.probe.name, timeable: run.timeable, repeats, amount: run.amount * repeats };
}
