import { Worker } from "node:worker_threads";

/** How often a host looks whether its parent still lives, in ms. */
const POLL_MS = 500;

/** Runs on a thread of its own: a main thread stuck in a driver or an endless loop cannot notice anything. */
const WATCH = `
const { workerData } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid !== workerData.parent) process.kill(process.pid, "SIGKILL");
}, workerData.pollMs);
`;

/**
 * Ends this process when its parent dies, however stuck its main thread is, and leaves Ctrl-C to the parent: the
 * session decides what becomes of the host. SIGKILL because a hung GPU makes an orderly exit wait for it.
 */
export function dieWithParent(): void {
  process.on("SIGINT", () => {});
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  const watcher = new Worker(WATCH, { eval: true, workerData: { parent: process.ppid, pollMs: POLL_MS } });
  watcher.unref();
}
