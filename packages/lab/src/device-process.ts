import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Fault, type ProfileName } from "@tunelab/contract";
import { chooseDevice, dawnFlags, dawnPath, openDawn, togglesOf } from "@tunelab/devices";
import { requestDeviceFor } from "@tunelab/executor";
import { type Command, Option } from "commander";
import { packed } from "./build.ts";
import { EXIT, ExitWith, type Io } from "./io.ts";
import { parseProfile } from "./options.ts";

/** Options of a command that runs itself again in a process with the device's driver in place. */
export interface ProcessFlags {
  readonly device: string;
  readonly profile: string;
  /** Set by the command itself for the process that it starts. */
  readonly within?: string;
}

/** The adapter to open there. */
interface Within {
  readonly backend: string;
  readonly match?: string | undefined;
  readonly profile: ProfileName;
}

/** A device opened in this very process. */
export interface Opened {
  readonly device: GPUDevice;
  readonly info: GPUAdapterInfo;
  readonly profile: ProfileName;
}

/** Adds the options that `inDeviceProcess` needs. */
export const withDeviceProcess = (command: Command): Command =>
  command
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .addOption(new Option("--within <host>").hideHelp());

/**
 * Does `work` on the device that the flags name. A graphics driver is chosen by the environment that a process is started with, so the
 * command `name` is started again with the same flags: its words come through, and so does its exit code.
 */
export async function inDeviceProcess<F extends ProcessFlags>(
  name: string,
  flags: F,
  io: Io,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  if (flags.within !== undefined) {
    const opened = await open(JSON.parse(flags.within) as Within);
    await work(opened);
    opened.device.destroy();
    return;
  }
  const target = await chooseDevice(flags.device);
  const profile = parseProfile(flags.profile);
  io.note(`Device ${target.id} (${target.kind}), profile ${profile}`);
  const within: Within = { backend: target.host.backend, match: target.host.match, profile };
  const words = Object.entries({ ...flags, within: JSON.stringify(within) }).flatMap(([option, value]) =>
    value === true ? [`--${option}`] : [`--${option}`, String(value)],
  );
  const environment = Object.fromEntries(
    Object.entries({ ...process.env, ...target.environment }).filter(([, value]) => value !== undefined),
  );
  const child = spawn(process.execPath, [...laboratory(), name, ...words], {
    env: environment as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => io.out(text.trimEnd()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => io.note(text.trimEnd()));
  const stop = (): void => void child.kill();
  io.signal.addEventListener("abort", stop, { once: true });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  io.signal.removeEventListener("abort", stop);
  if (io.signal.aborted) throw new ExitWith(EXIT.interrupted);
  if (code !== 0) throw new ExitWith(code ?? EXIT.failed);
}

/** Node's arguments that start this laboratory again. */
function laboratory(): readonly string[] {
  if (packed) return [fileURLToPath(new URL("./lab.mjs", import.meta.url))];
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const cli = fileURLToPath(new URL("./cli.ts", import.meta.url));
  return ["--conditions=@tunelab/source", "--import", tsx, cli];
}

async function open({ backend, match, profile }: Within): Promise<Opened> {
  const gpu = openDawn(dawnFlags(backend, match, togglesOf(profile, false)), dawnPath());
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Fault("environment", `no adapter on ${backend}: \`lab check-gpu\` names the cause`);
  return { device: await requestDeviceFor(adapter), info: adapter.info, profile };
}
