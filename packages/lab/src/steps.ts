import cliProgress from "cli-progress";
import type { Io } from "./io.ts";

/** Plain lines repeat at most this often (ms) when nothing redraws a line. */
const PLAIN_EVERY_MS = 5_000;

/** Tells how far a measurement of known length is. */
export interface Steps {
  /** One more step begins. */
  next(what: string): void;
  stop(): void;
}

/** A bar with an estimate on a terminal, else a line every few seconds: "  7 of 15: copy-256 (about 12s left)". */
export function stepsProgress(io: Io, total: number, now: () => number = () => performance.now()): Steps {
  const bar = io.interactive
    ? new cliProgress.SingleBar(
        {
          format: "{bar} {value}/{total} | {eta_formatted} left | {what}",
          barsize: 24,
          clearOnComplete: true,
        },
        cliProgress.Presets.shades_classic,
      )
    : undefined;
  bar?.start(total, 0, { what: "" });
  const start = now();
  let done = -1; // steps that have ended
  let told = start;
  return {
    next: (what) => {
      done = Math.min(total - 1, done + 1);
      bar?.update(done, { what });
      if (bar || now() - told < PLAIN_EVERY_MS) return;
      told = now();
      const left = done > 0 ? Math.round((((told - start) / done) * (total - done)) / 1_000) : undefined;
      io.note(`  ${done + 1} of ${total}: ${what}${left === undefined ? "" : ` (about ${left}s left)`}`);
    },
    stop: () => bar?.stop(),
  };
}
