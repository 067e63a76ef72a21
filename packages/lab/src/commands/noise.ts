import { Fault, type Noise } from "@tunelab/contract";
import { hostFacts } from "@tunelab/devices";
import { estimate } from "@tunelab/harness";
import { formatPercent, formatTime } from "@tunelab/report";
import type { Command } from "commander";
import { askDevice, type DeviceFlags } from "../bench.ts";
import type { Io } from "../io.ts";
import { parseWhole } from "../options.ts";

interface Flags extends DeviceFlags {
  readonly samples: string;
}

/** Bars of the histogram, and characters of the longest. */
const BARS = 10;
const BAR_WIDTH = 40;

export function register(program: Command, io: Io): void {
  program
    .command("noise")
    .description("time one kernel over and over: how far measurements on this device scatter")
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--samples <n>", "timings; 15 at least", "60")
    .option("--json", "print the samples and figures as JSON")
    .addHelpText("after", "\nExample: pnpm lab noise --samples 200")
    .action((flags: Flags) => noise(flags, io));
}

async function noise(flags: Flags, io: Io): Promise<void> {
  const samples = parseWhole(flags.samples, "--samples");
  const measured = await askDevice(flags, io, (bench) => bench.noise(samples));
  const { cores, loadAverage } = hostFacts();
  const figures = figuresOf(measured);
  if (flags.json) {
    io.out(JSON.stringify({ ...measured, ...figures, cores, loadAverage }, null, 2));
    return;
  }
  const time = (ns: number): string => formatTime(ns / 1_000);
  io.out(`${measured.samplesNs.length} timings of ${measured.kernel}`);
  io.out(
    `minimum ${time(figures.minNs)}, median ${time(figures.medianNs)}, maximum ${time(figures.maxNs)}, ` +
      `spread ${formatPercent(figures.spread)}, CV ${formatPercent(measured.cv)}, load ${loadAverage.toFixed(1)} on ${cores} cores\n`,
  );
  for (const line of histogram(measured.samplesNs)) io.out(line);
  io.out(
    measured.gateReachable
      ? "\nQuiet enough: variants can be certified here."
      : "\nToo noisy to certify: tables made here rank ties. A quieter machine, or fewer programs beside it, helps.",
  );
}

/** In ns; `spread` is (maximum - minimum) / minimum. */
export function figuresOf({ samplesNs }: Pick<Noise, "samplesNs">): {
  readonly minNs: number;
  readonly medianNs: number;
  readonly maxNs: number;
  readonly spread: number;
} {
  const summary = estimate(samplesNs, 1);
  if (!summary)
    throw new Fault("environment", "the noise probe gave no sample: the device has no usable clock");
  const { minNs, medianNs } = summary;
  const maxNs = Math.max(...samplesNs);
  return { minNs, medianNs, maxNs, spread: (maxNs - minNs) / minNs };
}

/** Lines of equal width in time from the fastest to the slowest sample; every sample is in exactly one. */
export function histogram(samplesNs: readonly number[]): readonly string[] {
  const { minNs, maxNs } = figuresOf({ samplesNs });
  const width = (maxNs - minNs) / BARS || 1;
  const counts = new Array<number>(BARS).fill(0);
  for (const sample of samplesNs) counts[Math.min(BARS - 1, Math.floor((sample - minNs) / width))]!++;
  const most = Math.max(...counts);
  return counts.map((count, bar) => {
    const from = formatTime((minNs + bar * width) / 1_000).padStart(9);
    return `${from}  ${"#".repeat(Math.ceil((count / most) * BAR_WIDTH))} ${count}`.trimEnd();
  });
}
