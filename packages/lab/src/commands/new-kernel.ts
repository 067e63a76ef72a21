import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Fault } from "@tunelab/contract";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { operationNames } from "../registry.ts";
import { writeWhole } from "../session.ts";

/** What a new kernel is a copy of: the example that the laboratory's own tests tune. */
const TEMPLATE = "examples/my-kernel";

export function register(program: Command, io: Io): void {
  program
    .command("new-kernel <name>")
    .description("start an operation of your own: one file that tunes as it is, with its test")
    .option("--out <dir>", "folder to make it in (default examples/<name>)")
    .option("--json", "print the files as JSON")
    .addHelpText("after", "\nExample: pnpm lab new-kernel prefix-sum")
    .action((name: string, flags: { out?: string; json?: boolean }) => newKernel(name, flags, io));
}

async function newKernel(name: string, flags: { out?: string; json?: boolean }, io: Io): Promise<void> {
  const root = requireCheckout();
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Fault("usage", `"${name}" is no kernel's name: write lowercase words joined by dashes`);
  if (operationNames().includes(name)) throw new Fault("usage", `there is a kernel ${name} already`);
  const folder = flags.out ?? join(root, "examples", name);
  if (existsSync(folder)) throw new Fault("usage", `${folder} exists already: choose another name or --out`);
  const template = join(root, TEMPLATE);
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries) {
    const path = relative(template, join(entry.parentPath, entry.name));
    if (!entry.isFile() || path.startsWith("node_modules")) continue;
    const text = await readFile(join(template, path), "utf8");
    const target = join(folder, renamed(path, name));
    await writeWhole(target, renamed(text, name));
    files.push(target);
  }
  if (flags.json) {
    io.out(JSON.stringify(files.sort(), null, 2));
    return;
  }
  for (const file of files.sort()) io.out(file);
  const module = relative(process.cwd(), join(folder, `${name}.ts`));
  io.out(`Next: pnpm install, then pnpm tune --kernel ./${module} --workload quick`);
}

/** What the template says of the transpose that it computes, and what a kernel that has yet to be written says instead. */
const STAND_IN: readonly (readonly [said: string, instead: string])[] = [
  [
    ": transposes a batch of n x n matrices of f32. Tune it with",
    `. It tunes as it is, but what it computes is a stand-in: element (i, j) of each n x n matrix goes to
 * (j, i). Put your own into \`text\` (what the GPU runs), \`operation\` (what is computed) and \`suite\` (how we know that it is right).`,
  ],
  ["transposes a batch of n x n matrices", "a stand-in: say in one line what it computes"],
  ["a batched transpose that the laboratory tunes", "the laboratory tunes it"],
  ["the oracle accepts the transpose and nothing else", "the oracle accepts what is right and nothing else"],
];

/** The template's file names and texts under the new name. */
function renamed(text: string, name: string): string {
  let own = text.replaceAll("my-kernel", name).replaceAll("batched-transpose", name);
  for (const [said, instead] of STAND_IN) own = own.replaceAll(said, instead);
  return own;
}
