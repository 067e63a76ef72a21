import { Fault, type ProfileName, problemKey } from "@tunelab/contract";
import { chooseDevice, type DeviceTarget } from "@tunelab/devices";
import { columns, gridText } from "@tunelab/report";
import { formatId } from "@tunelab/variants";
import { type Inspection, isAvoidable, KINDS, type PlacedClamp } from "@tunelab/variants/spirv";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { parseCount, parseProfile, parseWhole } from "../options.ts";
import { kernelNamed, loadSuite } from "../registry.ts";
import { look } from "../spirv/inspect.ts";
import { knownFor } from "../spirv/known.ts";
import { checkPage, writePage } from "../spirv/publish.ts";
import { complaints, type Row, rowsOf } from "../spirv/rows.ts";
import { merged, type Subject, sampleOf, shippedOf, textsOf } from "../spirv/texts.ts";
import { subjectFor, variantOf } from "../subject.ts";

interface Flags {
  readonly problem?: string;
  readonly profile: string;
  readonly device: string;
  readonly shipped?: boolean;
  readonly sample?: string;
  readonly seed: string;
  readonly report?: boolean;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** Variants of a sample, at most: a compilation takes about a third of a second. */
const MOST_SAMPLED = 10_000;

const HELP = `
A clamp that another form of the index would spare (% and / by constants) fails --check; an index read from memory and an array of
runtime size are clamped whatever the form. Without KERNEL, --report looks at every shipped variant and a sample over all kernels and writes
the page, and with --check makes its figures again.

Example: pnpm lab spirv matched-filter fused/radix=16 --problem n=4096
Example: pnpm lab spirv matched-filter --shipped --sample 40 --seed 1 --check
Example: pnpm lab spirv --report --check`;

export function register(program: Command, io: Io): void {
  program
    .command("spirv [kernel] [variant]")
    .description(
      "what Tint makes of a kernel's texts: SPIR-V instructions by kind, and what robustness adds, by WGSL line",
    )
    .option("--problem <dims>", "e.g. n=1024 (default: the first of the quick workload)")
    .option("--profile <name>", "portable or native, where one variant is looked at", "portable")
    .option("--device <id>", "a Vulkan device; nothing runs on it", "swiftshader")
    .option("--shipped", "look at every variant that ships, under both profiles")
    .option("--sample <n>", "look at a seeded sample over all algorithms and lengths, under both profiles")
    .option(
      "--seed <n>",
      "seed of the sample; the published page keeps the one it has until another is given",
      "1",
    )
    .option("--report", "write the published page; with --check compare it")
    .option("--check", "exit 1 where a clamp stays that another form of the index would spare")
    .option("--json", "print everything as JSON")
    .addHelpText("after", HELP)
    .action((kernel: string | undefined, variant: string | undefined, flags: Flags) =>
      spirv(kernel, variant, flags, io),
    );
}

async function spirv(
  kernel: string | undefined,
  variant: string | undefined,
  flags: Flags,
  io: Io,
): Promise<void> {
  if (flags.report) {
    if (kernel) throw new Fault("usage", "--report looks at every kernel: leave the kernel out");
    const target = await chooseDevice(flags.device);
    return flags.check ? checkPage(target, io) : writePage(target, parseWhole(flags.seed, "--seed"), io);
  }
  if (!kernel) throw new Fault("usage", "name a kernel, or --report for all of them");
  if (!flags.shipped && flags.sample === undefined) return one(kernel, variant, flags, io);
  if (variant) throw new Fault("usage", "--shipped and --sample choose variants: leave the variant out");
  return many(kernel, flags, io);
}

/** One variant under one profile, in detail. */
async function one(kernel: string, id: string | undefined, flags: Flags, io: Io): Promise<void> {
  const profile = parseProfile(flags.profile);
  const subject = await subjectFor(kernel, flags);
  const { algorithm, config } = variantOf(subject, id);
  const variant = formatId(algorithm.name, algorithm.space(subject.problem), config);
  const { operation, problem } = subject;
  const texts = await textsOf(operation, { kernel: operation.name, problem, variant, sources: [] });
  const target = await chooseDevice(flags.device);
  const found: { stage: string; stoodIn: boolean; inspection: Inspection }[] = [];
  for (const text of texts) {
    const looked = await look(target, profile, text);
    if (!looked)
      throw new Fault("unsupported", `${variant} fits ${target.id} in no form: choose a larger --device`);
    found.push({ stage: text.stage, stoodIn: looked.stoodIn, inspection: looked.inspection });
  }
  if (flags.json)
    io.out(
      JSON.stringify(
        { kernel: operation.name, problem, variant, profile, device: target.id, texts: found },
        null,
        2,
      ),
    );
  else {
    io.out(`${operation.name} ${variant}\n${problemKey(problem)}, ${profile}, ${target.id}`);
    for (const text of found) io.out(textOf(text, target, profile));
    io.out(`\nNext: ${commandLine(`spirv ${kernel} --shipped --check`)} looks at every variant that ships`);
  }
  const wrong = found.flatMap(({ inspection }) =>
    inspection.clamps.filter((clamp) => isAvoidable(clamp) && !knownFor(operation.name, clamp)),
  );
  if (flags.check && wrong.length > 0) throw new ExitWith(EXIT.failed);
}

function textOf(
  { stage, stoodIn, inspection }: { stage: string; stoodIn: boolean; inspection: Inspection },
  target: DeviceTarget,
  profile: ProfileName,
): string {
  const { functions, safety } = inspection;
  const counts = gridText({
    columns: columns("  function", ">all", ...KINDS.map((kind) => `>${kind}`)),
    rows: functions.map(({ name, total, counts: of }) => [
      `  ${name}`,
      `${total}`,
      ...KINDS.map((kind) => `${of[kind]}`),
    ]),
  });
  const clamps = clampLines(inspection.clamps);
  return [
    `\nstage ${stage}${stoodIn ? ` (too large for ${target.id}: a text with the same ranges of indexes stands in)` : ""}`,
    counts,
    `  ${inspection.dynamicAccesses} of ${inspection.accesses} accesses to arrays have an index that the text computes; ${inspection.clamps.length} clamps under ${profile}`,
    ...clamps,
    `  ${safety.loops} loops, ${safety.guardedLoops} of them with a counter; ${safety.checkedDivisions} divisions checked for zero; ${safety.shuffleGuards} instructions around shuffles; ${safety.zeroedBytes} bytes of workgroup memory zeroed`,
  ].join("\n");
}

/** Clamps by what they are and the line they stand at, repeated lines counted. */
function clampLines(clamps: readonly PlacedClamp[]): readonly string[] {
  const groups = new Map<string, PlacedClamp[]>();
  for (const clamp of clamps) {
    const key = `${clamp.space} ${clamp.array} ${clamp.bound} ${clamp.origin}`;
    groups.set(key, [...(groups.get(key) ?? []), clamp]);
  }
  return [...groups.values()].flatMap((group) => {
    const [{ space, array, bound, origin }] = group as [PlacedClamp];
    const why =
      bound === "runtime"
        ? "its length is known when it runs; where the driver bounds buffers itself (robustBufferAccess2) Tint leaves this out"
        : origin === "data"
          ? "the index comes from memory"
          : "% and / by constants would spare it";
    const lines = group.flatMap(({ line }) => (line ? [`    line ${line.number}: ${line.text}`] : []));
    const shown = lines.slice(0, LINES_SHOWN);
    const rest = lines.length > shown.length ? [`    and ${lines.length - shown.length} more`] : [];
    return [`  ${group.length} of ${space} ${array}: ${why}`, ...shown, ...rest];
  });
}

/** Lines of a group of clamps that are printed. */
const LINES_SHOWN = 4;

/** Shipped variants or a sample of a kernel, under both profiles. */
async function many(name: string, flags: Flags, io: Io): Promise<void> {
  const suite = await loadSuite((await kernelNamed(name)).name);
  const subjects: Subject[] = [];
  if (flags.shipped) subjects.push(...(await shippedOf(suite)));
  if (flags.sample !== undefined) {
    const count = parseCount(flags.sample, "--sample", 1, MOST_SAMPLED);
    subjects.push(...(await sampleOf([suite], count, parseWhole(flags.seed, "--seed"))));
  }
  const rows = await rowsOf(await chooseDevice(flags.device), merged(subjects), io);
  const wrong = complaints(rows);
  if (flags.json) io.out(JSON.stringify({ rows, complaints: wrong }, null, 2));
  else {
    io.out(gridText({ columns: ROW_COLUMNS, rows: rows.map(rowCells) }));
    io.out(
      `\n${rows.length} texts of ${merged(subjects).length} variants; ${wrong.length === 0 ? "no clamp stays that another form of an index would spare, but those of the ledger" : `${wrong.length} complaints:`}`,
    );
    for (const line of wrong) io.out(line);
  }
  if (flags.check && wrong.length > 0) throw new ExitWith(EXIT.failed);
}

const ROW_COLUMNS = columns(
  "problem",
  "variant",
  "stage",
  ">portable",
  ">native",
  ">runtime arrays",
  ">memory indexes",
  ">spared by form",
  ">unnamed",
);

const rowCells = (row: Row): string[] => [
  problemKey(row.problem),
  row.variant,
  `${row.stage}${row.stoodIn ? " *" : ""}`,
  ...[row.portable.instructions, row.native.instructions, row.portable.runtime, row.portable.data].map(
    String,
  ),
  ...[row.portable.avoidable, row.unnamed].map(String),
];
