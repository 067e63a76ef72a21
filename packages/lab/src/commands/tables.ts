import type { Command } from "commander";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { differences, generatedTables, loadPublication, TABLES_OWN, writeGenerated } from "../published.ts";

export function register(program: Command, io: Io): void {
  program
    .command("tables")
    .description("rebuild published tables and reports from the committed evidence; needs no GPU")
    .option("--check", "write nothing; exit 1 and say where each file differs")
    .option("--json", "print the files as JSON")
    .addHelpText("after", "\nExample: pnpm tables --check")
    .action((flags: { readonly check?: boolean; readonly json?: boolean }) => tables(flags, io));
}

async function tables(flags: { readonly check?: boolean; readonly json?: boolean }, io: Io): Promise<void> {
  const root = requireCheckout();
  const publication = await loadPublication(root);
  const files = await generatedTables(root, publication);
  const wrong = await differences(root, files, TABLES_OWN);
  if (!flags.check) await writeGenerated(root, files, TABLES_OWN);
  const stale = staleCounts(publication.stale.map(({ table }) => table));
  if (flags.json) {
    const paths = wrong.map(({ path }) => path);
    io.out(
      JSON.stringify({ files: [...files.keys()], [flags.check ? "differing" : "written"]: paths, stale }),
    );
  } else if (wrong.length === 0) {
    io.out(`${files.size} files of tables and reports are what the evidence gives.`);
  } else {
    for (const { path, why } of wrong) io.out(flags.check ? `differs: ${why}` : `written: ${path}`);
  }
  for (const [table, rows] of Object.entries(stale)) {
    io.note(`tables/${table} is stale: ${rows} rows were measured with another plan or epoch; measure again`);
  }
  if (!flags.check || wrong.length === 0) return;
  io.note("tunelab: `pnpm tables` writes what the evidence gives; tables are never edited by hand");
  throw new ExitWith(EXIT.failed);
}

function staleCounts(tables: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = (counts[table] ?? 0) + 1;
  return counts;
}
