import { problemKey } from "@tunelab/contract";
import type { Command } from "commander";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { differences, generatedShip, loadPublication, SHIP_OWNS, writeGenerated } from "../published.ts";

export function register(program: Command, io: Io): void {
  program
    .command("ship")
    .description("compile the published tables into packages/runtime")
    .option("--check", "write nothing; exit 1 when a shipped file or plan is not the one that was measured")
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", "\nExample: pnpm ship --check")
    .action(async (flags: { readonly check?: boolean; readonly json?: boolean }) => {
      const root = requireCheckout();
      const publication = await loadPublication(root);
      const { tables, stale } = publication;
      const files = await generatedShip(publication);
      const wrong = await differences(root, files, SHIP_OWNS);
      if (!flags.check) await writeGenerated(root, files, SHIP_OWNS);
      if (flags.json) {
        io.out(JSON.stringify({ files: [...files.keys()], differing: wrong.map(({ path }) => path), stale }));
      } else {
        for (const { path, why } of wrong) io.out(flags.check ? `differs: ${why}` : `written: ${path}`);
        for (const { table, problem, variant, expected, got } of stale) {
          io.out(
            `stale: ${table} ${problemKey(problem)} ${variant}: measured ${expected}, planned now: ${got}`,
          );
        }
        if (wrong.length === 0 && stale.length === 0) {
          const rows = tables.flatMap(({ entries }) => entries).flatMap((entry) => entry.rows).length;
          io.out(
            `${files.size} shipped files are up to date; all ${rows} measured plans are what the code plans now.`,
          );
        }
      }
      if (stale.length > 0)
        io.note("tunelab: measure the stale variants again and publish, or restore the kernel");
      if (stale.length > 0 || (flags.check && wrong.length > 0)) throw new ExitWith(EXIT.failed);
    });
}
