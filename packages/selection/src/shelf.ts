import { canonicalJson, Fault, sha256, TABLE_SCHEMA } from "@tunelab/contract";
import { tablePath } from "./fold.ts";
import type { ShelvedTable } from "./rank-tables.ts";
import type { ShippedTable } from "./shipped.ts";

/** What choosing needs of a shipped table before it is loaded. */
export type TableHeader = Pick<ShippedTable, "operation" | "profile" | "device">;

/** The rest of it, a module of its own. */
export type TableContents = Omit<ShippedTable, keyof TableHeader>;

/** Hex digits of a table's checksum: a damaged file passes once in 10^19. */
const CHECKSUM_DIGITS = 16;

/** SHA-256 of the whole table as canonical JSON, shortened. */
export async function tableChecksum(header: TableHeader, contents: TableContents): Promise<string> {
  return (await sha256(canonicalJson({ ...contents, ...header }))).slice(0, CHECKSUM_DIGITS);
}

/**
 * A shipped table that is loaded when its turn comes, once. `load` rejects with `Fault` data when the module is missing, cut
 * short, changed, or of a newer schema.
 */
export function shelve(
  header: TableHeader,
  checksum: string,
  contents: () => Promise<TableContents>,
): ShelvedTable {
  let loaded: Promise<ShippedTable> | undefined;
  const open = async (): Promise<ShippedTable> => {
    const name = `the shipped table ${tablePath(header)}`;
    const found = await contents();
    const got = await tableChecksum(header, found);
    if (got !== checksum) {
      throw new Fault(
        "data",
        `${name} was changed or cut short (checksum ${got}, shipped with ${checksum}): install the package again`,
        { checksum, got },
      );
    }
    const table = { ...found, ...header };
    // The checksum answers for the shape; only a table of another schema needs the words of a refusal.
    if (table.schema === TABLE_SCHEMA) return table;
    return (await import("./table-text.ts")).checkTable(table, name);
  };
  return {
    ...header,
    load: () => {
      loaded ??= open();
      return loaded;
    },
  };
}
