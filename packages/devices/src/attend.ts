import type { MeasurePhase, MeasureSubject, Side } from "@tunelab/contract";
import { LOST_GRACE_MS } from "./deadlines.ts";
import type { Failure } from "./outcome.ts";
import type { ParentApi, SideSubject } from "./protocol.ts";
import type { HostProcess } from "./spawn.ts";

export type Attended<T> =
  | { readonly answer: T }
  | {
      readonly failure: Failure;
      readonly subject: MeasureSubject | undefined;
      /** Whose code of a pair ran when it happened. */
      readonly guilty: { readonly side: Side; readonly subject: SideSubject } | undefined;
    };

/** What one request has told so far; also the host's events while it runs. */
export interface Attendance<T> extends ParentApi {
  readonly result: Promise<Attended<T>>;
}

/**
 * Waits for an answer as long as the host's running phase allows: the clock starts anew when the phase changes, and the
 * wait ends when the host exits or its device is lost. Rejects only with what the host itself rejects with.
 */
export function attend<T>(
  host: Pick<HostProcess, "exited" | "lastWords">,
  answer: Promise<T>,
  deadlineOf: (phase: MeasurePhase) => number,
): Attendance<T> {
  let phase: MeasurePhase = "idle";
  let subject: MeasureSubject | undefined;
  let guilty: { side: Side; subject: SideSubject } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fail: (failure: Failure) => void = () => {};
  const failed = new Promise<Attended<T>>((resolve) => {
    fail = (failure) => resolve({ failure, subject, guilty });
  });
  const arm = () => {
    clearTimeout(timer);
    const milliseconds = deadlineOf(phase);
    timer = setTimeout(() => fail({ kind: "deadline", phase, milliseconds }), milliseconds);
  };
  arm();
  void host.exited.then((exit) => fail({ kind: "exit", phase, exit, words: host.lastWords() }));
  const result = Promise.race([answer.then((value) => ({ answer: value })), failed]).finally(() =>
    clearTimeout(timer),
  );
  return {
    result,
    phase: (next) => {
      if (next === phase) return;
      phase = next;
      arm();
    },
    subject: (named) => {
      subject = named;
    },
    side: (side, named) => {
      guilty = { side, subject: named };
      arm();
    },
    turn: () => arm(),
    compiled: () => arm(), // one more is done: the next has its whole deadline
    lost: (reason) => {
      // The harness may still answer with a better-informed outcome of its own.
      clearTimeout(timer);
      timer = setTimeout(() => fail({ kind: "lost", phase, reason }), LOST_GRACE_MS);
    },
  };
}
