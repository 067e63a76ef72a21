import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Capabilities, Config, Verdict } from "@tunelab/contract";
import { embeddedDriver } from "@tunelab/devices";
import type { FftProblem } from "../../src/index.ts";

/** One run of a variant, verified and not timed. */
export interface Case {
  readonly algorithm: string;
  readonly problem: FftProblem;
  /** The default where none is given. */
  readonly config?: Config;
  readonly seed?: number;
  /** Items whose first value is replaced, with what: after the oracle has its expectations. */
  readonly spoil?: readonly (readonly [item: number, value: number])[];
  /** Replacements in the texts. */
  readonly edits?: readonly (readonly [from: string, to: string])[];
}

export interface Outcome {
  readonly refused?: string;
  readonly failed?: string;
  readonly verdict?: Verdict;
  /** SHA-256 of every item's output. */
  readonly digests?: readonly string[];
  readonly finite?: boolean;
  readonly pieces?: number;
  readonly submissions?: number;
}

export interface Gpu {
  readonly capabilities: Capabilities;
  run(one: Case): Promise<Outcome>;
  close(): void;
}

/** The embedded software GPU in a process of its own; undefined where it does not come (it is for x64 Linux alone). */
export async function openGpu(): Promise<Gpu | undefined> {
  const driver = await embeddedDriver().catch((error: Error) => {
    console.warn(`skipped: ${error.message}`);
    return undefined;
  });
  if (!driver) return undefined;
  const child: ChildProcess = fork(fileURLToPath(new URL("child.ts", import.meta.url)), {
    env: { ...process.env, ...driver },
    execArgv: ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx")],
    serialization: "advanced",
  });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  const capabilities = await new Promise<Capabilities>((resolve, reject) => {
    child.on("message", (message: { ready?: Capabilities; id: number; outcome: Outcome }) => {
      if (message.ready) resolve(message.ready);
      else waiting.get(message.id)?.(message.outcome);
    });
    child.on("exit", (code, signal) => {
      reject(new Error(`the GPU process ended (${signal ?? code})`));
      for (const answer of waiting.values()) answer({ failed: `the GPU process ended (${signal ?? code})` });
    });
  });
  let next = 0;
  return {
    capabilities,
    run: (one) =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) {
          return resolve({ failed: `the GPU process ended (${child.signalCode ?? child.exitCode})` });
        }
        const id = next++;
        waiting.set(id, resolve);
        child.send({ id, one });
      }),
    close: () => void child.kill("SIGKILL"),
  };
}
