import {
  Fault,
  type MeasureRequest,
  type SessionSink,
  type Trial,
  type TrialOutcome,
} from "@tunelab/contract";
import type { Bench } from "@tunelab/devices/protocol";
import type { Slot, schedule } from "./schedule.ts";

/** What a run tells while it goes. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly slot: Slot;
  /** Expected time until the end, in ms; absent before the first measurement, of which nothing is known. */
  readonly leftMs?: number;
}

export interface RunOptions {
  readonly slots: ReturnType<typeof schedule>;
  readonly clock: { now(): number; timestamp(): string };
  readonly signal?: AbortSignal;
  readonly progress?: (progress: RunProgress) => void;
  /** Measures a peer's slot, on a core of this machine. */
  readonly peer?: (program: string, request: MeasureRequest) => Promise<TrialOutcome>;
  /** A claim is about shares of ceilings: the device's multiply-adds are measured first. */
  readonly ceilings?: boolean;
  /** Every slot of this experiment is measured; the next one's wait until this is done. */
  readonly ended?: (experiment: string) => Promise<void>;
}

/** Timings of one kernel that say what the device can tell apart. */
const NOISE_SAMPLES = 15;

/**
 * Measures the slots one after another, each durable before the next begins. Resolves to whether all were measured: an
 * interruption leaves a session whose whole rounds still count. Rejects when the device or the sink fails for good.
 */
export async function runSlots(bench: Bench, sink: SessionSink, options: RunOptions): Promise<boolean> {
  const { slots, clock, signal, progress, ended, ceilings } = options;
  const started = clock.now();
  const noise = await bench.noise(NOISE_SAMPLES);
  await sink.event({ kind: "noise", at: clock.timestamp(), noise });
  if (ceilings)
    await sink.event({ kind: "ceilings", at: clock.timestamp(), ceilings: await bench.ceilings(["fma"]) });
  const begun = clock.now();
  for (const [sequence, slot] of slots.entries()) {
    if (signal?.aborted) {
      await sink.event({ kind: "interrupted", at: clock.timestamp(), reason: "interrupted by the user" });
      return false;
    }
    const left = slots.length - sequence;
    const estimate = sequence > 0 ? { leftMs: ((clock.now() - begun) / sequence) * left } : {};
    progress?.({ done: sequence, total: slots.length, slot, ...estimate });
    await sink.trial(await measured(bench, slot, sink.session, sequence, options));
    if (slots[sequence + 1]?.experiment !== slot.experiment) await ended?.(slot.experiment);
  }
  const spentMs = { measure: clock.now() - started };
  await sink.event({ kind: "finished", at: clock.timestamp(), trials: slots.length, spentMs });
  return true;
}

async function measured(
  bench: Bench,
  { arm, request }: Slot,
  session: string,
  sequence: number,
  { clock, peer }: RunOptions,
): Promise<Trial> {
  if (arm.peer && !peer) throw new Fault("usage", `arm ${arm.name}: no peers are measured here`);
  const outcome = arm.peer ? await peer!(arm.peer, request) : await bench.measure(request);
  return { ...outcome, id: `${session}.${sequence}`, session, sequence, measuredAt: clock.timestamp() };
}
