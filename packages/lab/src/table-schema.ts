import { join } from "node:path";

/** Where the schemas of `tables/**.json` lie, from the checkout's root: of tuning tables, and of studies. */
export const TABLE_SCHEMA_PATH = "tables/table.schema.json";
export const STUDY_SCHEMA_PATH = "tables/study.schema.json";

/**
 * JSON Schema (draft 7) of a tuning table, made from the TypeScript type that the whole code is written against, its comments
 * as descriptions; so the type has one home. Takes about half a second.
 */
export const tableSchemaText = (root: string): Promise<string> => schemaText(root, "table.ts", "TuningTable");

/** The same of a published study. */
export const studySchemaText = (root: string): Promise<string> =>
  schemaText(root, "study-table.ts", "StudyResult");

async function schemaText(root: string, file: string, type: string): Promise<string> {
  const { createGenerator } = await import("ts-json-schema-generator");
  const contract = join(root, "packages", "contract");
  const schema = createGenerator({
    path: join(contract, "src", file),
    tsconfig: join(contract, "tsconfig.json"),
    type,
    // Lint type-checks the same file; here it would only take time.
    skipTypeCheck: true,
    additionalProperties: false,
  }).createSchema(type);
  return `${JSON.stringify(schema, null, 2)}\n`;
}
