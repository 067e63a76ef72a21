import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { config, observable } from "@observablehq/notebook-kit/vite";
import { Fault, firstLine } from "@tunelab/contract";
import { build, createServer, defaultClientConditions, type InlineConfig, type Plugin } from "vite";
import { sqlCells } from "./sql-cells.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Where this repository's notebooks lie. */
export const PAGES: string = here("../pages");

/** Libraries that a notebook may use; what it would load from a CDN comes from here. */
const LOCAL = ["@observablehq/inputs", "@observablehq/plot", "htl", "d3", "vega", "vega-lite", "vega-embed"];

export interface SiteOptions {
  /** The index of all evidence, as `indexSessions` makes it. */
  readonly store: string;
  /** Folder of the notebooks. */
  readonly pages?: string;
}

/** Names of the notebooks, without `.html`. */
export async function notebookNames(pages: string = PAGES): Promise<readonly string[]> {
  return (await readdir(pages))
    .filter((file) => file.endsWith(".html"))
    .map((file) => basename(file, ".html"))
    .sort();
}

const cdn = (name: string, rest: string): RegExp =>
  new RegExp(`^(?:npm:|https://cdn\\.jsdelivr\\.net/npm/)${name}(?:@[^/]+)?${rest}$`);

/** Imports that would leave this machine. */
const ELSEWHERE = /^(?:npm:|jsr:|https:\/\/cdn\.jsdelivr\.net\/npm\/.*\/\+esm$).*$/;

/** The stylesheet of Observable Inputs imports its base from a CDN: here it comes from the package. */
const localStyles: Plugin = {
  name: "local-styles",
  enforce: "pre",
  transform(code, id) {
    if (!/\/stdlib\/inputs\.css/.test(id)) return null;
    const base = JSON.stringify(fileURLToPath(import.meta.resolve("@observablehq/inputs/dist/index.css")));
    return code.replace(/@import url\("https:\/\/cdn[^"]*"\);/, () => `@import ${base};`);
  },
};

/** Notebook Kit on Vite with every import answered from what is installed, and SQL cells from the store. */
async function siteConfig({ store, pages = PAGES }: SiteOptions): Promise<InlineConfig> {
  const base = config();
  const aliases = base.resolve?.alias;
  // Its other aliases would fetch what is not installed from a CDN.
  const own = (Array.isArray(aliases) ? aliases : []).filter(({ find }) =>
    String(find).includes("observable"),
  );
  return {
    ...base,
    configFile: false,
    root: pages,
    logLevel: "warn",
    resolve: {
      conditions: ["@tunelab/source", ...defaultClientConditions],
      alias: [
        ...LOCAL.map((name) => ({ find: cdn(name, "(?:/\\+esm)?"), replacement: name })),
        { find: ELSEWHERE, replacement: here("./not-local.cjs") },
        ...own,
      ],
      dedupe: LOCAL,
    },
    plugins: [
      localStyles,
      observable({ template: here("../template.html"), transformNotebook: sqlCells(store) }),
    ],
    cacheDir: here("../node_modules/.vite"),
    optimizeDeps: { include: LOCAL },
    build: {
      emptyOutDir: true,
      chunkSizeWarningLimit: 2000,
      rollupOptions: { input: (await notebookNames(pages)).map((name) => join(pages, `${name}.html`)) },
    },
  };
}

/** Builds every notebook to static pages in `out`. Throws a usage Fault when a cell's SQL or JavaScript is wrong. */
export async function buildNotebooks(options: SiteOptions & { readonly out: string }): Promise<void> {
  const made = await siteConfig(options);
  try {
    await build({ ...made, build: { ...made.build, outDir: options.out } });
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("usage", `the notebooks do not build: ${reasonOf(error)}`, { error });
  }
}

/** A bundler's message begins with a count of errors: the next line that says something is the reason. */
function reasonOf(error: unknown): string {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  const lines = text.split("\n").filter((line) => /\w/.test(line) && !/^Build failed/.test(line));
  return firstLine(lines[0] ?? text);
}

/** Serves the notebooks on the loopback interface, each reload from the store as it is then; resolves once they can be opened. */
export async function serveNotebooks(
  options: SiteOptions & { readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const made = await siteConfig(options);
  const server = await createServer({ ...made, server: { host: "127.0.0.1", port: options.port } });
  await server.listen();
  const address = server.httpServer?.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
