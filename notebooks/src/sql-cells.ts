import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Notebook } from "@observablehq/notebook-kit";
import { getQueryCachePath } from "@observablehq/notebook-kit/databases";
import { asFault, Fault } from "@tunelab/contract";
import { queryIndex } from "@tunelab/store";

/** The name by which SQL cells call the evidence: `<script type="application/sql" database="evidence">`. */
export const DATABASE = "evidence";

/**
 * Answers the SQL cells of a notebook from the index of all evidence and lays the rows where Notebook Kit looks for them (its
 * own connector imports a name that node-api no longer has, and keeps results by the query's text, so that new evidence would
 * not show). Throws a usage Fault that names the notebook and says what is wrong with the query.
 */
export function sqlCells(
  store: string,
): (notebook: Notebook, context: { readonly filename: string }) => Promise<Notebook> {
  return async (notebook, { filename }) => {
    for (const { mode, database, value } of notebook.cells) {
      if (mode !== "sql" || database === undefined) continue;
      if (database !== DATABASE)
        throw new Fault(
          "usage",
          `${basename(filename)} asks the database "${database}": there is ${DATABASE}`,
        );
      const { columns, rows } = await queryIndex(store, value).catch((error: unknown) => {
        throw new Fault("usage", `${basename(filename)}: ${asFault(error, "usage").message}`);
      });
      const schema = columns.map(({ name, kind }) => ({ name, type: kind }));
      const path = await getQueryCachePath(filename, DATABASE, [value]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify({ rows, schema, duration: 0, date: new Date(0) }));
    }
    return notebook;
  };
}
