import { describeDevices } from "@tunelab/devices";
import { formatBytes, formatTime, type Grid, gridText, NOTHING } from "@tunelab/report";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import type { Io } from "../io.ts";

type Described = Awaited<ReturnType<typeof describeDevices>>[number];

export function register(program: Command, io: Io): void {
  program
    .command("devices")
    .description("the devices of this machine, best first: what --device takes, and what each grants")
    .option("--json", "print everything, all limits and features, as JSON")
    .addHelpText("after", "\nExample: pnpm lab devices --json")
    .action((flags: { readonly json?: boolean }) => devices(flags, io));
}

async function devices(flags: { readonly json?: boolean }, io: Io): Promise<void> {
  const found = await describeDevices();
  if (flags.json) {
    io.out(JSON.stringify(found, null, 2));
    return;
  }
  if (found.length === 0) {
    io.out(`No WebGPU device.\nNext: ${commandLine("check-gpu")} names the cause`);
    return;
  }
  io.out(gridText(devicesGrid(found)));
  io.out(`\n* is what --device auto takes.\nNext: ${commandLine(`tune --device ${found[0]!.id}`)}`);
}

/** One line a device; times of the clock's step, memory in bytes a workgroup and a binding. */
export function devicesGrid(found: readonly Described[]): Grid {
  const text = (title: string) => ({ title, align: "left" }) as const;
  const number = (title: string) => ({ title, align: "right" }) as const;
  return {
    columns: [
      text("device"),
      text("kind"),
      text("implementation"),
      text("compiler"),
      text("backend"),
      text("adapter"),
      text("driver"),
      number("subgroup"),
      number("clock step"),
      number("workgroup memory"),
      number("invocations"),
      number("largest binding"),
    ],
    rows: found.map((one) => [
      `${one.id}${one.isDefault ? " *" : ""}`,
      `${one.kind}, ${one.origin}`,
      one.implementation,
      one.compiler,
      one.backend,
      one.adapter,
      one.driver,
      one.subgroup ? range(one.subgroup) : NOTHING,
      one.tickNs > 0 ? formatTime(one.tickNs / 1_000) : NOTHING,
      formatBytes(one.limits.maxComputeWorkgroupStorageSize),
      String(one.limits.maxComputeInvocationsPerWorkgroup),
      formatBytes(one.limits.maxStorageBufferBindingSize),
    ]),
  };
}

const range = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }): string =>
  minimum === maximum ? String(minimum) : `${minimum} to ${maximum}`;
