import type { PairTiming, ReferenceKernel, ReferenceSeries } from "@tunelab/contract";
import type { Instance } from "@tunelab/executor";
import { instanceTimeable } from "../instance-timeable.ts";
import { SETTLE } from "../protocol.ts";
import { fixed } from "../rules.ts";
import { takeSamples } from "../sampler.ts";
import type { Anchor, Workbench } from "../workbench.ts";
import type { Compiled, Seat } from "./seat.ts";
import { loops } from "./timing.ts";

/** What both sides' times are told by. */
type Wanted = Extract<PairTiming, { kind: "reference" }>;

/**
 * Times one side by itself: a, x, a, x, ..., a with a reference kernel `a` on the same device and clock, taken again where the
 * device changed its pace meanwhile. Undefined when the side stops running on the way.
 */
export async function referenceSeries(
  bench: Workbench,
  seat: Seat,
  compiled: Compiled,
  instance: Instance,
  { samples, reference }: Wanted,
): Promise<ReferenceSeries | undefined> {
  const { context } = bench;
  context.onPhase("warm-up");
  await bench.settle();
  context.onPhase("measure");
  const hostLoop = loops(compiled);
  const ticks = await bench.ticks(hostLoop ? "wall" : "best");
  const chosen = reference === "nearest" ? await nearest(bench, compiled) : reference;
  const anchor = await bench.anchor(chosen);
  const { name, amount } = anchor ? { name: anchor.run.probe.name, amount: amountOf(anchor) } : NO_ANCHOR;
  const take = () =>
    takeSamples(instanceTimeable(instance, ticks.clock), {
      ...ticks,
      time: context.clock,
      rule: fixed(samples),
      ...(hostLoop ? { repeats: 1 } : {}),
      ...(anchor ? { anchor: { name, timeable: anchor.run.timeable, repeats: anchor.repeats, amount } } : {}),
    });
  let taken = await seat.attempt("run", take);
  for (let retake = 0; taken && retake < SETTLE.retakes && !(await bench.held()); retake += 1) {
    await bench.settle();
    taken = await seat.attempt("run", take);
  }
  if (!taken) return undefined;
  const fault =
    taken.status === "ok"
      ? (!anchor &&
          `no ${chosen} kernel runs on this device, so that there is nothing to tell its times by`) ||
        (!taken.timing.anchor && `samples of the reference ${name} could not be used`)
      : (taken.reason ?? taken.status);
  return { ...taken.timing, reference: chosen, ...(fault ? { fault } : {}) };
}

const NO_ANCHOR = { name: "", amount: 0 } as const;

const amountOf = ({ run, repeats }: Anchor): number => run.amount * repeats;

/** The reference that resembles what binds the variant: arithmetic, unless its traffic alone takes longer by the references' own rates. */
async function nearest(bench: Workbench, { subject }: Compiled): Promise<ReferenceKernel> {
  const { flops, compulsoryBytes } = subject.cost;
  const [arithmetic, traffic] = [
    await secondsFor(bench, "fma", flops),
    await secondsFor(bench, "copy", compulsoryBytes),
  ];
  return traffic !== undefined && traffic > (arithmetic ?? Number.POSITIVE_INFINITY) ? "copy" : "fma";
}

/** Time in any unit that a reference needs for an amount of its work; undefined where it does not run. */
async function secondsFor(
  bench: Workbench,
  reference: ReferenceKernel,
  amount: number,
): Promise<number | undefined> {
  const anchor = await bench.anchor(reference);
  if (!anchor) return undefined;
  const { wallMs, passes } = await anchor.run.timeable.sample(anchor.repeats);
  const ns = passes.reduce((sum, { begin, end }) => sum + Number(end - begin), 0) || wallMs * 1e6;
  return (amount * ns) / amountOf(anchor);
}
