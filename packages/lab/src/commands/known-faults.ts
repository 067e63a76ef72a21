import { capabilitiesOf, Executor } from "@tunelab/executor";
import { vendorOf } from "@tunelab/selection";
import { KNOWN_FAULTS, type KnownFault } from "@tunelab/selection/known-faults";
import { REPRODUCERS, type Reproducer } from "@tunelab/selection/reproducers";
import type { Command } from "commander";
import { inDeviceProcess, type Opened, type ProcessFlags, withDeviceProcess } from "../device-process.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";

interface Flags extends ProcessFlags {
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  withDeviceProcess(program.command("known-faults"))
    .description("run the kernel that shows each known device fault, on this device; exit 1 when one shows")
    .option("--json", "print the outcomes as JSON")
    .addHelpText("after", "\nExample: pnpm lab known-faults --device swiftshader")
    .action((flags: Flags) => inDeviceProcess("known-faults", flags, io, (opened) => run(flags, opened, io)));
}

/** What a fault's reproducer said of the device. */
interface Outcome {
  readonly fault: string;
  /** Whether the ledger holds the fault against this device's vendor. */
  readonly expected: boolean;
  readonly shows: boolean;
  readonly detail: string;
  readonly source: string;
}

async function run(flags: Flags, { device, info }: Opened, io: Io): Promise<void> {
  const capabilities = capabilitiesOf(device, info);
  const executor = new Executor(device, capabilities, { clock: performance });
  const outcomes: Outcome[] = [];
  for (const fault of KNOWN_FAULTS) {
    const reproducer = REPRODUCERS.find((each) => each.fault === fault.id)!;
    const detail = await tried(executor, reproducer);
    const { id, source } = fault;
    const shows = detail !== undefined && !detail.startsWith(NOT_RUN);
    outcomes.push({
      ...{ fault: id, expected: isOf(fault, info), shows },
      ...{ detail: detail ?? "right", source },
    });
  }
  executor.dispose();
  if (flags.json) io.out(JSON.stringify(outcomes));
  else for (const outcome of outcomes) io.out(lineOf(outcome));
  if (outcomes.some(({ shows }) => shows)) throw new ExitWith(EXIT.failed);
}

/** A device's vendor alone decides here: which compiler stands behind is what the reproducer finds out. */
const isOf = ({ vendor }: KnownFault, { vendor: said }: GPUAdapterInfo): boolean =>
  vendorOf({ vendor: said } as Parameters<typeof vendorOf>[0]) === vendor;

const NOT_RUN = "not run";

/** What is wrong with the reproducer's words; undefined when nothing is. */
async function tried(executor: Executor, { features, plan, wrong }: Reproducer): Promise<string | undefined> {
  const { capabilities } = executor;
  const missing = features.find((feature) => !capabilities.features.includes(feature));
  if (missing) return `${NOT_RUN}: the device has no ${missing}`;
  const instance = await (await executor.prepare(plan(capabilities))).bind({});
  try {
    await instance.run();
    const { words } = await instance.read(["words"]);
    return wrong(words as Uint32Array, capabilities);
  } finally {
    instance.dispose();
  }
}

function lineOf({ fault, expected, shows, detail, source }: Outcome): string {
  const held = expected ? "held against this vendor" : "not held against this vendor";
  const verdict = shows ? `SHOWS: ${detail}` : detail;
  return `${fault.padEnd(38)} ${verdict} (${held}; ${source})`;
}
