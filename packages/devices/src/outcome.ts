import type { MeasurePhase, MeasureRequest, MeasureSubject, Status, TrialOutcome } from "@tunelab/contract";
import { variantLabel } from "@tunelab/harness";
import type { Exit } from "./spawn.ts";

/** Why a host did not answer. */
export type Failure =
  | { readonly kind: "deadline"; readonly phase: MeasurePhase; readonly milliseconds: number }
  | {
      readonly kind: "exit";
      readonly phase: MeasurePhase;
      readonly exit: Exit;
      readonly words: readonly string[];
    }
  | { readonly kind: "lost"; readonly phase: MeasurePhase; readonly reason: string };

/** The status that a failure gives the variant it happened to. */
export function statusOf(
  failure: Failure,
): Status & ("compile-timeout" | "hung" | "crashed" | "device-lost") {
  if (failure.kind === "exit") return "crashed";
  if (failure.kind === "lost") return "device-lost";
  return failure.phase === "compile" ? "compile-timeout" : "hung";
}

/** The failure as one line: what was going on, what happened, the host's last words. */
export function reasonOf(failure: Failure): string {
  const during = failure.phase === "idle" ? "before any work" : `in phase ${failure.phase}`;
  switch (failure.kind) {
    case "deadline":
      return `no answer ${during} after ${failure.milliseconds / 1000} s; the host was ended`;
    case "lost":
      return `device lost ${during}: ${failure.reason}`;
    case "exit": {
      const { code, signal } = failure.exit;
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      const last = telling(failure.words);
      return `the host ${how} ${during}${last ? `: ${last}` : ""}`;
    }
  }
}

/** The line that says most: the last that speaks of an error, for a stack trace may follow it; else the last. */
function telling(words: readonly string[]): string | undefined {
  const error = words.findLast((line) => /error|fatal|abort|assert|terminate|fault/i.test(line));
  return (error ?? words.at(-1))?.trim();
}

/** The trial of a variant whose host did not answer: everything that was known before. */
export function failedOutcome(
  request: MeasureRequest,
  subject: MeasureSubject | undefined,
  failure: Failure,
): TrialOutcome {
  const { operation, algorithm, problem, config, grade, isDefault } = request;
  return {
    operation,
    algorithm,
    problem,
    config,
    variant: variantLabel(algorithm, config),
    planHash: "",
    epoch: 0,
    work: { flops: 0, bytes: 0, items: 0 },
    ...subject,
    status: statusOf(failure),
    reason: reasonOf(failure),
    grade,
    isDefault,
    seeds: [],
  };
}
