import {
  type Algorithm,
  type Config,
  Fault,
  planHash,
  problemKey,
  type Space,
  supports,
} from "@tunelab/contract";
import { gridText } from "@tunelab/report";
import {
  checkWhere,
  enumerate,
  parseWhere,
  randomFrom,
  reportSpace,
  restrict,
  type SpaceReport,
  sample,
} from "@tunelab/variants";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import type { Io } from "../io.ts";
import { type KernelFlags, type Subject, subjectFor } from "../subject.ts";

/** Variants looked at for fit, at most; of a larger space a fixed random sample stands for the rest. */
const LOOKED_AT = 20_000;

/** Variants whose text is made to find those that are alike, at most: a plan takes about a millisecond. */
const WRITTEN_OUT = 1_000;

interface Flags extends KernelFlags {
  readonly n?: string;
  readonly where?: string;
}

/** How many of the variants that fit are told apart by their text, and by their plan (text, dispatch and buffers). */
interface Distinct {
  readonly looked: number;
  readonly texts: number;
  readonly plans: number;
}

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
    .option("--n <value>", "short for --problem n=<value>")
    .option("--where <settings>", 'only these values, e.g. "tile=1,radix=8|16"')
    .option("--device <id>", "whose limits count (default: WebGPU's default limits, no device is touched)")
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample: pnpm lab space matched-filter --n 4096 --device auto")
    .action((kernel: string, flags: Flags) => space(kernel, flags, io));
}

async function space(kernel: string, { n, where: text, ...flags }: Flags, io: Io): Promise<void> {
  if (n !== undefined && flags.problem !== undefined)
    throw new Fault("usage", "--n is short for --problem n=...: give one of the two");
  const subject = await subjectFor(kernel, n === undefined ? flags : { ...flags, problem: `n=${n}` });
  const { problem, limitsOf } = subject;
  const where = text === undefined ? {} : parseWhere(text);
  checkWhere(
    where,
    subject.algorithms.map((algorithm) => algorithm.space(problem)),
  );
  const algorithms = subject.algorithms.map(
    (algorithm): Algorithm => ({ ...algorithm, space: (asked) => restrict(algorithm.space(asked), where) }),
  );
  const reports = await Promise.all(
    algorithms.map(async (algorithm) => ({
      algorithm: algorithm.name,
      parameters: algorithm.space(problem).parameters,
      ...reportSpace(algorithm.space(problem)),
      fit: fitOf(subject, algorithm),
      distinct: await distinctOf(subject, algorithm),
    })),
  );
  if (flags.json) {
    io.out(JSON.stringify({ kernel, problem, limitsOf, algorithms: reports }, null, 2));
    return;
  }
  io.out(`${kernel}, ${problemKey(problem)}`);
  for (const { algorithm, parameters, fit, distinct, ...report } of reports) {
    io.out(`\n${algorithm}: ${report.valid} variants of ${report.raw} combinations`);
    for (const { name, values, unit, doc, absent } of parameters) {
      const unsaid = absent === undefined ? "" : ` (${absent} where an id does not say)`;
      io.out(`  ${name} = ${values.join(" | ")}${unit ? ` ${unit}` : ""}: ${doc}${unsaid}`);
    }
    for (const line of constraintLines(report)) io.out(line);
    if (report.empty) {
      io.out(`  ${report.empty.reason}`);
      continue;
    }
    for (const { parameter, value } of report.unreachable) io.out(`  never: ${parameter}=${value}`);
    io.out(fitLine(fit, report.valid, limitsOf));
    io.out(distinctLine(distinct, fit.fits));
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

function distinctLine({ looked, texts, plans }: Distinct, fits: number): string {
  const of = looked < fits ? `a sample of ${looked} that fit` : `${looked} that fit`;
  const alike = (count: number, what: string): string =>
    count === looked ? `all differ in ${what}` : `${looked - count} repeat the ${what} of another`;
  return `  of ${of}, ${alike(texts, "WGSL")}, ${alike(plans, "plan")}`;
}

/** Writes out variants that fit and counts different texts and different plans. */
async function distinctOf({ problem, capabilities }: Subject, algorithm: Algorithm): Promise<Distinct> {
  const texts = new Set<string>();
  const plans = new Set<string>();
  let looked = 0;
  for (const config of upTo(algorithm.space(problem), WRITTEN_OUT)) {
    if (!supports(algorithm.resources(problem, config), capabilities).supported) continue;
    const plan = algorithm.plan(problem, config, capabilities);
    looked++;
    texts.add(await planHash({ ...plan, buffers: [], steps: [], extents: {} }));
    plans.add(await planHash(plan));
  }
  return { looked, texts: texts.size, plans: plans.size };
}

/** How many variants fit the subject's limits, and which limit refuses the others. */
export function fitOf({ problem, capabilities }: Subject, algorithm: Algorithm): Fit {
  const refused: Record<string, number> = {};
  let looked = 0;
  for (const config of upTo(algorithm.space(problem), LOOKED_AT)) {
    looked++;
    const support = supports(algorithm.resources(problem, config), capabilities);
    if (!support.supported) refused[support.limit] = (refused[support.limit] ?? 0) + 1;
  }
  const unfit = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return { looked, fits: looked - unfit, refused };
}

/** All configurations of a space, or a fixed random sample of a larger one. */
function upTo(space: Space, most: number): readonly Config[] {
  const all: Config[] = [];
  for (const config of enumerate(space)) {
    all.push(config);
    if (all.length > most) return sample(space, randomFrom(1), most);
  }
  return all;
}
