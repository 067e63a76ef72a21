import { type Ceilings, Fault, type Problem, type StudyPoint } from "@tunelab/contract";
import { findPlateau, PLATEAU_TOLERANCE } from "@tunelab/harness";
import { formatPercent, formatTime, gridText, NOTHING, saturationChart } from "@tunelab/report";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { parseCount } from "../options.ts";
import { toldWhere, writePicture } from "../record.ts";
import { leastNs, leastPoints, runStudy, type StudyFlags, studyOptions, verifiedText } from "../study.ts";

interface Flags extends StudyFlags {
  readonly computeUnits?: string;
}

const MOST_UNITS = 4_096;

/** Batch sizes an octave: fine enough to find the plateau to within a factor of 1.4. */
const STEPS_PER_OCTAVE = 2;

export function register(program: Command, io: Io): void {
  studyOptions(
    program
      .command("saturation <kernel>")
      .description("time per item against the batch: how many workgroups fill the device for this kernel"),
  )
    .option("--compute-units <n>", "declare the number of compute units instead of estimating it")
    .addHelpText("after", "\nExample: pnpm lab saturation matched-filter --problem n=1024,pairs=32768")
    .action((kernel: string, flags: Flags) => saturation(kernel, flags, io));
}

async function saturation(kernel: string, flags: Flags, io: Io): Promise<void> {
  const declared =
    flags.computeUnits === undefined
      ? undefined
      : parseCount(flags.computeUnits, "--compute-units", 1, MOST_UNITS);
  const { study, recorded } = await runStudy("saturation", kernel, flags, io, async (studied) => {
    const { bench, subject, algorithm, config } = studied;
    const { problem, capabilities, operation } = subject;
    const { dimension } = algorithm.plan(problem, config, capabilities).batch;
    const most = problem[dimension];
    if (typeof most !== "number") {
      throw new Fault(
        "usage",
        `${operation.name} has no batch dimension ${dimension} to vary: it cannot be swept`,
      );
    }
    io.note("Counting compute units ...");
    const measured = declared === undefined ? await bench.ceilings(["units"]) : {};
    const ceilings: Ceilings =
      declared === undefined ? measured : { computeUnits: { value: declared, source: "declared" } };
    const problems = batchSizes(most)
      .map((items): Problem => ({ ...problem, [dimension]: items }))
      .filter((one) => operation.refuse(one) === undefined);
    return {
      events: [{ kind: "ceilings", ceilings }],
      // Up and down again, the better of two counting: a burst or a drift makes no step of its own.
      steps: [...problems, ...problems.toReversed()].map((one) => ({
        x: one[dimension] as number,
        what: `${dimension}=${one[dimension]}`,
        problem: one,
      })),
      conclude: (points) => saturationFindings(points, ceilings.computeUnits?.value),
    };
  });
  const points = leastPoints(study.points);
  const chart = saturationChart({ ...study, points });
  const picture = await writePicture(flags, io, `saturation-${recorded.session}`, chart);
  if (flags.json) {
    io.out(JSON.stringify({ ...study, ...recorded, picture }, null, 2));
    return;
  }
  const { plateauWorkgroups } = study.findings;
  io.out(
    gridText({
      columns: [
        { title: "batch", align: "right" },
        { title: "workgroups", align: "right" },
        { title: "time", align: "right" },
        { title: "per item", align: "right" },
        { title: "verified", align: "right" },
        { title: "", align: "left" },
      ],
      rows: points.map((point) => {
        const ns = leastNs(point);
        const under = plateauWorkgroups !== undefined && point.workgroups < plateauWorkgroups;
        return [
          String(point.x),
          String(point.workgroups),
          ns === undefined ? NOTHING : formatTime(ns / 1_000),
          ns === undefined ? NOTHING : formatTime(ns / point.items / 1_000),
          verifiedText(point),
          under ? "under-filled" : "",
        ];
      }),
    }),
  );
  io.out(`\n${saturationText(study.findings, declared === undefined ? "estimated" : "declared")}\n`);
  toldWhere(io, recorded, picture);
}

/** 1, 2, 3, 4, 6, 8, ... up to the most, which is always among them. */
export function batchSizes(most: number): readonly number[] {
  const sizes = Array.from({ length: 1 + Math.ceil(STEPS_PER_OCTAVE * Math.log2(most)) }, (_, step) =>
    Math.min(most, Math.round(2 ** (step / STEPS_PER_OCTAVE))),
  );
  return [...new Set([...sizes, most])];
}

/** How far two measurements of one batch lie apart at the median, as a fraction; 0 where none was measured twice. */
function scatterOf(points: readonly StudyPoint[]): number {
  const times = new Map<number, number[]>();
  for (const point of points)
    times.set(point.x, [...(times.get(point.x) ?? []), leastNs(point) ?? []].flat());
  const apart = [...times.values()]
    .filter(({ length }) => length > 1)
    .map((all) => Math.max(...all) / Math.min(...all) - 1)
    .sort((a, b) => a - b);
  return apart[Math.floor(apart.length / 2)] ?? 0;
}

/**
 * `tolerance`: 5%, or what the two measurements of a batch scatter by. `plateauWorkgroups` and `plateauNsPerItem` where a plateau was found, `beyond` larger batches that stay on it, `computeUnits`
 * where known, and `workgroupsPerUnit` to fill one.
 */
export function saturationFindings(
  points: readonly StudyPoint[],
  computeUnits: number | undefined,
): Readonly<Record<string, number>> {
  const tolerance = Math.max(PLATEAU_TOLERANCE, scatterOf(points));
  const sweep = leastPoints(points).flatMap((point) => {
    const ns = leastNs(point);
    return ns === undefined ? [] : [{ workgroups: point.workgroups, nsPerItem: ns / point.items }];
  });
  const plateau = findPlateau(sweep, tolerance);
  return {
    tolerance,
    ...(plateau
      ? { plateauWorkgroups: plateau.workgroups, plateauNsPerItem: plateau.nsPerItem, beyond: plateau.beyond }
      : {}),
    ...(computeUnits === undefined ? {} : { computeUnits }),
    ...(plateau && computeUnits ? { workgroupsPerUnit: plateau.workgroups / computeUnits } : {}),
  };
}

export function saturationText(
  findings: Readonly<Record<string, number>>,
  source: "declared" | "estimated",
): string {
  const { plateauWorkgroups, plateauNsPerItem, beyond, computeUnits, workgroupsPerUnit } = findings;
  const units = computeUnits === undefined ? "an unknown number of" : `${computeUnits} (${source})`;
  if (plateauWorkgroups === undefined || plateauNsPerItem === undefined) {
    return `No plateau: the time per item rises again for the largest batch. Compute units: ${units}.`;
  }
  const each = workgroupsPerUnit === undefined ? "" : `, ${workgroupsPerUnit.toFixed(1)} a unit`;
  const plateau = `${plateauWorkgroups} workgroups on ${units} compute units${each}`;
  return beyond === 0
    ? `Not filled yet: the time per item still fell at the largest batch, ${plateau}. Give a larger --problem.`
    : `Filled from ${plateau}: ${formatTime(plateauNsPerItem / 1_000)} an item (to within ${formatPercent(findings.tolerance)}). Smaller batches measure occupancy, not the kernel.`;
}
