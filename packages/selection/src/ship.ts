import {
  canonicalJson,
  DEFAULT_CAPABILITIES,
  namedParameters,
  type Operation,
  type Problem,
  problemKey,
  type Resources,
  sha256,
  supports,
  type TableEntry,
  type TableRow,
  type TuningTable,
  tableFolder,
  wholeConfig,
} from "@tunelab/contract";
import { tablePath } from "./fold.ts";
import { type Member, portfolio } from "./portfolio.ts";
import type { RuleSet } from "./rule/shelf.ts";
import { compareText, PORTFOLIO_WITHIN } from "./rules.ts";
import { type TableContents, type TableHeader, tableChecksum } from "./shelf.ts";
import type { ShippedEntry, ShippedRow } from "./shipped.ts";
import { stableJson } from "./table-text.ts";

/** Folder of the shipped tables, from the repository's root. */
export const SHIPPED_FOLDER = "packages/runtime/src/generated";

/** Rows shipped for a problem beside those for other devices: the best and the runner-up. */
const ROWS_SHIPPED = 2;

/** Milliseconds in a ULID are its first ten characters in Crockford's base 32. */
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Day of a session by its id, UTC; the id itself when it is no ULID. */
export function sessionDay(id: string): string {
  if (!ULID.test(id)) return id;
  const time = [...id.slice(0, 10)].reduce((sum, digit) => sum * 32 + CROCKFORD.indexOf(digit), 0);
  return new Date(time).toISOString().slice(0, 10);
}

async function resourcesOf(
  operation: Operation,
  row: TableRow,
  problem: Problem,
): Promise<Resources | undefined> {
  const algorithm = await operation.algorithms[row.algorithm]?.();
  return algorithm?.resources(problem, wholeConfig(algorithm.space(problem), row.config));
}

async function fitsDefaults(operation: Operation, row: TableRow, problem: Problem): Promise<boolean> {
  const resources = await resourcesOf(operation, row, problem);
  return !!resources && supports(resources, DEFAULT_CAPABILITIES).supported;
}

/** Whether other devices may borrow the row: its accuracy does not lean on the measured device's own builtins. */
async function travels(operation: Operation, row: TableRow, problem: Problem): Promise<boolean> {
  const resources = await resourcesOf(operation, row, problem);
  return !!resources && !resources.looseBuiltins?.length;
}

/** The row as it ships, without the parameters whose value its id implies: `wholeConfig` gives them back. */
async function shipRow(operation: Operation, row: TableRow, problem: Problem): Promise<ShippedRow> {
  const { rank, variant, algorithm, minUs, tie, maxError } = row;
  const found = await operation.algorithms[algorithm]?.();
  const named = found && namedParameters(found.space(problem), row.config).map(({ name }) => name);
  const names = (named ?? Object.keys(row.config)).filter((name) => Object.hasOwn(row.config, name));
  const config = Object.fromEntries(names.map((name) => [name, row.config[name]!]));
  return { rank, variant, algorithm, config, minUs, tie, maxError };
}

async function shipEntry(operation: Operation, entry: TableEntry): Promise<ShippedEntry> {
  const rows = new Set(entry.rows.slice(0, ROWS_SHIPPED));
  for (const wanted of [fitsDefaults, travels]) {
    for (const row of entry.rows) {
      if (!(await wanted(operation, row, entry.problem))) continue;
      rows.add(row);
      break;
    }
  }
  const ranked = [...rows].sort((a, b) => a.rank - b.rank);
  const { problem, agedOn } = entry;
  return {
    ...{ problem, ...(agedOn === undefined ? {} : { agedOn }) },
    rows: await Promise.all(ranked.map((row) => shipRow(operation, row, problem))),
  };
}

/**
 * Modules of the shipped tables, by path from the repository's root: for each operation an index (what choosing needs, also where
 * there is no table yet) and a module a table, loaded when its turn comes. A table keeps the few candidates of a problem that the
 * library may run: best, runner-up, the best at WebGPU's default limits, and the best that another device may borrow; of a row what
 * choosing reads: samples, spread, shares of ceilings, trials and sessions stay in the published table, for a page would download them.
 * Operations in `ruled` get a module of the rules that their studies gave, also where nothing was measured yet. The same tables give
 * the same text.
 */
export async function renderShipped(
  tables: readonly TuningTable[],
  operations: readonly Operation[],
  ruled: ReadonlyMap<string, readonly RuleSet[]> = new Map(),
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const operation of operations) {
    const folder = `${SHIPPED_FOLDER}/${operation.name}`;
    const own = tables
      .filter((table) => table.operation === operation.name)
      .sort((a, b) => compareText(tablePath(a), tablePath(b)));
    const shelves: string[] = [];
    const checksums: string[] = [];
    for (const table of own) {
      const { operation: name, profile, device, ceilings: _, sessions: __, ...rest } = table;
      const entries = await Promise.all(table.entries.map((entry) => shipEntry(operation, entry)));
      const header: TableHeader = { operation: name, profile, device };
      const contents: TableContents = { ...rest, entries };
      const file = `${tableFolder(device.identity, profile).replace("/", ".")}.ts`;
      files.set(`${folder}/${file}`, tableModule(table, contents));
      const checksum = await tableChecksum(header, contents);
      checksums.push(checksum);
      shelves.push(
        `  shelve(${stableJson(header, "  ")}, "${checksum}", async () => (await import("./${file}")).contents),`,
      );
    }
    files.set(`${folder}/index.ts`, indexModule(shelves));
    files.set(`${folder}/portfolio.ts`, await portfolioModule(own, checksums));
    const sets = ruled.get(operation.name);
    if (sets) files.set(`${folder}/rules.ts`, rulesModule(sets));
  }
  return files;
}

/** Each problem of each table is a member; what a table did not keep is taken not to run there. */
const membersOf = (tables: readonly TuningTable[]): readonly Member[] =>
  tables.flatMap((table) =>
    table.entries.map(({ problem, rows }) => ({
      name: `${tablePath(table)} ${problemKey(problem)}`,
      times: new Map(rows.map(({ variant, minUs }) => [variant, minUs])),
    })),
  );

async function portfolioModule(
  tables: readonly TuningTable[],
  checksums: readonly string[],
): Promise<string> {
  const members = membersOf(tables);
  const { variants, worst } = portfolio(members, PORTFOLIO_WITHIN);
  const version = (await sha256(canonicalJson({ checksums, variants }))).slice(0, VERSION_DIGITS);
  return [
    GENERATED,
    `// The fewest variants within ${100 * PORTFOLIO_WITHIN}% of the best on all ${members.length} measured problems; worst ${worst.toFixed(3)}.`,
    `export const variants: readonly string[] = ${stableJson(variants)};`,
    "",
    "/** Changes with any shipped table. */",
    `export const version = "${version}";`,
    "",
  ].join("\n");
}

/** Hex digits of the tables' version: a cache keyed by it confuses two once in 10^19. */
const VERSION_DIGITS = 16;

const GENERATED = "// Generated by `pnpm ship` from the published tables; do not edit.";

function tableModule(table: TuningTable, contents: TableContents): string {
  const day = sessionDay(table.sessions.at(-1) ?? "never");
  return [
    GENERATED,
    `// ${tablePath(table)}: ${table.sessions.length} sessions, newest ${day}, commit ${table.commit || "unknown"}`,
    'import type { TableContents } from "@tunelab/selection";',
    "",
    `export const contents: TableContents = ${stableJson(contents)};`,
    "",
  ].join("\n");
}

function rulesModule(sets: readonly RuleSet[]): string {
  return [
    GENERATED,
    'import type { RuleSet } from "@tunelab/selection";',
    "",
    `export const rules: readonly RuleSet[] = ${stableJson(sets)};`,
    "",
  ].join("\n");
}

function indexModule(shelves: readonly string[]): string {
  const list = shelves.length > 0 ? `[\n${shelves.join("\n")}\n]` : "[]";
  return [
    GENERATED,
    `import { ${shelves.length > 0 ? "shelve, " : ""}type ShelvedTable } from "@tunelab/selection";`,
    "",
    `export const tables: readonly ShelvedTable[] = ${list};`,
    "",
  ].join("\n");
}
