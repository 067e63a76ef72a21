import { diagnose, discoverDevices } from "@tunelab/devices";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";

export function register(program: Command, io: Io): void {
  program
    .command("check-gpu")
    .description("why this machine has no hardware device, and what to do; exit 0 when one works, else 1")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", "\nExample: pnpm lab check-gpu")
    .action((flags: { readonly json?: boolean }) => checkGpu(flags, io));
}

async function checkGpu(flags: { readonly json?: boolean }, io: Io): Promise<void> {
  const findings = await diagnose();
  // Without dawn.node there is nothing to discover with: the findings already say so.
  const targets = await discoverDevices().catch(() => []);
  const hardware = targets.filter(({ kind }) => kind === "hardware").map(({ id }) => id);
  const auto = targets[0]?.id;
  if (flags.json) {
    io.out(JSON.stringify({ hardware, auto: auto ?? null, findings }, null, 2));
  } else {
    io.out(hardware.length ? `Hardware works: ${hardware.join(", ")}` : "No hardware device works.");
    for (const { cause, evidence, fix } of findings) {
      io.out(`\nCause:    ${cause}\nEvidence: ${evidence}\nFix:      ${fix}`);
    }
    io.out(`\n--device auto takes ${auto ?? "nothing: there is no device at all"}`);
    if (auto) io.out(`Next: ${commandLine(`tune --device ${auto}`)}`);
  }
  if (hardware.length === 0) throw new ExitWith(EXIT.failed);
}
