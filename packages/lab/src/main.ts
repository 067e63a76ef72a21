import { Command, CommanderError } from "commander";
import { VERSION } from "./build.ts";
import { register as ab } from "./commands/ab.ts";
import { register as borrowing } from "./commands/borrowing.ts";
import { register as ceilings } from "./commands/ceilings.ts";
import { register as checkGpu } from "./commands/check-gpu.ts";
import { register as collapse } from "./commands/collapse.ts";
import { register as compare } from "./commands/compare.ts";
import { register as comparisons } from "./commands/comparisons.ts";
import { register as devices } from "./commands/devices.ts";
import { register as errorRates } from "./commands/error-rates.ts";
import { register as experiment } from "./commands/experiment.ts";
import { register as knownChanges } from "./commands/known-changes.ts";
import { register as knownFaults } from "./commands/known-faults.ts";
import { register as library } from "./commands/library.ts";
import { register as newKernel } from "./commands/new-kernel.ts";
import { register as noise } from "./commands/noise.ts";
import { register as notebook } from "./commands/notebook.ts";
import { register as pack } from "./commands/pack.ts";
import { register as padding } from "./commands/padding.ts";
import { register as regret } from "./commands/regret.ts";
import { register as replay } from "./commands/replay.ts";
import { register as report } from "./commands/report.ts";
import { register as results } from "./commands/results.ts";
import { register as saturation } from "./commands/saturation.ts";
import { register as ship } from "./commands/ship.ts";
import { register as space } from "./commands/space.ts";
import { register as spirv } from "./commands/spirv.ts";
import { register as tables } from "./commands/tables.ts";
import { register as toggles } from "./commands/toggles.ts";
import { register as tune } from "./commands/tune.ts";
import { register as wgsl } from "./commands/wgsl.ts";
import { EXIT, type Io, reportFailure } from "./io.ts";

/** The whole command line. Each command module adds itself. */
export function programFor(io: Io): Command {
  const program = new Command("tunelab")
    .description("Benchmark-and-autotuning laboratory for WebGPU compute kernels")
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError("(--help shows how)")
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    });
  const inspecting = [
    devices,
    checkGpu,
    knownFaults,
    noise,
    ceilings,
    wgsl,
    spirv,
    space,
    newKernel,
    replay,
    regret,
    borrowing,
    library,
    errorRates,
    knownChanges,
  ];
  const studies = [collapse, padding, saturation, toggles];
  const publishing = [tables, ship, results, experiment, report, notebook];
  const comparing = [compare, ab, comparisons];
  for (const register of [tune, ...comparing, ...publishing, ...inspecting, ...studies, pack])
    register(program, io);
  return program;
}

/** Runs one command line; resolves to the exit code and never rejects. */
export async function main(words: readonly string[], io: Io): Promise<number> {
  try {
    const program = programFor(io);
    for (const command of program.commands) inherit(command);
    await program.parseAsync([...words], { from: "user" });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportFailure(error, io, process.env.TUNELAB_DEBUG === "1");
  }
}

/** Subcommands throw and print as the program does. */
function inherit(command: Command): void {
  command.copyInheritedSettings(command.parent!);
  for (const inner of command.commands) inherit(inner);
}
