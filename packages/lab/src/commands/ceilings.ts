import type { Ceilings } from "@tunelab/contract";
import { gridText } from "@tunelab/report";
import type { Command } from "commander";
import { askDevice, type DeviceFlags } from "../bench.ts";
import { ceilingsGrid, readingsGrid } from "../ceilings-text.ts";
import type { Io } from "../io.ts";
import { parseCount } from "../options.ts";
import { type RecordFlags, recordEvents, toldWhere } from "../record.ts";
import { loadProbes } from "../registry.ts";
import { stepsProgress } from "../steps.ts";

interface Flags extends DeviceFlags, RecordFlags {
  readonly computeUnits?: string;
}

/** No device has more compute units than this. */
const MOST_UNITS = 4_096;

export function register(program: Command, io: Io): void {
  program
    .command("ceilings")
    .description(
      "measure what the device can do at most: arithmetic, memory, subgroups, dispatches, the clock",
    )
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--profile <name>", "portable or native", "portable")
    .option("--compute-units <n>", "declare the number of compute units instead of estimating it")
    .option("--out <dir>", "folder for the session (default .lab, or $TUNELAB_LAB_DIR)")
    .option("--journal <file>", "write a journal instead of a session file")
    .option("--json", "print the rates as JSON")
    .addHelpText("after", "\nExample: pnpm lab ceilings --profile native")
    .action((flags: Flags) => ceilings(flags, io));
}

async function ceilings(flags: Flags, io: Io): Promise<void> {
  const declared =
    flags.computeUnits === undefined
      ? undefined
      : parseCount(flags.computeUnits, "--compute-units", 1, MOST_UNITS);
  const { measured, recorded } = await askDevice(flags, io, async (bench) => {
    const names = (await loadProbes()).map(({ name }) => name);
    const steps = stepsProgress(io, names.length);
    // Each probe begins by compiling.
    bench.onPhase((phase) => phase === "compile" && steps.next(names.shift() ?? "compute units"));
    const found: Ceilings = {
      ...(await bench.ceilings().finally(() => steps.stop())),
      ...(declared === undefined ? {} : { computeUnits: { value: declared, source: "declared" } as const }),
    };
    const command = { operations: [], workload: "ceilings" };
    const events = [{ kind: "ceilings", ceilings: found }] as const;
    return { measured: found, recorded: await recordEvents(flags, io, bench.hello, command, events) };
  });
  if (flags.json) {
    io.out(JSON.stringify({ ...measured, ...recorded }, null, 2));
    return;
  }
  io.out(gridText(ceilingsGrid(measured)));
  io.out(`\n${gridText(readingsGrid(measured.readings ?? []))}\n`);
  toldWhere(io, recorded, undefined);
}
