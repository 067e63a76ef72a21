import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";

interface Chunk {
  readonly fileName: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly moduleIds: readonly string[];
}

/** What an application's bundler makes of an entry point: minified, what is loaded on demand in chunks of its own. */
async function bundle(entry: string): Promise<readonly Chunk[]> {
  const bundler = await rolldown({
    input: { entry: fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url)) },
    platform: "browser",
    resolve: { conditionNames: ["@tunelab/source", "import", "default"] },
    logLevel: "silent",
  });
  const { output } = await bundler.generate({ format: "es", minify: true });
  await bundler.close();
  return output as unknown as readonly Chunk[];
}

/** Bytes after gzip of the chunks with their static imports. */
function gzipped(chunks: readonly Chunk[], wanted: (chunk: Chunk) => boolean): number {
  const names = new Set(chunks.filter(wanted).map(({ fileName }) => fileName));
  for (let size = -1; size !== names.size; ) {
    size = names.size;
    for (const { fileName, imports } of chunks) {
      if (names.has(fileName)) for (const name of imports) names.add(name);
    }
  }
  return chunks
    .filter(({ fileName }) => names.has(fileName))
    .reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
}

const holds = (chunk: Chunk, part: string): boolean => chunk.moduleIds.some((id) => id.includes(part));
const isEntry = (chunk: Chunk): boolean => chunk.fileName.startsWith("entry");
const isTable = (chunk: Chunk): boolean =>
  holds(chunk, "generated/matched-filter/index") || holds(chunk, "nvidia-h200.tint-vulkan.portable");

/**
 * Budgets in bytes after gzip: the entry with one device's table (the documents promise 25 KB; 1.5 KB of it went to repeated steps, to refusing
 * bad arguments in one line and to more rows), and all that a page loads before its first result.
 */
const WITH_A_TABLE = 25_000;
const FIRST_RESULT = 41_400;

/** What a call of up to 8192 points without a threshold loads: hierarchical algorithms and four-step answer no such call, and stay away. */
const FLAT = ["/algorithms/fused/", "/algorithms/corr-reduce/"];

describe("what a page downloads", () => {
  let chunks: readonly Chunk[];
  beforeAll(async () => {
    chunks = await bundle("matched-filter");
  }, 60_000);

  it("the matched filter's entry with one device's table is at most 25 KB", () => {
    const bytes = gzipped(chunks, (chunk) => isEntry(chunk) || isTable(chunk));
    console.log(`matched-filter entry with one table: ${bytes} bytes after gzip`);
    expect(bytes).toBeLessThanOrEqual(WITH_A_TABLE);
  });

  it("with the generators of both flat algorithms' WGSL it stays within its own budget", () => {
    const all = (chunk: Chunk): boolean =>
      isEntry(chunk) || isTable(chunk) || FLAT.some((part) => holds(chunk, part));
    const bytes = gzipped(chunks, all);
    console.log(`all before the first result: ${bytes} bytes after gzip`);
    expect(bytes).toBeLessThan(FIRST_RESULT);
  });

  it("the entry alone brings neither algorithms nor tables, and every table is a chunk of its own", () => {
    const entry = chunks.find(isEntry)!;
    expect(holds(entry, "/algorithms/")).toBe(false);
    expect(holds(entry, "/generated/")).toBe(false);
    const tables = chunks.filter((chunk) =>
      /generated\/matched-filter\/(?!index)/.test(chunk.moduleIds.join()),
    );
    expect(tables.length).toBeGreaterThan(1);
    for (const { moduleIds } of tables) expect(moduleIds).toHaveLength(1);
  });
});
