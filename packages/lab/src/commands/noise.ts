import { Fault, type MachineLoad, type Noise } from "@tunelab/contract";
import { CERTIFIED, claimable, estimate, NOISE_SAMPLES } from "@tunelab/harness";
import { formatPercent, formatTime, timingsChart } from "@tunelab/report";
import type { Command } from "commander";
import { askDevice, type DeviceFlags } from "../bench.ts";
import type { Io } from "../io.ts";
import { parseCount } from "../options.ts";
import { type RecordFlags, recordEvents, toldWhere, writePicture } from "../record.ts";

interface Flags extends DeviceFlags, RecordFlags {
  readonly samples: string;
}

/** 17 quads of four slots, each the least of three timings: one quad is dropped, 16 remain, as in a comparison. */
const SAMPLES = 204;

/** Most timings: a minute of them where one takes 6 ms. */
const MOST_SAMPLES = 10_000;

/** Bars of the histogram, and characters of the longest. */
const BARS = 10;
const BAR_WIDTH = 40;

export function register(program: Command, io: Io): void {
  program
    .command("noise")
    .description("time one kernel over and over: how far measurements scatter here, and what can be claimed")
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--samples <n>", `timings; ${NOISE_SAMPLES} at least`, String(SAMPLES))
    .option("--out <dir>", "folder for the session and the picture (default .lab, or $TUNELAB_LAB_DIR)")
    .option("--journal <file>", "write a journal instead of a session file")
    .option("--json", "print the samples and figures as JSON")
    .addHelpText("after", "\nExample: pnpm lab noise --samples 500")
    .action((flags: Flags) => noise(flags, io));
}

async function noise(flags: Flags, io: Io): Promise<void> {
  const samples = parseCount(flags.samples, "--samples", NOISE_SAMPLES, MOST_SAMPLES);
  const { measured, machine, recorded } = await askDevice(flags, io, async (bench, place) => {
    const found = await bench.noise(samples);
    const events = [{ kind: "noise", noise: found, machine: place.machine }] as const;
    const command = { operations: [], workload: "noise" };
    const written = await recordEvents(flags, io, bench.hello, command, events);
    return { measured: found, machine: place.machine, recorded: written };
  });
  const figures = { ...figuresOf(measured), ...claimable(measured.samplesNs) };
  const chart = timingsChart(measured.kernel, measured.samplesNs);
  const picture = await writePicture(flags, io, `noise-${recorded.session}`, chart);
  if (flags.json) {
    io.out(JSON.stringify({ ...measured, ...figures, machine, ...recorded, picture }, null, 2));
    return;
  }
  const time = (ns: number): string => formatTime(ns / 1_000);
  io.out(`${measured.samplesNs.length} timings of ${measured.kernel}`);
  io.out(
    `minimum ${time(figures.minNs)}, median ${time(figures.medianNs)}, maximum ${time(figures.maxNs)}, ` +
      `spread ${formatPercent(figures.spread)}, CV ${formatPercent(measured.cv)}\n`,
  );
  for (const line of histogram(measured.samplesNs)) io.out(line);
  io.out(`\n${claims(measured, machine)}\n`);
  toldWhere(io, recorded, picture);
}

/** In plain words what may be said of measurements made here and now. */
export function claims({ gateReachable, samplesNs }: Noise, machine: MachineLoad): string {
  const gate = formatPercent(CERTIFIED.spread);
  const { quads, mde } = claimable(samplesNs);
  const lines = [
    Number.isFinite(mde)
      ? `Two variants timed side by side differ for certain from ${formatPercent(mde)} on (${quads} quads); smaller differences cannot be claimed now.`
      : "Too few timings to say what a comparison could see: give more --samples.",
    gateReachable
      ? `Quiet enough: samples repeat to within ${gate}, so variants can be certified here.`
      : `Too noisy to certify (samples must repeat to within ${gate}): tables made here rank ties.`,
  ];
  if (machine.busy) lines.push("Other programs were at work: stop those named above and look again.");
  else if (!gateReachable) lines.push("No other program was at work: the device itself scatters so.");
  return lines.join("\n");
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
