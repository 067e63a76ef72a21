import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { parsePort } from "../options.ts";
import { labDir, requireCheckout } from "../places.ts";

interface Flags {
  readonly out?: string;
  readonly lab?: string;
  readonly port: string;
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  const lab = ["--lab <dir>", "folder of sessions (default .lab, or $TUNELAB_LAB_DIR)"] as const;
  const notebook = program
    .command("notebook")
    .description("open the notebooks on the evidence: published sessions and your own")
    .option(...lab)
    .option("--port <n>", "port on the loopback interface", "5173")
    .addHelpText("after", "\nExample: pnpm notebook\n         pnpm notebook build --out site --json")
    .action((flags: Flags) => serve(flags, io));
  notebook
    .command("build")
    .description("build every notebook to static pages that need no network")
    .option("--out <dir>", "folder of the pages (default notebooks below the folder of sessions)")
    .option("--json", "print the folder as JSON")
    .addHelpText("after", "\nExample: pnpm notebook build --out site")
    .action((_flags: unknown, command: Command) => build(command.optsWithGlobals<Flags>(), io));
}

/** The index over every session of the lab and all published evidence, made anew. */
export async function freshIndex(folder: string, io: Io): Promise<string> {
  const root = requireCheckout();
  const { indexSessions } = await import("@tunelab/store");
  const { path, sessions, faults } = await indexSessions(folder, [join(root, "tables", "evidence")]);
  for (const { message } of faults) io.note(`A session is left out: ${message}`);
  io.note(`${sessions} sessions in ${path}`);
  return path;
}

/** Builds the notebooks into a folder; gives it. */
export async function buildInto(out: string, folder: string, io: Io): Promise<string> {
  const store = await freshIndex(folder, io);
  const { buildNotebooks } = await import("@tunelab/notebooks");
  io.note("Building the notebooks ...");
  await buildNotebooks({ store, out });
  return out;
}

async function build(flags: Flags, io: Io): Promise<void> {
  requireCheckout();
  const folder = labDir(flags.lab, io);
  const out = await buildInto(flags.out ? resolve(flags.out) : join(folder, "notebooks"), folder, io);
  io.out(
    flags.json
      ? JSON.stringify({ out })
      : `Built: ${out}\nNext:  pnpm lab report serve shows them beside the reports`,
  );
}

async function serve(flags: Flags, io: Io): Promise<void> {
  requireCheckout();
  const port = parsePort(flags.port);
  const store = await freshIndex(labDir(flags.lab, io), io);
  const { notebookNames, serveNotebooks } = await import("@tunelab/notebooks");
  const served = await serveNotebooks({ store, port });
  for (const name of await notebookNames()) io.out(`${served.url}${name}.html`);
  io.note("Ctrl-C ends it.");
  await untilAborted(io);
  await served.close();
}

/** Resolves when the user has had enough. */
export async function untilAborted({ signal }: Io): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
