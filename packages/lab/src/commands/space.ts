import { type Algorithm, problemKey, supports } from "@tunelab/contract";
import { gridText } from "@tunelab/report";
import { enumerate, randomFrom, reportSpace, type SpaceReport, sample } from "@tunelab/variants";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import type { Io } from "../io.ts";
import { type KernelFlags, type Subject, subjectFor } from "../subject.ts";

/** Variants looked at for fit, at most; of a larger space a fixed random sample stands for the rest. */
const LOOKED_AT = 20_000;

interface Fit {
  readonly looked: number;
  readonly fits: number;
  /** Those that do not fit, by the limit that refuses them. */
  readonly refused: Readonly<Record<string, number>>;
}

export function register(program: Command, io: Io): void {
  program
    .command("space <kernel>")
    .description("how many variants each algorithm has, what each constraint takes away, and how many fit")
    .option("--problem <dims>", "e.g. n=1024 (default: the first of the quick workload)")
    .option("--device <id>", "whose limits count (default: WebGPU's default limits, no device is touched)")
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample: pnpm lab space matched-filter --problem n=4096 --device auto")
    .action((kernel: string, flags: KernelFlags) => space(kernel, flags, io));
}

async function space(kernel: string, flags: KernelFlags, io: Io): Promise<void> {
  const subject = await subjectFor(kernel, flags);
  const { problem, limitsOf } = subject;
  const reports = subject.algorithms.map((algorithm) => ({
    algorithm: algorithm.name,
    parameters: algorithm.space(problem).parameters,
    ...reportSpace(algorithm.space(problem)),
    fit: fitOf(subject, algorithm),
  }));
  if (flags.json) {
    io.out(JSON.stringify({ kernel, problem, limitsOf, algorithms: reports }, null, 2));
    return;
  }
  io.out(`${kernel}, ${problemKey(problem)}`);
  for (const { algorithm, parameters, fit, ...report } of reports) {
    io.out(`\n${algorithm}: ${report.valid} variants of ${report.raw} combinations`);
    for (const { name, values, unit, doc } of parameters) {
      io.out(`  ${name} = ${values.join(" | ")}${unit ? ` ${unit}` : ""}: ${doc}`);
    }
    for (const line of constraintLines(report)) io.out(line);
    for (const { parameter, value } of report.unreachable) io.out(`  never: ${parameter}=${value}`);
    io.out(fitLine(fit, report.valid, limitsOf));
  }
  io.out(
    `\nNext: ${commandLine(`wgsl ${kernel} --problem ${problemKey(problem)}`)} prints the default variant`,
  );
}

function constraintLines({ constraints }: SpaceReport): readonly string[] {
  if (constraints.length === 0) return [];
  const columns = [
    { title: "  constraint", align: "left" },
    { title: "before", align: "right" },
    { title: "after", align: "right" },
    { title: "why", align: "left" },
  ] as const;
  const rows = constraints.map(({ name, before, after, doc }) => [
    `  ${name}`,
    String(before),
    String(after),
    doc,
  ]);
  return [gridText({ columns, rows })];
}

function fitLine({ looked, fits, refused }: Fit, valid: number, limitsOf: string): string {
  const of = looked < valid ? `a sample of ${looked}` : String(looked);
  const reasons = Object.entries(refused).map(([limit, count]) => `${count} by ${limit}`);
  return `  ${fits} of ${of} fit ${limitsOf}${reasons.length ? `; refused ${reasons.join(", ")}` : ""}`;
}

/** How many variants fit the subject's limits, and which limit refuses the others. */
export function fitOf({ problem, capabilities }: Subject, algorithm: Algorithm): Fit {
  const refused: Record<string, number> = {};
  let looked = 0;
  for (const config of upTo(algorithm.space(problem))) {
    looked++;
    const support = supports(algorithm.resources(problem, config), capabilities);
    if (!support.supported) refused[support.limit] = (refused[support.limit] ?? 0) + 1;
  }
  const unfit = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return { looked, fits: looked - unfit, refused };
}

function upTo(space: ReturnType<Algorithm["space"]>): Iterable<ReturnType<Algorithm["defaultConfig"]>> {
  const all = [];
  for (const config of enumerate(space)) {
    all.push(config);
    if (all.length > LOOKED_AT) return sample(space, randomFrom(1), LOOKED_AT);
  }
  return all;
}
