import { type Plan, planHash, problemKey, supports } from "@tunelab/contract";
import { formatId } from "@tunelab/variants";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { type KernelFlags, subjectFor, variantOf } from "../subject.ts";

interface Flags extends KernelFlags {
  readonly variant?: string;
}

export function register(program: Command, io: Io): void {
  program
    .command("wgsl <kernel>")
    .description("print the exact text of a variant, the default one unless told")
    .option(
      "--variant <id>",
      "canonical id, e.g. fused/radix=16,workgroup=256; what is left out is as in the default",
    )
    .option("--problem <dims>", "e.g. n=1024 (default: the first of the quick workload)")
    .option("--device <id>", "plan for this device (default: WebGPU's default limits, no device is touched)")
    .option("--json", "print the whole plan, steps and buffers included, as JSON")
    .addHelpText("after", "\nExample: pnpm lab wgsl matched-filter --problem n=4096 --variant fused/radix=16")
    .action((kernel: string, flags: Flags) => wgsl(kernel, flags, io));
}

async function wgsl(kernel: string, flags: Flags, io: Io): Promise<void> {
  const subject = await subjectFor(kernel, flags);
  const { problem, capabilities, limitsOf } = subject;
  const { algorithm, config } = variantOf(subject, flags.variant);
  const variant = formatId(algorithm.name, algorithm.space(problem), config);
  const support = supports(algorithm.resources(problem, config), capabilities);
  if (!support.supported) io.note(`Does not fit ${limitsOf}: ${support.reason}`);
  const plan = algorithm.plan(problem, config, capabilities);
  const hash = await planHash(plan);
  if (flags.json) {
    io.out(
      JSON.stringify(
        { variant, problem, hash, supported: support.supported, plan: printable(plan) },
        null,
        2,
      ),
    );
    return;
  }
  io.out(`// ${kernel} ${variant}\n// ${problemKey(problem)}, plan ${hash}`);
  for (const { name, wgsl } of plan.modules) io.out(`\n// module ${name}\n${wgsl.trimEnd()}`);
}

/** Contents of constants as their length: a twiddle table of 64 KiB helps nobody on a page. */
function printable(plan: Plan): unknown {
  const buffers = plan.buffers.map(({ data, ...rest }) => (data ? { ...rest, words: data.length } : rest));
  return { ...plan, buffers };
}
