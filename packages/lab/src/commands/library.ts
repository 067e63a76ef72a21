import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Fault, type ProfileName } from "@tunelab/contract";
import { chooseDevice, dawnFlags, dawnPath, openDawn, togglesOf } from "@tunelab/devices";
import { capabilitiesOf, requestDeviceFor } from "@tunelab/executor";
import type { Command } from "commander";
import { packed } from "../build.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { type LibraryCosts, libraryCosts } from "../library-cost.ts";
import { parseCount, parseDuration, parseProfile } from "../options.ts";

interface Flags {
  readonly device: string;
  readonly profile: string;
  readonly n: string;
  readonly data: string;
  readonly templates: string;
  readonly pairs?: string;
  readonly variant?: string;
  readonly budget: string;
  readonly json?: boolean;
  /** Set by the command itself for the process that it starts with the device's driver in place. */
  readonly within?: string;
}

/** What the library may cost over the bare kernel. */
const BOUND = 0.02;

const DOES = {
  encoded: "runs in one encoder, device time",
  bound: "a submission and a wait each",
  call: "whole call: bind, run, read",
} as const;

export function register(program: Command, io: Io): void {
  program
    .command("library")
    .description(
      "what the matched filter through the runtime library costs over the bare executor, side by side",
    )
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--n <lengths>", "points of a spectrum, several separated by commas", "1024,4096")
    .option("--data <n>", "data spectra", "64")
    .option("--templates <n>", "template spectra", "512")
    .option("--pairs <n>", "pairs; all unless given")
    .option("--variant <id>", "this variant instead of the one that the library selects")
    .option("--budget <time>", "most time for each of the three comparisons of a length", "20s")
    .option("--json", "print everything as JSON, a line a length")
    .option("--within <host>", "(set by the command itself)")
    .addHelpText("after", "\nExample: pnpm lab library --n 256 --data 4 --templates 16 --device swiftshader")
    .action((flags: Flags) => run(flags, io));
}

/** A graphics driver is chosen by the environment that a process is started with: the measuring is a child's. */
async function run(flags: Flags, io: Io): Promise<void> {
  if (flags.within !== undefined) return measure(flags, JSON.parse(flags.within) as Within, io);
  const target = await chooseDevice(flags.device);
  const profile = parseProfile(flags.profile);
  io.note(`Device ${target.id} (${target.kind}), profile ${profile}`);
  const within: Within = { backend: target.host.backend, match: target.host.match, profile };
  const words = Object.entries({ ...flags, within: JSON.stringify(within) }).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, String(value)],
  );
  const environment = Object.fromEntries(
    Object.entries({ ...process.env, ...target.environment }).filter(([, value]) => value !== undefined),
  );
  const child = spawn(process.execPath, [...program(), "library", ...words], {
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
function program(): readonly string[] {
  if (packed) return [fileURLToPath(new URL("./lab.mjs", import.meta.url))];
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const cli = fileURLToPath(new URL("../cli.ts", import.meta.url));
  return ["--conditions=@tunelab/source", "--import", tsx, cli];
}

interface Within {
  readonly backend: string;
  readonly match?: string | undefined;
  readonly profile: ProfileName;
}

async function measure(flags: Flags, { backend, match, profile }: Within, io: Io): Promise<void> {
  const gpu = openDawn(dawnFlags(backend, match, togglesOf(profile, false)), dawnPath());
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Fault("environment", `no adapter on ${backend}: \`lab check-gpu\` names the cause`);
  const device = await requestDeviceFor(adapter);
  const [data, templates] = [count(flags.data, "--data"), count(flags.templates, "--templates")];
  const pairs = flags.pairs === undefined ? data * templates : count(flags.pairs, "--pairs");
  for (const length of flags.n.split(",")) {
    const n = count(length, "--n");
    const found = await libraryCosts({
      ...{ device, capabilities: capabilitiesOf(device, adapter.info), profile },
      ...{ shape: { n, data, templates, pairs }, maxMilliseconds: parseDuration(flags.budget) },
      ...(flags.variant === undefined ? {} : { variant: flags.variant }),
      now: () => performance.now(),
      onProgress: (what) => io.note(`n = ${n}: ${DOES[what]} ...`),
    });
    io.out(flags.json ? JSON.stringify(found) : textOf(found));
  }
  device.destroy();
}

const count = (text: string, option: string): number => parseCount(text, option, 1, 2 ** 31);

const us = (value: number): string => `${Number(value.toPrecision(4))} us`;
const percent = (ratio: number): string => `${(100 * (ratio - 1)).toFixed(2)}%`;

function textOf({ problem, variant, why, costs }: LibraryCosts): string {
  const lines = costs.map(({ what, runs, clock, bareUs, libraryUs, judgement }) => {
    const { ratio, low, high, count: quads, verdict } = judgement;
    const within =
      high - 1 <= BOUND ? `within ${100 * BOUND}%` : low - 1 > BOUND ? `over ${100 * BOUND}%` : "open";
    const times = `${us(bareUs)} bare, ${us(libraryUs)} through the library (least of ${clock} time, ${runs} runs a sample)`;
    const interval = `${percent(ratio)} [${percent(low)}, ${percent(high)}] in ${quads} quads, ${verdict}: ${within}`;
    return `  ${DOES[what].padEnd(34)} ${times}\n  ${"".padEnd(34)} ${interval}`;
  });
  return [`n = ${problem.n}, ${problem.pairs} pairs: ${variant}`, `  ${why}`, ...lines].join("\n");
}
