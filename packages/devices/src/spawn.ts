import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BirpcReturn } from "birpc";
import { LEAVE_MS } from "./deadlines.ts";
import type { Environment } from "./embedded.ts";
import type { HostApi, HostOptions, ParentApi } from "./protocol.ts";
import { connect } from "./wire.ts";

/** How a process ended: `code` after an exit, `signal` when it was killed. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running device host. */
export interface HostProcess {
  readonly pid: number;
  readonly api: BirpcReturn<HostApi, ParentApi>;
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** The last lines the process and its driver wrote to standard error and output. */
  lastWords(): readonly string[];
  /** SIGTERM, and SIGKILL when that is not enough. Resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface SpawnOptions {
  /** Module that calls `serveHost`: a TypeScript source in a checkout, a plain `.mjs` in a pack. */
  readonly entry: URL | string;
  readonly environment: Environment;
  readonly host: HostOptions;
  readonly on: ParentApi;
}

/** Lines kept of what a host writes. */
const LINES_KEPT = 60;

/** How long a dead process's output may take to arrive, in ms. */
const DRAIN_MS = 250;

/** Node's arguments that let it run an entry: TypeScript sources need tsx and the workspace's source condition. */
export function execArgvOf(entry: string): string[] {
  if (!entry.endsWith(".ts")) return [];
  const tsx = createRequire(import.meta.url).resolve("tsx");
  return ["--conditions=@tunelab/source", "--import", pathToFileURL(tsx).href];
}

/**
 * Starts a device host with its target's environment in place before the process begins, in a process group of its own,
 * so that Ctrl-C in a terminal reaches the session only.
 */
export function spawnHost({ entry, environment, host, on }: SpawnOptions): HostProcess {
  const path = typeof entry === "string" && !entry.startsWith("file:") ? entry : fileURLToPath(entry);
  const child = fork(path, [JSON.stringify(host)], {
    execArgv: execArgvOf(path),
    env: { ...process.env, ...environment },
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: process.platform !== "win32",
  });
  const lastWords = keepLastLines(child);
  const exited = new Promise<Exit>((resolve) => {
    // `close` comes after the output streams are read to their end: only then are the last words complete.
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("exit", (code, signal) => setTimeout(resolve, DRAIN_MS, { code, signal }));
    child.once("error", () => resolve({ code: null, signal: null }));
  });
  const api = connect<HostApi, ParentApi>(child, on, []);
  return { pid: child.pid ?? 0, api, exited, lastWords, kill: () => endProcess(child, exited) };
}

/** Ends a child: SIGTERM, then SIGKILL after `LEAVE_MS`. Resolves when it is gone. */
export async function endProcess(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
    await exited;
    clearTimeout(force);
  }
  await exited;
}

/** Collects the last lines of both output streams; drivers write their reasons there and nowhere else. */
export function keepLastLines(child: ChildProcess, kept: number = LINES_KEPT): () => readonly string[] {
  let lines: string[] = [];
  let rest = "";
  const take = (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines = [...lines, ...parts].slice(-kept);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", take);
  return () => [...lines, rest].filter((line) => line.trim() !== "");
}
