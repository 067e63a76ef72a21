import { type CeilingKind, type Ceilings, Fault } from "@tunelab/contract";
import { estimate } from "./estimate.ts";
import { openProbe } from "./probe-run.ts";
import { CEILING_RUN_MS } from "./protocol.ts";
import { RACING } from "./rules.ts";
import { takeSamples } from "./sampler.ts";
import type { Workbench } from "./workbench.ts";

/** Best rate of each kind, in units of `Probe.amount` per second. */
export type Rates = Partial<Record<CeilingKind, number>>;

/** Rates as a session records them: dispatches become the time of one. */
export function ceilingsOf(rates: Rates): Ceilings {
  return {
    ...(rates.fma === undefined ? {} : { fmaFlopsPerSecond: rates.fma }),
    ...(rates.copy === undefined ? {} : { copyBytesPerSecond: rates.copy }),
    ...(rates.workgroup === undefined ? {} : { workgroupBytesPerSecond: rates.workgroup }),
    ...(rates.dispatch === undefined ? {} : { dispatchOverheadNs: 1e9 / rates.dispatch }),
  };
}

/**
 * Measures every probe and keeps the best rate of each kind. A probe that does not run here, or whose outputs are not
 * what its arithmetic must give, counts for nothing. @throws Fault `device-lost`.
 */
export async function measureCeilings(bench: Workbench): Promise<Ceilings> {
  const { clock, tickNs } = await bench.ticks();
  const { context, executor } = bench;
  const rates: Rates = {};
  for (const probe of context.probes) {
    try {
      context.onPhase("compile");
      const run = await openProbe(executor, probe, clock, CEILING_RUN_MS);
      try {
        context.onPhase("measure");
        await bench.settle();
        const sampled = await takeSamples(run.timeable, { clock, tickNs, time: context.clock, rule: RACING });
        const found = estimate(sampled.timing.samplesNs, sampled.timing.repeats, sampled.rounding);
        if (sampled.status !== "ok" || !found || !(await run.verified())) continue;
        rates[probe.ceiling] = Math.max(rates[probe.ceiling] ?? 0, (run.amount * 1e9) / found.rankNs);
      } finally {
        run.dispose();
      }
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === "device-lost") throw error;
    }
  }
  return ceilingsOf(rates);
}
