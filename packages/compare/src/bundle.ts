import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault, firstLine } from "@tunelab/contract";
import type { Plugin } from "esbuild";
import { findInstalled, packageOf } from "./installed.ts";
import type { SourcePackage } from "./packages.ts";

/** Raised when what a bundle exports changes: cached ones of another format are made again. */
export const BUNDLE_FORMAT = 4;

/** Where the library's shipped tables lie in a tree. */
const SHIPPED = "packages/runtime/src/generated";

/** One operation's code as one module that imports nothing, or why there is none. */
export type Bundled =
  | { readonly package: string; readonly text: string; readonly sha256: string }
  | { readonly package: string; readonly fault: string };

/** A source tree and the checkouts whose installed packages may stand in for those that it declares. */
export interface Tree {
  readonly root: string;
  readonly packages: ReadonlyMap<string, SourcePackage>;
  readonly installed: readonly string[];
}

/**
 * Bundles each operation of a tree by itself, so that one that does not compile stops no other: its suite, the tree's own
 * contract, selection, executor and shipped tables, resolved inside the tree by its manifests. Nothing is installed: what a
 * suite takes from outside the workspace is looked for among the laboratory's own packages (see `findInstalled`).
 */
export async function bundleOperations(tree: Tree): Promise<readonly Bundled[]> {
  const operations = [...tree.packages.values()].filter(({ isOperation }) => isOperation);
  return Promise.all(operations.map((operation) => bundleOne(tree, operation)));
}

async function bundleOne(tree: Tree, operation: SourcePackage): Promise<Bundled> {
  const { root, packages } = tree;
  const { build } = await import("esbuild");
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: await entryText(root, packages, operation),
        resolveDir: root,
        loader: "ts",
        sourcefile: "side.ts",
      },
      absWorkingDir: root,
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      target: "node20",
      // The tree's own tsconfig is not asked: it may extend what is not there.
      tsconfigRaw: "{}",
      // Of libraries' two forms the one with imports, which a bundle can shake.
      mainFields: ["module", "main"],
      plugins: [insideTree(tree)],
      logLevel: "silent",
    });
    const { text } = outputFiles[0]!;
    return { package: operation.name, text, sha256: createHash("sha256").update(text).digest("hex") };
  } catch (error) {
    return { package: operation.name, fault: buildFault(error) };
  }
}

/** The first error of the bundler with its file and line, relative to the tree. */
function buildFault(error: unknown): string {
  const [first] =
    (error as { errors?: { text: string; location?: { file: string; line: number } }[] }).errors ?? [];
  if (!first) return firstLine(error instanceof Error ? error.message : String(error));
  const where = first.location ? `${first.location.file}:${first.location.line}: ` : "";
  return `${where}${first.text}`;
}

async function entryText(
  root: string,
  packages: ReadonlyMap<string, SourcePackage>,
  operation: SourcePackage,
): Promise<string> {
  const tables = await shippedModules(root);
  const shipped = tables.map((path, index) => `import { tables as t${index} } from ${JSON.stringify(path)};`);
  const lines = [
    ...shipped,
    `import { suite } from ${JSON.stringify(`${operation.name}/suite`)};`,
    "export { suite };",
    'export { CONTRACT_VERSION as contract } from "@tunelab/contract";',
    `const all = [${tables.map((_, index) => `...t${index}`).join(", ")}];`,
    "export const tables = all.filter((table) => table.operation === suite.operation.name);",
  ];
  for (const [name, what] of [
    ["@tunelab/selection", "select"],
    ["@tunelab/executor", "Executor"],
    ["@tunelab/variants", "parseId, parseConfig"],
  ] as const) {
    if (packages.has(name)) lines.push(`export { ${what} } from ${JSON.stringify(name)};`);
  }
  // As a whole, for older commits lack parts of it.
  if (packages.has("@tunelab/variants")) lines.push('export * as variants from "@tunelab/variants";');
  return lines.join("\n");
}

/** Modules of the library's shipped tables: a folder an operation with an index, or (older commits) a file an operation. */
async function shippedModules(root: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, SHIPPED), { withFileTypes: true }).catch(() => []);
  const paths = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isFile()) return entry.name.endsWith(".ts") ? [entry.name] : [];
      const inner = await readdir(join(root, SHIPPED, entry.name)).catch((): string[] => []);
      return inner.includes("index.ts") ? [`${entry.name}/index.ts`] : [];
    }),
  );
  return paths
    .flat()
    .sort()
    .map((path) => `./${SHIPPED}/${path}`);
}

/** Marks the second asking for a name, which is esbuild's own to answer. */
const ASKED = "asked before";

/** Resolves workspace names to sources of the same tree, and refuses what would have to be installed. */
function insideTree({ root, packages, installed }: Tree): Plugin {
  return {
    name: "inside-tree",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, pluginData }) => {
        if (kind === "entry-point" || pluginData === ASKED) return undefined;
        const words = path.split("/");
        const name = words.slice(0, path.startsWith("@") ? 2 : 1).join("/");
        const known = packages.get(name);
        const subpath = path === name ? "." : `.${path.slice(name.length)}`;
        const file = known?.entries[subpath];
        if (file) return { path: file, sideEffects: false };
        if (known) return { errors: [{ text: `${name} does not export ${subpath}` }] };
        const user = packageOf(importer, packages);
        // What a library imports is the library's to find, beside itself.
        if (!user && importer.includes("node_modules")) return undefined;
        const found = await findInstalled(name, user, root, installed);
        if ("why" in found) return { errors: [{ text: found.why }] };
        return build.resolve(path, { kind, resolveDir: found.resolveDir, pluginData: ASKED });
      });
    },
  };
}

/** The text of a bundle as it was written. @throws Fault `data` when it is not what its manifest says. */
export async function readBundle(path: string, sha256: string): Promise<string> {
  const text = await readFile(path, "utf8");
  if (createHash("sha256").update(text).digest("hex") === sha256) return text;
  throw new Fault("data", `${path} is not what its manifest says: remove its folder and compare again`);
}
