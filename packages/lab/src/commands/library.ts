import { capabilitiesOf } from "@tunelab/executor";
import type { Command } from "commander";
import { inDeviceProcess, type Opened, type ProcessFlags, withDeviceProcess } from "../device-process.ts";
import type { Io } from "../io.ts";
import { type LibraryCosts, libraryCosts } from "../library-cost.ts";
import { parseCount, parseDuration } from "../options.ts";

interface Flags extends ProcessFlags {
  readonly n: string;
  readonly data: string;
  readonly templates: string;
  readonly pairs?: string;
  readonly variant?: string;
  readonly budget: string;
  readonly json?: boolean;
}

/** What the library may cost over the bare kernel. */
const BOUND = 0.02;

const DOES = {
  harness: "encoded against the harness",
  encoded: "encoded against encoded",
  bound: "a submission and a wait each",
  call: "whole call: bind, run, read",
} as const;

export function register(program: Command, io: Io): void {
  withDeviceProcess(program.command("library"))
    .description(
      "what the matched filter through the runtime library costs over the bare executor, side by side",
    )
    .option("--n <lengths>", "points of a spectrum, several separated by commas", "1024,4096")
    .option("--data <n>", "data spectra", "64")
    .option("--templates <n>", "template spectra", "512")
    .option("--pairs <n>", "pairs; all unless given")
    .option("--variant <id>", "this variant instead of the one that the library selects")
    .option("--budget <time>", "most time for each of the four comparisons of a length", "20s")
    .option("--json", "print everything as JSON, a line a length")
    .addHelpText("after", "\nExample: pnpm lab library --n 256 --data 4 --templates 16 --device swiftshader")
    .action((flags: Flags) => inDeviceProcess("library", flags, io, (opened) => measure(flags, opened, io)));
}

async function measure(flags: Flags, { device, info, profile }: Opened, io: Io): Promise<void> {
  const [data, templates] = [count(flags.data, "--data"), count(flags.templates, "--templates")];
  const pairs = flags.pairs === undefined ? data * templates : count(flags.pairs, "--pairs");
  for (const length of flags.n.split(",")) {
    const n = count(length, "--n");
    const found = await libraryCosts({
      ...{ device, capabilities: capabilitiesOf(device, info), profile },
      ...{ shape: { n, data, templates, pairs }, maxMilliseconds: parseDuration(flags.budget) },
      ...(flags.variant === undefined ? {} : { variant: flags.variant }),
      now: () => performance.now(),
      onProgress: (what) => io.note(`n = ${n}: ${DOES[what]} ...`),
    });
    io.out(flags.json ? JSON.stringify(found) : textOf(found));
  }
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
