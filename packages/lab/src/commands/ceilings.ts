import type { Ceilings } from "@tunelab/contract";
import { formatRate, formatTime, gridText } from "@tunelab/report";
import type { Command } from "commander";
import { askDevice, type DeviceFlags } from "../bench.ts";
import type { Io } from "../io.ts";

export function register(program: Command, io: Io): void {
  program
    .command("ceilings")
    .description("measure what the device can do at most: arithmetic, copies, workgroup memory, dispatches")
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--json", "print the rates as JSON")
    .addHelpText("after", "\nExample: pnpm lab ceilings --profile native")
    .action((flags: DeviceFlags) => ceilings(flags, io));
}

async function ceilings(flags: DeviceFlags, io: Io): Promise<void> {
  const measured = await askDevice(flags, io, (bench) => bench.ceilings());
  if (flags.json) {
    io.out(JSON.stringify(measured, null, 2));
    return;
  }
  io.out(
    gridText({
      columns: [
        { title: "ceiling", align: "left" },
        { title: "measured", align: "right" },
      ],
      rows: ceilingRows(measured),
    }),
  );
}

/** A probe that failed prints as `--`: absent is not zero. */
export function ceilingRows(measured: Ceilings): readonly (readonly string[])[] {
  const overhead = measured.dispatchOverheadNs;
  return [
    ["independent multiply-adds", formatRate(measured.fmaFlopsPerSecond, "FLOP/s")],
    ["global copy, read and written", formatRate(measured.copyBytesPerSecond, "B/s")],
    ["workgroup memory", formatRate(measured.workgroupBytesPerSecond, "B/s")],
    ["one dispatch of many", formatTime(overhead === undefined ? undefined : overhead / 1_000)],
  ];
}
