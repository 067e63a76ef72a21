/**
 * A session that a test kills: tunes the smallest matched filter on the embedded software GPU in the laboratory named on the
 * command line, going on where an interrupted session stopped, and writes "ready" when it begins to measure and a line for each
 * trial once that is durable.
 */
import { writeSync } from "node:fs";
import { chooseDevice, openBench } from "@tunelab/devices";
import { listSessions } from "@tunelab/store";
import { tune } from "@tunelab/tuner";
import { destinationFor } from "../../src/destination.ts";
import { hostEntry } from "../../src/places.ts";
import { loadSuite } from "../../src/registry.ts";
import { headerFor } from "../../src/session.ts";

const [folder = "", trials = "40"] = process.argv.slice(2);
const suite = await loadSuite("matched-filter");
const bench = await openBench(await chooseDevice("swiftshader"), { entry: hostEntry });
const command = { operations: [], workload: "given", strategy: "random", budgetMs: 1, seed: 1 };
const open = (await listSessions(folder)).sessions.some(({ status }) => status !== "finished");
const io = { out: () => {}, note: () => {}, interactive: false, signal: new AbortController().signal };
const flags = { out: folder, ...(open ? { resume: true as const } : {}) };
const { sink, earlier, firstSequence } = await destinationFor(
  await headerFor(bench.hello, command),
  flags,
  io,
);
const unmeasured = async (): Promise<never> => {
  throw new Error("not measured here: trials are what this session is for");
};
writeSync(1, "ready\n");
await tune(
  {
    workloads: [{ suite, problems: [{ n: 64, data: 2, templates: 2, pairs: 4 }] }],
    strategy: "random",
    budgetMs: Number.POSITIVE_INFINITY,
    trials: Number(trials) - earlier.length,
    ahead: 2,
    seed: 1,
    earlier,
    firstSequence,
    clock: { now: () => performance.now(), timestamp: () => new Date().toISOString() },
  },
  { ...bench, noise: unmeasured, ceilings: unmeasured },
  {
    ...sink,
    trial: async (trial) => {
      await sink.trial(trial);
      writeSync(1, `${JSON.stringify([trial.id, trial.planHash, trial.grade])}\n`);
    },
  },
);
await sink.close();
await bench.close();
process.exit(0);
