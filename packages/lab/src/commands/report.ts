import { join } from "node:path";
import type { Command } from "commander";
import type { Io } from "../io.ts";
import { parsePort } from "../options.ts";
import { labDir, requireCheckout } from "../places.ts";
import { buildInto, untilAborted } from "./notebook.ts";

interface Flags {
  readonly lab?: string;
  readonly port: string;
  readonly notebooks: boolean;
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  program
    .command("report")
    .description("read reports, experiments, tables and notebooks in a browser")
    .addHelpText("after", "\nExample: pnpm lab report serve --port 8080 --json")
    .command("serve")
    .description("one small site on the loopback interface, with an index")
    .option("--port <n>", "port; 0 takes a free one", "5174")
    .option("--no-notebooks", "leave the notebooks out: they take seconds to build")
    .option("--lab <dir>", "folder of sessions (default .lab, or $TUNELAB_LAB_DIR)")
    .option("--json", "print the address as JSON")
    .addHelpText("after", "\nExample: pnpm lab report serve --port 8080")
    .action((flags: Flags) => serve(flags, io));
}

async function serve(flags: Flags, io: Io): Promise<void> {
  const root = requireCheckout();
  const port = parsePort(flags.port);
  const folder = labDir(flags.lab, io);
  const notebooks = flags.notebooks ? await buildInto(join(folder, "notebooks"), folder, io) : undefined;
  const { serveSite } = await import("../site/server.ts");
  const served = await serveSite({ root, ...(notebooks ? { notebooks } : {}) }, port);
  io.out(flags.json ? JSON.stringify({ url: served.url }) : served.url);
  io.note("Ctrl-C ends it.");
  await untilAborted(io);
  await served.close();
}
