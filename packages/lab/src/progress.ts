import { bestNs, type Ceilings, problemKey } from "@tunelab/contract";
import { formatTime } from "@tunelab/report";
import { fractionsAt } from "@tunelab/selection";
import type { Estimate, Progress, ProgressEvent } from "@tunelab/tuner";
import cliProgress from "cli-progress";
import { ceilingsText, sharesText } from "./ceilings-text.ts";
import type { Io } from "./io.ts";

/** `12s`, `3m05s`; `?` where there is no end to tell. */
export const seconds = (ms: number): string => {
  if (!Number.isFinite(ms)) return "?";
  const whole = Math.max(0, Math.round(ms / 1_000));
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, "0")}s`;
};

/** `90s`, `40 trials`, or both. */
export function budgetText(budgetMs: number, trials: number | undefined): string {
  const time = Number.isFinite(budgetMs) ? [seconds(budgetMs)] : [];
  return [...time, ...(trials === undefined ? [] : [`${trials} trials`])].join(", ");
}

/** Plain lines repeat at most this often (ms) when nothing redraws a line. */
const PLAIN_EVERY_MS = 5_000;

/**
 * Tells how a session goes: a bar with an estimate on a terminal, else plain lines: the first result, new leaders, and a count
 * every few seconds.
 */
export function sessionProgress(io: Io): { readonly listen: Progress; stop(): void } {
  const bar = io.interactive
    ? new cliProgress.SingleBar(
        {
          format:
            "{bar} {percentage}% | {elapsed} elapsed, about {left} left | {problem} | {trials} trials | {variant}",
          hideCursor: true,
          barsize: 24,
          stopOnComplete: false,
          clearOnComplete: true,
        },
        cliProgress.Presets.shades_classic,
      )
    : undefined;
  let running = false;
  let trials = 0;
  let problem = "";
  let lastPlain = 0;
  let ceilings: Ceilings = {};

  const line = (text: string): void => {
    // The bar owns the last line: it is taken away while a line is printed.
    if (bar && running) process.stderr.write("\r\x1b[K");
    io.note(text);
  };
  const update = ({ elapsedMs, remainingMs }: Estimate, variant: string): void => {
    const total = elapsedMs + remainingMs;
    const done = total > 0 ? Math.min(1, elapsedMs / total) : 0;
    const values = {
      elapsed: seconds(elapsedMs),
      left: seconds(remainingMs),
      problem,
      trials,
      variant: variant.slice(0, 60),
    };
    if (!bar) return;
    if (!running) {
      bar.start(1_000, 0, values);
      running = true;
    }
    bar.update(Math.round(done * 1_000), values);
  };

  const listen = (event: ProgressEvent): void => {
    switch (event.kind) {
      case "calibrating":
        line(event.what === "noise" ? "Measuring noise ..." : "Measuring the device's ceilings ...");
        break;
      case "noise":
        line(
          `Noise: CV ${(event.noise.cv * 100).toFixed(2)}%${event.noise.gateReachable ? "" : "; too noisy to certify: the table will rank ties"}`,
        );
        break;
      case "ceilings":
        ceilings = event.ceilings;
        line(ceilingsText(ceilings));
        break;
      case "failed-calibration":
        line(`The ${event.what} could not be measured (${event.reason}); going on without`);
        break;
      case "problem":
        problem = problemKey(event.problem);
        line(
          `[${event.index + 1}/${event.of}] ${event.operation} ${problem}: ${event.candidates} candidates, ${seconds(event.shareMs)}`,
        );
        break;
      case "compiling":
        update(event.estimate, `compiling ${event.variants} variants`);
        break;
      case "racing":
        line(`  racing ${event.variants} variants, ${seconds(event.limitMs)} at most`);
        break;
      case "measuring":
        update(event.estimate, event.variant);
        break;
      case "trial": {
        trials++;
        const ns = bestNs(event.trial);
        const { verdict, variant, status } = event.trial;
        const verified = verdict ? `, ${verdict.matched}/${verdict.total}` : "";
        if (event.first || event.leads) {
          const shares = ns === undefined ? "" : sharesText(fractionsAt(ns, event.trial, ceilings));
          line(`  ${ns === undefined ? status : formatTime(ns / 1_000)}${verified}${shares}  ${variant}`);
        } else if (!bar && Date.now() - lastPlain > PLAIN_EVERY_MS) {
          lastPlain = Date.now();
          const { elapsedMs, remainingMs } = event.estimate;
          line(`  ${trials} trials, ${seconds(elapsedMs)} elapsed, about ${seconds(remainingMs)} left`);
        }
        update(event.estimate, variant);
        break;
      }
      case "skipped":
        line(`  ${event.reason}`);
        break;
      case "restart":
        line(`  host restarted: ${event.reason}${event.variant ? ` (${event.variant})` : ""}`);
        break;
      case "unreached":
        line(`  no time left for ${event.operation} ${problemKey(event.problem)}`);
        break;
    }
  };
  return {
    listen,
    stop: () => {
      if (running) bar?.stop();
      running = false;
    },
  };
}
