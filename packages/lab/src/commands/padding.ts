import { Fault, type ProfileName, type StudyPoint } from "@tunelab/contract";
import { PADDING_STEP } from "@tunelab/harness";
import { formatBytes, formatRatio, formatTime, gridText, NOTHING, paddingChart } from "@tunelab/report";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { parseCount, parseProfile } from "../options.ts";
import { toldWhere, writePicture } from "../record.ts";
import { leastNs, runStudy, type StudyFlags, studyOptions, verifiedText } from "../study.ts";

interface Flags extends StudyFlags {
  readonly steps: string;
}

const MOST_STEPS = 64;

/** Time over the unpadded kernel's that counts as a cost. */
const COSTS = 0.05;

export function register(program: Command, io: Io): void {
  studyOptions(
    program
      .command("padding <kernel>")
      .description(
        "add unused workgroup memory in steps and time the same kernel: what occupancy is worth to it",
      ),
  )
    .option("--steps <n>", "sizes between none and what the device grants", "8")
    .addHelpText(
      "after",
      "\nExample: pnpm lab padding matched-filter --problem n=1024 --profile native --steps 12",
    )
    .action((kernel: string, flags: Flags) => padding(kernel, flags, io));
}

async function padding(kernel: string, flags: Flags, io: Io): Promise<void> {
  const count = parseCount(flags.steps, "--steps", 1, MOST_STEPS);
  const { study, recorded } = await runStudy("padding", kernel, flags, io, ({ bench, subject, ...of }) => {
    const own = of.algorithm.resources(subject.problem, of.config).workgroupBytes;
    const granted = bench.hello.info.capabilities.limits.maxComputeWorkgroupStorageSize;
    const sizes = paddingSizes(granted - own, count);
    if (sizes.length === 0) {
      throw new Fault(
        "usage",
        `${of.variant} takes ${own} of ${granted} bytes already: choose a --variant that leaves some`,
      );
    }
    return {
      // The unpadded kernel again at the end: what drifted meanwhile shows there.
      steps: [0, ...sizes, 0].map((bytes) => ({
        x: bytes,
        what: bytes === 0 ? "no padding" : `${formatBytes(bytes)} of padding`,
        ...(bytes > 0 ? { altered: { paddingBytes: bytes } } : {}),
      })),
      conclude: (points) => ({ ...paddingFindings(points), declaredBytes: own }),
    };
  });
  const picture = await writePicture(flags, io, `padding-${recorded.session}`, paddingChart(study));
  if (flags.json) {
    io.out(JSON.stringify({ ...study, ...recorded, picture }, null, 2));
    return;
  }
  const plain = study.findings.plainNs;
  io.out(
    gridText({
      columns: [
        { title: "padding", align: "right" },
        { title: "workgroup memory", align: "right" },
        { title: "time", align: "right" },
        { title: "of unpadded", align: "right" },
        { title: "verified", align: "right" },
      ],
      rows: study.points.map((point) => {
        const ns = leastNs(point);
        return [
          formatBytes(point.x),
          formatBytes(point.x + (study.findings.declaredBytes ?? 0)),
          ns === undefined ? NOTHING : formatTime(ns / 1_000),
          formatRatio(ns !== undefined && plain ? ns / plain : undefined),
          verifiedText(point),
        ];
      }),
    }),
  );
  io.out(`\n${paddingText(study.findings, parseProfile(flags.profile))}\n`);
  toldWhere(io, recorded, picture);
}

/** So many sizes in even steps up to what is free, whole multiples of 16 bytes; fewer where there is no room for them. */
export function paddingSizes(freeBytes: number, count: number): readonly number[] {
  const most = Math.floor(freeBytes / PADDING_STEP);
  const units = Array.from({ length: count }, (_, index) => Math.floor((most * (index + 1)) / count));
  return [...new Set(units)].filter((unit) => unit > 0).map((unit) => unit * PADDING_STEP);
}

/**
 * `plainNs`: the least time without padding; `scatter`: between the unpadded kernel at the start and at the end, minus 1;
 * `worst`: the largest time over `plainNs`; `costsFromBytes`: the least padding from which on every size costs 5% and more
 * than the scatter.
 */
export function paddingFindings(points: readonly StudyPoint[]): Readonly<Record<string, number>> {
  const timed = points.flatMap((point) => {
    const ns = leastNs(point);
    return ns === undefined ? [] : [{ bytes: point.x, ns }];
  });
  const plain = timed.filter(({ bytes }) => bytes === 0).map(({ ns }) => ns);
  const padded = timed.filter(({ bytes }) => bytes > 0).sort((a, b) => a.bytes - b.bytes);
  if (plain.length === 0 || padded.length === 0) return {};
  const plainNs = Math.min(...plain);
  const scatter = Math.max(...plain) / plainNs - 1;
  const free = padded.findLastIndex(({ ns }) => ns / plainNs - 1 <= Math.max(COSTS, scatter));
  const from = padded[free + 1];
  return {
    plainNs,
    scatter,
    worst: Math.max(...padded.map(({ ns }) => ns)) / plainNs,
    ...(from ? { costsFromBytes: from.bytes } : {}),
  };
}

/** What it means, in words. Under default toggles a device zeroes the padding too, and its cost cannot be told from that. */
export function paddingText(findings: Readonly<Record<string, number>>, profile: ProfileName): string {
  const { worst, costsFromBytes, declaredBytes = 0 } = findings;
  if (worst === undefined) return "Too few sizes could be timed: nothing can be said.";
  return costsFromBytes === undefined
    ? `Fewer workgroups at a time cost nothing beyond the scatter (at most ${formatRatio(worst)}): occupancy is not what binds it.`
    : `From ${formatBytes(costsFromBytes + declaredBytes)} of workgroup memory on it takes up to ${formatRatio(worst)} the time: ` +
        (profile === "native"
          ? "it needs its occupancy."
          : "it needs its occupancy, or pays for zeroing the padding; --profile native tells the two apart.");
}
