import { type CeilingKind, type Ceilings, Fault, type Probe, type ProbeReading } from "@tunelab/contract";
import { estimate } from "./estimate.ts";
import { openProbe } from "./probe-run.ts";
import { CEILING_RUN_MS } from "./protocol.ts";
import { RACING } from "./rules.ts";
import { takeSamples } from "./sampler.ts";
import { measureUnits } from "./units.ts";
import type { Workbench } from "./workbench.ts";

/** The best rate among the readings of a kind, in units of `Probe.amount` per second. */
function best(readings: readonly ProbeReading[], kind: CeilingKind): number | undefined {
  const rates = readings.flatMap(({ ceiling, perSecond }) => (ceiling === kind ? (perSecond ?? []) : []));
  return rates.length > 0 ? Math.max(...rates) : undefined;
}

/** Readings as a session records them: dispatches become the time of one. */
export function ceilingsOf(readings: readonly ProbeReading[]): Ceilings {
  const rate = (name: keyof Ceilings, kind: CeilingKind): Ceilings => {
    const perSecond = best(readings, kind);
    return perSecond === undefined ? {} : { [name]: perSecond };
  };
  const time = (name: keyof Ceilings, kind: CeilingKind): Ceilings => {
    const perSecond = best(readings, kind);
    return perSecond === undefined ? {} : { [name]: 1e9 / perSecond };
  };
  return {
    ...rate("fmaFlopsPerSecond", "fma"),
    ...rate("copyBytesPerSecond", "copy"),
    ...rate("readBytesPerSecond", "read"),
    ...rate("workgroupBytesPerSecond", "workgroup"),
    ...rate("subgroupOpsPerSecond", "subgroup"),
    ...time("dispatchOverheadNs", "dispatch"),
    ...time("dispatchAloneNs", "dispatch-alone"),
    ...time("indirectDispatchNs", "indirect"),
  };
}

/**
 * Measures every probe (only those of the kinds named) and keeps the best rate of each kind, beside the clock's step and the compute units where they show. A
 * probe that does not run here, or whose outputs are not what its arithmetic must give, counts for nothing and says
 * why. @throws Fault `device-lost`.
 */
export async function measureCeilings(bench: Workbench, kinds?: readonly CeilingKind[]): Promise<Ceilings> {
  const { context } = bench;
  const probes = context.probes.filter(({ ceiling }) => kinds?.includes(ceiling) ?? true);
  const { tickNs } = await bench.ticks();
  const rated = probes.filter(({ ceiling }) => ceiling !== "units");
  const readings: ProbeReading[] = [];
  for (const probe of rated) readings.push(await measureProbe(bench, probe));
  const counted = probes.find(({ ceiling }) => ceiling === "units");
  const computeUnits = counted && (await measureUnits(bench, counted));
  return { ...ceilingsOf(readings), tickNs, ...(computeUnits ? { computeUnits } : {}), readings };
}

async function measureProbe(bench: Workbench, probe: Probe): Promise<ProbeReading> {
  const { context, executor } = bench;
  const { clock, tickNs } = await bench.ticks();
  const { name, ceiling } = probe;
  const failed = (reason: string): ProbeReading => ({ name, ceiling, samples: 0, cv: 0, reason });
  try {
    context.onPhase("compile");
    const run = await openProbe(executor, probe, clock, CEILING_RUN_MS);
    try {
      context.onPhase("measure");
      await bench.settle();
      const sampled = await takeSamples(run.timeable, { clock, tickNs, time: context.clock, rule: RACING });
      const found = estimate(sampled.timing.samplesNs, sampled.timing.repeats, sampled.rounding);
      if (sampled.status !== "ok" || !found) return failed(sampled.reason ?? sampled.status);
      if (!(await run.verified())) return failed("its outputs are not what its arithmetic must give");
      const perSecond = (run.amount * 1e9) / found.rankNs;
      return { name, ceiling, perSecond, samples: found.samples, cv: found.cv };
    } finally {
      run.dispose();
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === "device-lost") throw error;
    return failed(error.message);
  }
}
