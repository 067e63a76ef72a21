import { type PairedSeries, type PerSide, type QuadNs, SIDES, stagesOf } from "@tunelab/contract";
import type { Instance } from "@tunelab/executor";
import { ATTEMPTS_PER_SAMPLE, QUADS } from "../protocol.ts";
import { BUILD_QUADS, firstSide, judgeQuads, type QuadRules, quadStatistic, slotSide } from "../quads.ts";
import { stageSums } from "../stages.ts";
import type { Workbench } from "../workbench.ts";
import { STAGE_QUADS } from "./rules.ts";
import type { Seat } from "./seat.ts";
import { type Pair, sideOf } from "./timing.ts";

const RULES: QuadRules = { ...BUILD_QUADS, looks: [STAGE_QUADS] };

/**
 * Paired times of each stage that both plans have, in passes of their own, which changes the total: told apart from it. One
 * sample gives every stage's time, so one series of quads serves all. Empty for plans of one stage, without timestamps, and
 * where a side stops running on the way.
 */
export async function stageSeries(
  bench: Workbench,
  seats: PerSide<Seat>,
  { compiled, instances }: Pair,
  total: PairedSeries,
): Promise<Readonly<Record<string, PairedSeries>>> {
  const [base, candidate] = SIDES.map((side) => stagesOf(compiled[side].subject.plan));
  const common = base!.filter((stage) => candidate!.includes(stage));
  if (common.length === 0 || Math.max(base!.length, candidate!.length) < 2) return {};
  if (total.clock !== "gpu" || total.fault !== undefined) return {};
  bench.context.onPhase("measure");
  const quads = Object.fromEntries(common.map((stage) => [stage, [] as QuadNs[]]));
  for (let index = 0; index < QUADS.dropped + STAGE_QUADS; index += 1) {
    const first = firstSide(index);
    const slots = Object.fromEntries(common.map((stage) => [stage, [] as number[]]));
    for (let slot = 0; slot < 4; slot += 1) {
      const side = sideOf(slotSide(first, slot));
      const least = await seats[side].attempt("run", () =>
        slotOf(instances[side], total.repeats[side], common),
      );
      if (!least) return {};
      for (const stage of common) slots[stage]!.push(least[stage]!);
    }
    for (const stage of common) {
      const [a, b, c, d] = slots[stage] as [number, number, number, number];
      if ([a, b, c, d].every((ns) => ns > 0)) quads[stage]!.push({ first, slotsNs: [a, b, c, d] });
    }
  }
  const { clock, tickNs, repeats } = total;
  return Object.fromEntries(
    common.map((stage): [string, PairedSeries] => {
      const own = quads[stage]!;
      const judgement = judgeQuads(own.slice(QUADS.dropped).map(quadStatistic), RULES);
      const lost = QUADS.dropped + STAGE_QUADS - own.length;
      const rejected: Record<string, number> = lost > 0 ? { "quads without a time": lost } : {};
      return [stage, { clock, tickNs, repeats, ...judgement, quads: own, mode: "interleaved", rejected }];
    }),
  );
}

/** The least time of each stage over the samples of a slot, ns of one repeat; 0 where none could be used. */
async function slotOf(
  instance: Instance,
  repeats: number,
  stages: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const least: Record<string, number> = {};
  let kept = 0;
  for (
    let attempt = 0;
    attempt < ATTEMPTS_PER_SAMPLE * QUADS.samplesPerSlot && kept < QUADS.samplesPerSlot;
    attempt += 1
  ) {
    const sums = stageSums((await instance.run({ repeats, timing: "stages" })).passes);
    if (!sums) continue;
    kept += 1;
    for (const stage of stages)
      least[stage] = Math.min(least[stage] ?? Number.POSITIVE_INFINITY, (sums[stage] ?? 0) / repeats);
  }
  return Object.fromEntries(
    stages.map((stage) => [stage, Number.isFinite(least[stage]) ? least[stage]! : 0]),
  );
}
