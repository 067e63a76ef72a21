import type { Timing } from "@tunelab/contract";
import { ATTEMPTS_PER_SAMPLE, MAXIMUM_ROUNDING } from "./protocol.ts";
import { judgeSample, type RejectionRules } from "./reject.ts";
import { findRepeats, type Repeats } from "./repeats.ts";
import type { StoppingRule } from "./rules.ts";
import type { Clock, RawSample, Timeable } from "./types.ts";

/** A kernel run beside the one that is timed, to know the device's own pace. */
export interface AnchorRun {
  readonly name: string;
  readonly timeable: Timeable;
  readonly repeats: number;
  /** FLOPs or bytes of one sample, all its repeats. */
  readonly amount: number;
}

export interface SampleOptions extends RejectionRules {
  /** The host's clock: bounds the extension of a certifying run and scatters start phases. */
  readonly time: Clock;
  readonly rule: StoppingRule;
  /** Repeats when they are known already (a host-driven loop has 1); found by doubling otherwise. */
  readonly repeats?: number;
  readonly anchor?: AnchorRun;
}

/** A time, or why there is none. Only `ok` and `noisy` may be ranked. */
export interface Sampled {
  readonly status: "ok" | "noisy" | "unresolved" | "invalid";
  readonly reason?: string;
  readonly timing: Timing;
  /** Error of rounding as a fraction of a sample. */
  readonly rounding: number;
}

/** Fraction of a tick to wait before the i-th sample: the golden ratio's multiples fill the unit interval evenly. */
const startPhase = (index: number): number => (index * 0.618033988749895) % 1;

/**
 * Times something: one untimed run, repeats found by doubling, then samples until the rule is content. Every rejected
 * sample is replaced, up to twice the samples wanted. Anchors stand before each sample and after the last.
 */
export async function takeSamples(timeable: Timeable, options: SampleOptions): Promise<Sampled> {
  const { time, rule, clock, tickNs, anchor } = options;
  const untimed = await timeable.sample(1);
  const found: Repeats =
    options.repeats === undefined
      ? await findRepeats(timeable, clock, tickNs, untimed)
      : { repeats: options.repeats, ns: 0, resolved: true, rounding: 0 };
  const { repeats, rounding } = found;
  const samplesNs: number[] = [];
  const anchorNs: number[] = [];
  const rejected: Record<string, number> = {};
  const outcome = (status: Sampled["status"], reason?: string): Sampled => ({
    status,
    ...(reason === undefined ? {} : { reason }),
    rounding,
    timing: {
      clock,
      tickNs,
      repeats,
      samplesNs,
      rejected,
      ...(anchor && anchorNs.length === samplesNs.length + 1
        ? { anchor: { name: anchor.name, samplesNs: anchorNs, amount: anchor.amount } }
        : {}),
    },
  });
  if (!found.resolved) {
    return outcome(
      "unresolved",
      `${repeats} repeats in one submission last less than one tick of ${tickNs} ns`,
    );
  }
  const anchorSample = async (): Promise<void> => {
    if (!anchor) return;
    const judged = judgeSample(await anchor.timeable.sample(anchor.repeats), anchor.repeats, {
      clock,
      tickNs,
    });
    // Without its value the pairing is lost; the list then has the wrong length and is left out.
    if (judged.ns !== undefined) anchorNs.push(judged.ns);
  };

  let previous: RawSample | undefined;
  let extendedFrom: number | undefined;
  let unmet: string | undefined;
  await anchorSample();
  for (let attempts = 1; ; attempts += 1) {
    if (rounding > MAXIMUM_ROUNDING) await time.sleep((startPhase(attempts) * tickNs) / 1e6);
    const sample = await timeable.sample(repeats);
    const judged = judgeSample(sample, repeats, options, previous);
    previous = sample;
    if (judged.rejected) {
      rejected[judged.rejected] = (rejected[judged.rejected] ?? 0) + 1;
    } else {
      samplesNs.push(judged.ns);
      await anchorSample();
    }
    if (samplesNs.length >= rule.minimum) {
      unmet = rule.unmet(samplesNs);
      extendedFrom ??= time.now();
      if (unmet === undefined) return outcome("ok");
      if (samplesNs.length >= rule.maximum) break;
      if (time.now() - extendedFrom > rule.extensionMs) break;
    }
    if (attempts >= rule.maximum * ATTEMPTS_PER_SAMPLE) break;
  }
  if (samplesNs.length < rule.minimum) {
    const reasons = Object.entries(rejected).map(([reason, count]) => `${count} ${reason}`);
    return outcome(
      "invalid",
      `${samplesNs.length} of ${rule.minimum} samples survived: ${reasons.join(", ")}`,
    );
  }
  return outcome("noisy", `${unmet} after ${samplesNs.length} samples`);
}
