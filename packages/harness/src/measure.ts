import type { LoopStep, MeasureRequest, TrialOutcome } from "@tunelab/contract";
import { verifyFewer } from "./fewer.ts";
import { CERTIFYING } from "./gate.ts";
import { type InstanceTimeable, instanceTimeable } from "./instance-timeable.ts";
import { attempt, fail, type Known, type Opened, verify, witness } from "./opened.ts";
import { SETTLE } from "./protocol.ts";
import { RACING, SCREENING, type StoppingRule } from "./rules.ts";
import { type AnchorRun, type Sampled, takeSamples } from "./sampler.ts";
import { stageTimes } from "./stages.ts";
import type { Workbench } from "./workbench.ts";

const RULES = { screened: SCREENING, raced: RACING, certified: CERTIFYING } as const;

/** When to stop sampling: the grade's rule, cut shorter where the session says so. */
function ruleFor({ grade, extensionMs }: MeasureRequest): StoppingRule {
  const rule = RULES[grade];
  return extensionMs === undefined ? rule : { ...rule, extensionMs: Math.min(rule.extensionMs, extensionMs) };
}

/**
 * Verifies and times one variant. Whatever the variant does becomes a status with a one-line reason; rejects only for
 * faults that are not its own: an unknown operation or algorithm, no seeds, a suite that throws, the machine.
 */
export async function measureVariant(bench: Workbench, request: MeasureRequest): Promise<TrialOutcome> {
  let opened: Opened | undefined;
  try {
    return await attempt(
      bench,
      request,
      async (known, open) => {
        opened = await open();
        await verifyAndTime(opened, known);
      },
      bench.context.onSubject,
    );
  } finally {
    opened?.instance.dispose();
    bench.context.onPhase("idle");
  }
}

/** Verify on every seed, warm up, time on the last, and verify what the last timed submission left. */
async function verifyAndTime(trial: Opened, known: Known): Promise<void> {
  const { bench, request, subject, instance } = trial;
  const { context } = bench;
  const right = await verify(trial, known);
  if (!right) return;
  if (request.grade !== "screened" && !(await verifyFewer(trial, known))) return;
  context.onPhase("warm-up");
  const settleMs = request.grade === "screened" ? SETTLE.screeningMs : SETTLE.leastMs;
  await bench.settle(settleMs);
  context.onPhase("measure");
  let { timeable, sampled } = await time(trial);
  for (let retake = 0; retake < SETTLE.retakes && !(await bench.held()); retake += 1) {
    await bench.settle(settleMs);
    ({ timeable, sampled } = await time(trial));
  }

  if (!(await witness(trial, known, timeable, sampled.timing.repeats, right))) return;
  known.timing = sampled.timing;
  if (sampled.status !== "ok") fail(known, sampled.status, sampled.reason ?? sampled.status);
  if (request.grade === "certified" && sampled.status !== "unresolved" && sampled.timing.clock === "gpu") {
    context.onPhase("measure");
    const stagesNs = await stageTimes(instance, subject.plan, sampled.timing.repeats);
    if (stagesNs) known.timing = { ...sampled.timing, stagesNs };
  }
}

/** Times the bound instance at the request's grade. A host-driven loop runs once a sample, by the wall. */
async function time(trial: Opened): Promise<{ timeable: InstanceTimeable; sampled: Sampled }> {
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
async function anchorOf({ bench, subject }: Opened): Promise<AnchorRun | undefined> {
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
