import { join } from "node:path";

/** Where the schema of `tables/**.json` lies, from the checkout's root. */
export const TABLE_SCHEMA_PATH = "tables/table.schema.json";

/**
 * JSON Schema (draft 7) of a tuning table, made from the TypeScript type that the whole code is written against, its comments
 * as descriptions; so the type has one home. Takes about half a second.
 */
export async function tableSchemaText(root: string): Promise<string> {
  const { createGenerator } = await import("ts-json-schema-generator");
  const contract = join(root, "packages", "contract");
  const schema = createGenerator({
    path: join(contract, "src", "table.ts"),
    tsconfig: join(contract, "tsconfig.json"),
    type: "TuningTable",
    // Lint type-checks the same file; here it would only take time.
    skipTypeCheck: true,
    additionalProperties: false,
  }).createSchema("TuningTable");
  return `${JSON.stringify(schema, null, 2)}\n`;
}
