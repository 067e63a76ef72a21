import { Fault, type StudyPoint } from "@tunelab/contract";
import { formatPercent, formatRatio, formatTime, gridText, NOTHING } from "@tunelab/report";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { toldWhere } from "../record.ts";
import { kernelNamed, loadSuite, loadSuites } from "../registry.ts";
import { leastNs, runStudy, type StudyFlags, studyOptions, verifiedText } from "../study.ts";

/** Plain (0) and collapsed (1) in an order that cancels a drift: each three times. */
const ORDER = [0, 1, 1, 0, 0, 1] as const;

/** A gain under this is nothing, however quiet the device: the gate of a comparison. */
const GATE = 0.005;

export function register(program: Command, io: Io): void {
  studyOptions(
    program
      .command("collapse <kernel>")
      .description(
        "point all indices at one slice and time the very same kernel: what global memory costs it (--device, --variant as in tune)",
      ),
  )
    .addHelpText(
      "after",
      "\nExample: pnpm lab collapse matched-filter --problem n=1024,data=4,templates=16,pairs=64",
    )
    .action((kernel: string, flags: StudyFlags) => collapse(kernel, flags, io));
}

/** @throws Fault `usage` for a kernel whose inputs have no indices that could point at one slice. */
async function checkCollapses(kernel: string): Promise<void> {
  const { operation, collapse: own } = await loadSuite((await kernelNamed(kernel)).name);
  if (own) return;
  const able = (await loadSuites()).flatMap((suite) => (suite.collapse ? suite.operation.name : []));
  throw new Fault(
    "usage",
    `${operation.name} has no index buffer to collapse; these have: ${able.join(", ")}`,
  );
}

async function collapse(kernel: string, flags: StudyFlags, io: Io): Promise<void> {
  await checkCollapses(kernel);
  const { study, recorded } = await runStudy("collapse", kernel, flags, io, () => ({
    steps: ORDER.map((x) => ({
      x,
      what: x === 1 ? "collapsed" : "plain",
      ...(x === 1 ? { altered: { collapsed: true } as const } : {}),
    })),
    conclude: collapseFindings,
  }));
  if (flags.json) {
    io.out(JSON.stringify({ ...study, ...recorded }, null, 2));
    return;
  }
  io.out(
    gridText({
      columns: [
        { title: "indices", align: "left" },
        { title: "time", align: "right" },
        { title: "verified", align: "right" },
      ],
      rows: study.points.map((point) => {
        const ns = leastNs(point);
        return [
          point.x === 1 ? "all at one slice" : "as they are",
          ns === undefined ? NOTHING : formatTime(ns / 1_000),
          verifiedText(point),
        ];
      }),
    }),
  );
  io.out(`\n${collapseText(study.findings)}\n`);
  toldWhere(io, recorded, undefined);
}

/**
 * `plainNs` and `collapsedNs`: the least of all samples of each; `gain`: plain over collapsed, minus 1; `scatter`: the largest
 * ratio between two measurements of one kind, minus 1: what a gain must exceed.
 */
export function collapseFindings(points: readonly StudyPoint[]): Readonly<Record<string, number>> {
  const times = (x: number): number[] =>
    points.filter((point) => point.x === x).flatMap((point) => leastNs(point) ?? []);
  const [plain, collapsed] = [times(0), times(1)];
  if (plain.length === 0 || collapsed.length === 0) return {};
  const spread = (all: readonly number[]): number => Math.max(...all) / Math.min(...all) - 1;
  const [plainNs, collapsedNs] = [Math.min(...plain), Math.min(...collapsed)];
  return {
    plainNs,
    collapsedNs,
    gain: plainNs / collapsedNs - 1,
    scatter: Math.max(spread(plain), spread(collapsed)),
  };
}

/** What it means, in words; a gain inside the scatter means nothing. */
export function collapseText({
  gain,
  scatter,
  plainNs,
  collapsedNs,
}: Readonly<Record<string, number>>): string {
  if (gain === undefined || scatter === undefined)
    return "One of the two could not be timed: nothing can be said.";
  const ratio = formatRatio(plainNs! / collapsedNs!);
  if (Math.abs(gain) <= Math.max(GATE, scatter)) {
    return `No difference beyond the scatter of ${formatPercent(scatter)} (${ratio}): global memory is not what binds it, or the scatter hides it.`;
  }
  return gain > 0
    ? `Collapsed it is ${ratio} as fast: at most ${formatPercent(1 - 1 / (1 + gain))} of the time waits for global memory.`
    : `Collapsed it is slower (${ratio}): neighbours contend for the one slice.`;
}
