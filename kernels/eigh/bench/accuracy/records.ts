import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "@tunelab/contract";

/** Where a form's errors lie, a file each, and the page that is made of them. */
export const FOLDER: string = fileURLToPath(new URL("../../../../reports/eigh/accuracy", import.meta.url));
export const PAGE: string = `${FOLDER}.md`;

/** The largest error over all kinds of matrices, in n eps, and the kind that has it. */
export interface Worst {
  readonly error: number;
  readonly kind: string;
}

/** One order by one form: a batch with a matrix of every kind. */
export interface Row {
  readonly n: number;
  /** Identity of the plan that ran: a row of another plan is measured again. */
  readonly plan: string;
  readonly matrices: number;
  /** Matrices without fault: converged, ascending, right to 1000 n eps; not finite ones reported. */
  readonly right: number;
  readonly residual: Worst;
  readonly orthogonality: Worst;
  readonly value: Worst;
  readonly sweeps: number;
  readonly faults?: readonly string[];
}

export interface FormRecord {
  readonly form: string;
  readonly device: string;
  readonly rows: readonly Row[];
}

const fileOf = (form: string): string => join(FOLDER, `${form}.json`);

export async function recordOf(form: string): Promise<FormRecord | undefined> {
  const text = await readFile(fileOf(form), "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseRecord(text, fileOf(form));
}

/** A record's text as data. @throws Fault `data` in one line that names the file. */
export function parseRecord(text: string, path: string): FormRecord {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // Told below, as what is JSON and no record is.
  }
  if (Array.isArray((data as Partial<FormRecord> | null | undefined)?.rows)) return data as FormRecord;
  throw new Fault("data", `${path} is no whole record: remove it, and its form is measured again`);
}

/** All records there are, by form. */
export async function records(): Promise<readonly FormRecord[]> {
  const names = await readdir(FOLDER).catch(() => []);
  const forms = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
  return await Promise.all(forms.sort().map(async (form) => (await recordOf(form))!));
}

/** Adds a row, in the place of the one of its order, rows in ascending order and one a line: what is there is lost by no interruption. */
export async function addRow(form: string, device: string, row: Row): Promise<void> {
  const others = ((await recordOf(form))?.rows ?? []).filter(({ n }) => n !== row.n);
  const rows = [...others, row].sort((a, b) => a.n - b.n);
  const head = JSON.stringify({ form, device }).slice(0, -1);
  const lines = rows.map((one) => `  ${JSON.stringify(one)}`).join(",\n");
  await writeWhole(fileOf(form), `${head},"rows":[\n${lines}\n]}\n`);
}

export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, text);
  await rename(aside, path);
}
