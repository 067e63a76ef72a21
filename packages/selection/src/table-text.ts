import { Fault, TABLE_SCHEMA, type TuningTable } from "@tunelab/contract";
import { compareText } from "./rules.ts";

/** Reading order of a table's keys; others (configurations, limits) follow in code-unit order. */
const KEY_ORDER: readonly string[] = [
  ...["schema", "operation", "deviceSlug", "profile", "noisy", "epoch", "protocol", "contract", "commit"],
  ...["sessions", "device", "ceilings", "entries"],
  ...["problem", "defaultUs", "medianUs", "measured", "failed", "agedOn", "rows"],
  ...["rank", "variant", "minUs", "tie", "isDefault", "status", "grade", "cv", "samples"],
  ...[
    "fractionOfFma",
    "fractionOfCopy",
    "fractionOfWorkgroup",
    "matched",
    "total",
    "maxError",
    "workgroupBytes",
    "invocations",
  ],
  ...["algorithm", "config", "planHash", "trial"],
];

/** Widest object or list that stays on one line; rows always do, so that a diff shows one line a row. */
const LINE_WIDTH = 100;

function byKey(a: string, b: string): number {
  const [left, right] = [KEY_ORDER.indexOf(a), KEY_ORDER.indexOf(b)];
  if (left >= 0 && right >= 0) return left - right;
  return left >= 0 ? -1 : right >= 0 ? 1 : compareText(a, b);
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => byKey(a, b))
    .map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`);
  return parts.length > 0 ? `{ ${parts.join(", ")} }` : "{}";
}

/** JSON with a fixed key order, short values on one line, list elements under `rows` always on one. */
export function stableJson(value: unknown, indent = "", oneLine = false): string {
  const flat = inline(value);
  const holdsTable = indent === "" && !Array.isArray(value);
  if (oneLine || value === null || typeof value !== "object") return flat;
  if (!holdsTable && flat.length + indent.length <= LINE_WIDTH) return flat;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((part) => deeper + stableJson(part, deeper)).join(",\n")}\n${indent}]`;
  }
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => byKey(a, b))
    .map(([key, part]: [string, unknown]) => {
      const rows = key === "rows" && Array.isArray(part) && part.length > 0;
      const text = rows
        ? `[\n${part.map((row) => `${deeper}  ${stableJson(row, deeper, true)}`).join(",\n")}\n${deeper}]`
        : stableJson(part, deeper);
      return `${deeper}${JSON.stringify(key)}: ${text}`;
    });
  return `{\n${parts.join(",\n")}\n${indent}}`;
}

/** The table's file: the same table gives the same bytes. Ends in a newline. */
export function serialiseTable(table: TuningTable): string {
  return `${stableJson(table)}\n`;
}

type Shape = "number" | "string" | "boolean" | "object" | "list" | { readonly listOf: Shapes };
type Shapes = Readonly<Record<string, Shape>>;

const ROW: Shapes = {
  ...{ rank: "number", variant: "string", algorithm: "string", config: "object", planHash: "string" },
  ...{ status: "string", grade: "string", minUs: "number", medianUs: "number", cv: "number" },
  ...{ samples: "number", isDefault: "boolean", tie: "boolean", matched: "number", total: "number" },
  ...{ maxError: "number", workgroupBytes: "number", invocations: "number", trial: "string" },
};

const ENTRY: Shapes = { problem: "object", measured: "number", failed: "number", rows: { listOf: ROW } };

const TABLE: Shapes = {
  ...{ schema: "number", operation: "string", epoch: "number", protocol: "number", contract: "number" },
  ...{ device: "object", deviceSlug: "string", profile: "string", noisy: "boolean", ceilings: "object" },
  ...{ sessions: "list", commit: "string", entries: { listOf: ENTRY } },
};

const DEVICE: Shapes = { identity: "object", capabilities: "object" };

/** The first place where a value is not of the shape, in words; undefined when it is. */
function mismatch(value: unknown, shapes: Shapes, at: string): string | undefined {
  if (!isObject(value)) return `${at || "it"} is not an object`;
  for (const [key, shape] of Object.entries(shapes)) {
    const part = value[key];
    const name = at ? `${at}.${key}` : key;
    if (shape === "object" ? !isObject(part) : shape === "list" ? !Array.isArray(part) : false) {
      return `${name} is missing or not ${shape === "list" ? "a list" : "an object"}`;
    }
    if (typeof shape === "object") {
      if (!Array.isArray(part)) return `${name} is missing or not a list`;
      for (const [index, element] of part.entries()) {
        const found = mismatch(element, shape.listOf, `${name}[${index}]`);
        if (found) return found;
      }
    } else if (shape !== "object" && shape !== "list" && typeof part !== shape) {
      return `${name} is missing or not a ${shape}`;
    }
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads a table's text. `name` (a path) goes into the message. Throws `Fault` data when the text is no JSON, no table,
 * or of a newer schema than this code reads.
 */
export function parseTable(text: string, name = "the table"): TuningTable {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault("data", `${name} is not JSON (${why}): restore it, or rebuild it with \`pnpm tables\``);
  }
  return checkTable(value, name);
}

/** The value as a table. Throws `Fault` data when it is none, or of a newer schema than this code reads. */
export function checkTable(value: unknown, name = "the table"): TuningTable {
  if (isObject(value) && typeof value.schema === "number" && value.schema > TABLE_SCHEMA) {
    throw new Fault(
      "data",
      `${name} was written by a newer tunelab (schema ${value.schema}, this one reads ${TABLE_SCHEMA}): update tunelab`,
    );
  }
  const found =
    mismatch(value, TABLE, "") ?? mismatch((value as { device: unknown }).device, DEVICE, "device");
  if (found) throw new Fault("data", `${name} is not a tuning table: ${found}`);
  return value as TuningTable;
}
