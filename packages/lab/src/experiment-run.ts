import { join } from "node:path";
import {
  Fault,
  type ProfileName,
  type SessionEvent,
  type SessionEvidence,
  type SessionHeader,
  type SessionSink,
  type Trial,
} from "@tunelab/contract";
import { chooseDevice, type DeviceTarget, openBench } from "@tunelab/devices";
import {
  commandWords,
  EXPERIMENT_WORKLOAD,
  type NamedExperiment,
  needsCeilings,
  type RunProgress,
  runSlots,
  type Scale,
  schedule,
} from "@tunelab/experiment";
import { createJournal, readJournal } from "@tunelab/store/journal";
import cliProgress from "cli-progress";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";
import { parseProfile, parseWhole } from "./options.ts";
import { measurePeer } from "./peers/peers.ts";
import { hostEntry, labDir } from "./places.ts";
import { seconds } from "./progress.ts";
import { headerFor } from "./session.ts";

export interface RunFlags {
  readonly device: string;
  readonly profile: string;
  readonly scale?: string;
  readonly rounds: string;
  readonly journal?: string;
  readonly out?: string;
  readonly all?: boolean;
  readonly due?: boolean;
  readonly json?: boolean;
}

/** Plain lines repeat at most this often (ms) when nothing redraws a line. */
const PLAIN_EVERY_MS = 5_000;

/** A run's conditions, read from its flags, and its device found. */
export interface RunPlace {
  readonly profile: ProfileName;
  readonly rounds: number;
  readonly scale: Scale;
  readonly target: DeviceTarget;
}

export async function runPlace(flags: RunFlags): Promise<RunPlace> {
  const profile = parseProfile(flags.profile);
  const rounds = parseWhole(flags.rounds, "--rounds");
  if (rounds < 1) throw new Fault("usage", "--rounds takes a whole number of at least 1");
  const given = flags.scale === undefined ? undefined : parseScale(flags.scale);
  const target = await chooseDevice(flags.device);
  return { profile, rounds, scale: given ?? target.kind, target };
}

/**
 * Measures experiments on one device, in one session of their own, and reads it back. Sessions of experiments lie in a folder
 * beside the others, because a table is tuned from what a strategy chose and not from what somebody wondered about. `keep` gets
 * what is measured so far whenever an experiment is: whatever ends the run, the experiments before it have their results.
 */
export async function runExperiments(
  wanted: readonly NamedExperiment[],
  { profile, rounds, scale, target }: RunPlace,
  flags: RunFlags,
  io: Io,
  keep: (sofar: SessionEvidence) => Promise<void>,
): Promise<{ readonly evidence: SessionEvidence; readonly journal: string | undefined }> {
  const slots = schedule(wanted, scale, rounds);
  io.note(
    `Device ${target.id} (${target.kind}), profile ${profile}: ${wanted.length} experiments, ${slots.length} measurements at ${scale} scale`,
  );
  const bench = await openBench(target, { entry: hostEntry, profile });
  try {
    const header = await headerFor(bench.hello, {
      operations: [...new Set(wanted.map(({ experiment }) => experiment.operation))].sort(),
      workload: EXPERIMENT_WORKLOAD,
      strategy: commandWords(
        wanted.map(({ name }) => name),
        scale,
        rounds,
      ),
      budgetMs: 0,
      seed: 1,
    });
    const { sink, read, journal } = await destination(header, flags, io);
    const told = progressOf(io);
    const sofar = { header, events: [] as SessionEvent[], trials: [] as Trial[] };
    const heard: SessionSink = {
      ...{ session: sink.session, close: () => sink.close() },
      event: (event) => sink.event(event).then(() => void sofar.events.push(event)),
      trial: (trial) => sink.trial(trial).then(() => void sofar.trials.push(trial)),
    };
    try {
      await runSlots(bench, heard, {
        ...(journal === undefined ? { ended: () => keep(sofar) } : {}),
        slots,
        peer: measurePeer,
        ceilings: wanted.some(({ experiment }) => needsCeilings(experiment)),
        clock: { now: () => performance.now(), timestamp: () => new Date().toISOString() },
        signal: io.signal,
        progress: told.listen,
      });
    } finally {
      told.stop();
      await sink.close();
    }
    return { evidence: await read(), journal };
  } finally {
    await bench.close();
  }
}

function parseScale(text: string): Scale {
  if (text === "software" || text === "hardware") return text;
  throw new Fault("usage", `unknown scale "${text}": there is software, hardware`);
}

interface Destination {
  readonly sink: SessionSink;
  readonly read: () => Promise<SessionEvidence>;
  readonly journal: string | undefined;
}

async function destination(header: SessionHeader, flags: RunFlags, io: Io): Promise<Destination> {
  if (packed || flags.journal) {
    const journal = flags.journal ?? `tunelab-experiments-${header.id}.jsonl`;
    const sink = await createJournal(journal, header);
    return { sink, read: async () => (await readJournal(journal)).evidence, journal };
  }
  const { createSession, readEvidence, sessionPaths } = await import("@tunelab/store");
  const folder = join(labDir(flags.out, io), "experiments");
  const sink = await createSession(folder, header);
  return { sink, read: () => readEvidence(sessionPaths(folder, header.id).sealed), journal: undefined };
}

/** A bar with the time left on a terminal, else a plain line every few seconds. */
export function progressOf(io: Io): { readonly listen: (progress: RunProgress) => void; stop(): void } {
  const bar = io.interactive
    ? new cliProgress.SingleBar({
        format: "{bar} {value}/{total}{left} | {experiment}: {arm}",
        hideCursor: true,
        barsize: 24,
        clearOnComplete: true,
      })
    : undefined;
  let started = false;
  let lastPlain = 0;
  return {
    listen: ({ done, total, slot, leftMs }) => {
      const left = leftMs === undefined ? "" : `, ${seconds(leftMs)} left`;
      const values = { left, experiment: slot.experiment, arm: slot.arm.name };
      if (bar) {
        if (started) bar.update(done, values);
        else bar.start(total, done, values);
        started = true;
      } else if (Date.now() - lastPlain > PLAIN_EVERY_MS) {
        lastPlain = Date.now();
        io.note(`  ${done}/${total}${left}: ${slot.experiment}, ${slot.arm.name}`);
      }
    },
    stop: () => {
      if (started) bar?.stop();
    },
  };
}
