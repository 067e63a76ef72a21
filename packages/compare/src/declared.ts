import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Declarations by name, each as a hash of its text without comments and spacing. */
export type Declarations = Readonly<Record<string, string>>;

const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|const|function\*?|class)\s+([A-Za-z_$][\w$]*)/;

/** The top-level declarations of one TypeScript source that is formatted as this repository's: each begins in column 0. */
export function declarationsOf(source: string): Declarations {
  const found: Record<string, string> = {};
  let name: string | undefined;
  let text: string[] = [];
  const close = (): void => {
    if (name !== undefined) found[name] = hashOf(text.join("\n"));
    name = undefined;
  };
  for (const line of withoutComments(source).split("\n")) {
    const begins = DECLARATION.exec(line);
    // Any other text in column 0 but a closing bracket ends the declaration before it.
    if (begins || /^[^\s})\]]/.test(line)) close();
    if (begins) {
      name = begins[1];
      text = [];
    }
    if (name !== undefined) text.push(line);
  }
  close();
  return found;
}

const withoutComments = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

const hashOf = (text: string): string =>
  createHash("sha256").update(text.replace(/\s+/g, " ").trim()).digest("hex").slice(0, 12);

/** The declarations of the contract in a source tree. */
export async function contractOf(root: string): Promise<Declarations> {
  const folder = join(root, "packages", "contract", "src");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
  const sources = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return Object.assign({}, ...sources.map(declarationsOf));
}

/** What differs between two contracts: `Plan and Step changed, Batch is new, Chunk is gone`; empty when nothing does. */
export function contractDifference(before: Declarations, after: Declarations): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter((name) => before[name] && after[name] && before[name] !== after[name]);
  const gone = names.filter((name) => before[name] && !after[name]);
  const fresh = names.filter((name) => !before[name] && after[name]);
  const part = (list: readonly string[], one: string, many: string): string[] =>
    list.length > 0 ? [`${listed(list)} ${list.length === 1 ? one : many}`] : [];
  return [
    ...part(changed, "changed", "changed"),
    ...part(fresh, "is new", "are new"),
    ...part(gone, "is gone", "are gone"),
  ].join(", ");
}

/** Names told in a message at most; the rest is counted. */
const NAMES_TOLD = 6;

function listed(names: readonly string[]): string {
  const told = names.slice(0, NAMES_TOLD);
  const more = names.length - told.length;
  if (more > 0) return `${told.join(", ")} and ${more} more`;
  return told.length < 2 ? told.join("") : `${told.slice(0, -1).join(", ")} and ${told.at(-1)}`;
}
