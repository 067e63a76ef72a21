import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault, problemKey } from "@tunelab/contract";
import { isAvoidable, type PlacedClamp } from "@tunelab/variants/spirv";
import type { Figures } from "./inspect.ts";
import type { Row } from "./rows.ts";
import type { Subject } from "./texts.ts";

/** Clamps of one array that are alike. */
export interface Stay {
  readonly array: string;
  readonly space: PlacedClamp["space"];
  readonly kind: "avoidable" | "data" | "runtime";
  readonly count: number;
  /** The first line they stand at. */
  readonly line?: string;
}

export interface DataRow extends Subject {
  readonly stage: string;
  readonly stoodIn: boolean;
  readonly portable: Figures;
  readonly native: Figures;
  readonly unnamed: number;
  readonly stays: readonly Stay[];
}

/** What is committed: figures that any machine makes again, for nothing in them is a time. */
export interface SpirvData {
  readonly device: string;
  readonly implementation: string;
  readonly sample: { readonly count: number; readonly seed: number };
  readonly rows: readonly DataRow[];
}

/** Where the page and its figures lie, from the checkout's root. */
export const DATA: string = "reports/compiler/portable-over-native.json";
export const PAGE: string = "reports/compiler/portable-over-native.md";

export function dataRow({ clamps, ...row }: Row): DataRow {
  const stays = new Map<string, Stay>();
  for (const clamp of clamps) {
    const kind = clamp.bound === "runtime" ? "runtime" : isAvoidable(clamp) ? "avoidable" : "data";
    const key = `${clamp.space} ${clamp.array} ${kind}`;
    const known = stays.get(key);
    const line = known ? known.line : clamp.line?.text;
    const { array, space } = clamp;
    stays.set(key, { array, space, kind, count: (known?.count ?? 0) + 1, ...(line ? { line } : {}) });
  }
  return { ...row, stays: [...stays.values()] };
}

/** What tells one row from another. */
export const rowKey = ({ kernel, problem, variant, stage }: Subject & { readonly stage: string }): string =>
  `${kernel} ${problemKey(problem)} ${variant} ${stage}`;

/** Whether a row is there by chance alone. */
export const isSampled = ({ sources }: Subject): boolean => sources.every((source) => source === "sample");

/** Kernels of which something ships. */
export const shippingKernels = (rows: readonly Subject[]): ReadonlySet<string> =>
  new Set(rows.filter((row) => !isSampled(row)).map(({ kernel }) => kernel));

/** One line a row: a change shows as the rows it touches. */
export function dataText({ rows, ...head }: SpirvData): string {
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n");
  return `${JSON.stringify(head).slice(0, -1)},"rows":[\n${lines}\n]}\n`;
}

/** The committed figures. @throws Fault `data` when they are missing or none. */
export async function readData(root: string): Promise<SpirvData> {
  const next = "`pnpm lab spirv --report` makes it";
  const text = await readFile(join(root, DATA), "utf8").catch(() => {
    throw new Fault("data", `${DATA} is missing: ${next}`);
  });
  try {
    const data = JSON.parse(text) as Partial<SpirvData>;
    if (Array.isArray(data.rows) && data.sample) return data as SpirvData;
  } catch {
    // Told below: the cause is the file either way.
  }
  throw new Fault("data", `${DATA} holds no figures of texts: ${next} again`);
}
