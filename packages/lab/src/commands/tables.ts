import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { differences, generatedTables, leftovers, publishedTables, writeGenerated } from "../published.ts";

export function register(program: Command, io: Io): void {
  program
    .command("tables")
    .description("rebuild published tables and reports from the committed evidence; needs no GPU")
    .option("--check", "write nothing; exit 1 and name the files that differ")
    .option("--json", "print the files as JSON")
    .addHelpText("after", "\nExample: pnpm tables --check")
    .action(async (flags: { readonly check?: boolean; readonly json?: boolean }) => {
      const root = requireCheckout();
      const files = await generatedTables(await publishedTables(root));
      const wrong = await differences(root, files, true);
      if (!flags.check) {
        await writeGenerated(root, files);
        for (const path of await leftovers(root, files)) await rm(join(root, path));
      }
      if (flags.json)
        io.out(JSON.stringify({ files: [...files.keys()], [flags.check ? "differing" : "written"]: wrong }));
      else if (wrong.length === 0)
        io.out(`${files.size} files of tables and reports are what the evidence gives.`);
      else for (const path of wrong) io.out(`${flags.check ? "differs" : "written"}: ${path}`);
      if (!flags.check || wrong.length === 0) return;
      io.note("tunelab: `pnpm tables` writes what the evidence gives; tables are never edited by hand");
      throw new ExitWith(EXIT.failed);
    });
}
