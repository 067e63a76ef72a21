import { spawn } from "node:child_process";
import type { ClockReading } from "@tunelab/harness/timing";
import { dawnPath } from "./dawn.ts";
import { DEFAULT_DEADLINES } from "./deadlines.ts";
import type { Environment } from "./embedded.ts";
import type { AdapterReport } from "./identity.ts";
import { PROBE_SCRIPT } from "./probe-script.ts";
import { type Exit, endProcess, keepLastLines } from "./spawn.ts";

/** An adapter that a probe could open. */
export interface ProbedAdapter {
  readonly report: AdapterReport;
  /** Timed empty passes, quantization lifted; empty without `timestamp-query`. */
  readonly readings: readonly ClockReading[];
}

/** What became of looking for adapters in one environment. */
export interface ProbeResult {
  readonly adapters: readonly ProbedAdapter[];
  /** Adapters that Dawn listed but that could not be opened, with the reason. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
  /** Why dawn.node could not be loaded, or the process could not even start. */
  readonly unloadable?: string;
  /** What the process, Dawn, the loader and the drivers wrote. */
  readonly words: readonly string[];
}

type Told =
  | { readonly kind: "loading" | "listing" | "done" }
  | { readonly kind: "unloadable"; readonly reason: string }
  | { readonly kind: "listed"; readonly names: readonly string[] }
  | { readonly kind: "opening"; readonly name: string }
  | { readonly kind: "adapter"; readonly report: AdapterReport; readonly readings: readonly ClockReading[] }
  | { readonly kind: "failed"; readonly name: string; readonly reason: string };

/** Submissions of empty passes timed to judge the clock: some 20 ms, well apart in time, microseconds of GPU time. */
const SUBMISSIONS = 4;
const PASSES = 16;

/** Lines kept of what a probe writes: the loader repeats itself for every instance made. */
const WORDS_KEPT = 2_000;

/** Dawn's backend on this platform. */
export const PLATFORM_BACKEND: string =
  process.platform === "darwin" ? "metal" : process.platform === "win32" ? "d3d12" : "vulkan";

/**
 * Lists and opens the adapters that a process with this environment sees. Never rejects and never hangs: an adapter that
 * crashes or stalls the probe is reported as failed, and the next process skips it.
 */
export async function probe(
  environment: Environment,
  deadlineMs: number = DEFAULT_DEADLINES.start,
): Promise<ProbeResult> {
  const adapters: ProbedAdapter[] = [];
  const failures: { name: string; reason: string }[] = [];
  const words: string[] = [];
  for (;;) {
    const skip = [...adapters.map(({ report }) => report.name), ...failures.map(({ name }) => name)];
    const told = await probeOnce(environment, skip, deadlineMs);
    words.push(...told.words);
    let last: Told = { kind: "loading" };
    for (const message of told.messages) {
      last = message;
      if (message.kind === "unloadable") return { adapters, failures, words, unloadable: message.reason };
      if (message.kind === "adapter") adapters.push({ report: message.report, readings: message.readings });
      if (message.kind === "failed") failures.push({ name: message.name, reason: message.reason });
    }
    if (last.kind === "opening") {
      failures.push({ name: last.name, reason: told.end });
      continue;
    }
    const result = { adapters, failures, words };
    if (last.kind === "done") return result;
    const reason = told.words.at(-1) ?? told.end;
    return last.kind === "loading"
      ? { ...result, unloadable: reason }
      : { ...result, failures: [...failures, { name: "the list of adapters", reason: told.end }] };
  }
}

interface Once {
  readonly messages: readonly Told[];
  readonly words: readonly string[];
  /** How the process ended, in words. */
  readonly end: string;
}

async function probeOnce(
  environment: Environment,
  skip: readonly string[],
  deadlineMs: number,
): Promise<Once> {
  const order = JSON.stringify({
    dawn: dawnPath({ ...process.env, ...environment }),
    backend: PLATFORM_BACKEND,
    skip,
    submissions: SUBMISSIONS,
    passes: PASSES,
  });
  const child = spawn(process.execPath, ["-e", PROBE_SCRIPT], {
    env: { ...process.env, NODE_OPTIONS: undefined, ...environment, TUNELAB_PROBE: order },
    // Structured clone: timestamps are bigints.
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const messages: Told[] = [];
  const words = keepLastLines(child, WORDS_KEPT);
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve({ code: null, signal: null }));
  });
  const finished = new Promise<"done">((resolve) => {
    child.on("message", (message: Told) => {
      messages.push(message);
      if (message.kind === "done") resolve("done");
    });
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, deadlineMs, "late");
  });
  const end = await Promise.race([exited, finished, late]);
  clearTimeout(timer);
  // Nothing of value is left in it, and an orderly exit may wait for a stuck driver.
  if (end === "done") child.kill("SIGKILL");
  await endProcess(child, exited);
  return { messages, words: words(), end: describeEnd(end, deadlineMs) };
}

function describeEnd(end: Exit | "done" | "late", deadlineMs: number): string {
  if (end === "done") return "the probe finished";
  if (end === "late") return `the probe did not finish within ${deadlineMs / 1000} s`;
  return end.signal ? `the probe was ended by ${end.signal}` : `the probe exited with code ${end.code}`;
}
