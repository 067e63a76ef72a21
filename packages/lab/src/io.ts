import { Fault, firstLine } from "@tunelab/contract";

/** Where a command prints. Tests give one that collects. */
export interface Io {
  /** A whole text to standard output; a newline is added. */
  out(text: string): void;
  /** Notes, warnings and progress: standard error, so that `--json` output stays clean. */
  note(text: string): void;
  /** Whether standard error is a terminal that can redraw a line. */
  readonly interactive: boolean;
  /** Fires on Ctrl-C; a second Ctrl-C ends the process at once. */
  readonly signal: AbortSignal;
  /** When the command began, in ms of `performance.now()`: what its budget counts from. Now where a process runs many. */
  readonly startedAt?: number;
}

/** Exit codes of every command. `compare` adds its own. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Thrown by a command whose check failed after it has printed why: carries the exit code and nothing to print. */
export class ExitWith extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Prints what went wrong as one line (and the stack only under TUNELAB_DEBUG=1); gives the exit code. */
export function reportFailure(error: unknown, io: Io, debug: boolean): number {
  if (error instanceof ExitWith) return error.code;
  const fault = error instanceof Fault ? error : undefined;
  const text = error instanceof Error ? error.message : String(error);
  io.note(`tunelab: ${firstLine(text)}`);
  if (debug && error instanceof Error && error.stack) io.note(error.stack);
  else if (!fault) io.note("This is a fault of tunelab itself: TUNELAB_DEBUG=1 shows where.");
  return fault?.kind === "usage" ? EXIT.usage : EXIT.failed;
}

export const processIo = (): Io => {
  const controller = new AbortController();
  process.on("SIGINT", () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  });
  process.on("SIGTERM", () => controller.abort());
  return {
    out: (text) => process.stdout.write(`${text}\n`),
    note: (text) => process.stderr.write(`${text}\n`),
    interactive: process.stderr.isTTY === true && !process.env.CI,
    signal: controller.signal,
    startedAt: 0, // loading the program counts: two seconds, more on a busy machine
  };
};
