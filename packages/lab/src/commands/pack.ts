import { chmod, cp, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contractRefusal, copySide, ownContract, type SideFolder } from "@tunelab/compare";
import { Fault } from "@tunelab/contract";
import { dawnPath } from "@tunelab/devices";
import type { Command } from "commander";
import type { Plugin } from "esbuild";
import { VERSION } from "../build.ts";
import { experimentNames } from "../experiments.ts";
import { commitOf } from "../history.ts";
import type { Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { foldersOf, PACKED_SIDES, packedSideFolder } from "../sides.ts";

interface Flags {
  readonly out: string;
  readonly dawn: boolean;
  readonly compare?: readonly string[];
  readonly repo?: string;
  readonly json?: boolean;
}

export function register(program: Command, io: Io): void {
  program
    .command("pack")
    .description("bundle the laboratory into one folder that measures without a registry, network or git")
    .requiredOption("--out <dir>", "folder to make (replaced when it is a packed laboratory)")
    .option(
      "--no-dawn",
      "leave dawn.node out: the machine brings one and names it in TUNELAB_DAWN or GPU_DAWN",
    )
    .option(
      "--compare <revisions...>",
      "also pack BASE and CANDIDATE (or several), so that `compare` runs there without git",
    )
    .option("--repo <dir>", "git repository of the revisions to compare (default: this checkout)")
    .option("--json", "print the files as JSON")
    .addHelpText(
      "after",
      "\nExample: pnpm lab pack --out /tmp/lab && node /tmp/lab/lab.mjs devices\n" +
        "Example: pnpm lab pack --out /tmp/lab --compare main worktree && node /tmp/lab/lab.mjs compare",
    )
    .action((flags: Flags) => pack(flags, io));
}

/** Modules that only a checkout can run: the store's native DuckDB, the embedded GPU, the bundler itself, charts, schemas, notebooks. */
const EXTERNAL = [
  "@tunelab/store",
  "@duckdb/node-api",
  "@sparticuz/chromium",
  "esbuild",
  "webgpu",
  "vega",
  "vega-lite",
  "vega-loader",
  "ts-json-schema-generator",
  "@tunelab/notebooks",
];

/** CommonJS dependencies inside an ESM bundle call require and ask for __filename. */
const BANNER = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { fileURLToPath as __fileURLToPath } from 'node:url';",
  "const require = __createRequire(import.meta.url), __filename = __fileURLToPath(import.meta.url);",
].join("\n");

async function pack(flags: Flags, io: Io): Promise<void> {
  requireCheckout();
  const compared = await comparedBy(flags, io);
  const out = resolve(flags.out);
  await refuseForeign(out);
  await mkdir(dirname(out), { recursive: true });
  const made = await mkdtemp(join(dirname(out), `.${basename(out)}-`));
  try {
    const { build } = await import("esbuild");
    const source = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
    const baked = { version: VERSION, ...(await commitOf()) };
    await build({
      entryPoints: { lab: source("cli.ts"), host: source("host-main.ts") },
      outdir: made,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      conditions: ["@tunelab/source"],
      external: EXTERNAL,
      // The store is left out, its journal is not: an alias comes before the rule that leaves out.
      alias: { "@tunelab/store/journal": fileURLToPath(import.meta.resolve("@tunelab/store/journal")) },
      define: { TUNELAB_PACKED: JSON.stringify(baked) },
      plugins: [experimentsPlugin(await experimentNames(requireCheckout()), requireCheckout())],
      banner: { js: BANNER },
      logLevel: "silent",
    });
    if (flags.dawn) await cp(dawnPath(), join(made, "dawn.node"));
    for (const [index, side] of (compared ?? []).entries())
      await copySide(side, join(made, packedSideFolder(index)));
    await writeFile(join(made, "README.txt"), readme(baked.commit, flags.dawn, compared !== undefined));
    // A temporary folder is its maker's alone; a pack is for whoever gets it.
    await chmod(made, 0o755);
    await rm(out, { recursive: true, force: true });
    await rename(made, out);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
  const more = [...(flags.dawn ? ["dawn.node"] : []), ...(compared ? [PACKED_SIDES] : [])];
  const files = ["lab.mjs", "host.mjs", ...more, "README.txt"];
  if (flags.json) io.out(JSON.stringify({ out, files }));
  else {
    io.out(`Packed into ${out}: ${files.join(", ")}`);
    const words = compared ? "compare --record record.json" : "tune --journal out.jsonl";
    io.out(`Next: copy it to the machine and run \`node ${basename(out)}/lab.mjs ${words}\` there`);
  }
}

/** A packed laboratory has no folder of experiments to look into: they are part of the bundle. */
function experimentsPlugin(names: readonly string[], root: string): Plugin {
  const lines = names.map((name, index) => `import e${index} from "./experiments/${name}/experiment.ts";`);
  const list = names.map((name, index) => `{ name: ${JSON.stringify(name)}, experiment: e${index} }`);
  const contents = `${lines.join("\n")}\nexport const packedExperiments = [${list.join(", ")}];\n`;
  return {
    name: "experiments",
    setup: ({ onLoad }) =>
      onLoad({ filter: /packed-experiments\.ts$/ }, () => ({ contents, resolveDir: root, loader: "ts" })),
  };
}

/**
 * The revisions to pack, bundled and held against the contract that the packed laboratory speaks.
 * @throws Fault `usage` for fewer than two, and naming what differs for another contract.
 */
async function comparedBy({ compare, repo }: Flags, io: Io): Promise<readonly SideFolder[] | undefined> {
  if (!compare) return undefined;
  if (compare.length < 2) throw new Fault("usage", "--compare takes two revisions or more, not 1");
  const made = await foldersOf(compare, repo === undefined ? {} : { repo }, io);
  const own = await ownContract(requireCheckout());
  for (const [index, side] of made.entries()) {
    const refusal = contractRefusal(side, compare[index]!, own);
    if (refusal) throw new Fault("usage", refusal);
  }
  return made;
}

/** A folder that something else made is not replaced. */
async function refuseForeign(out: string): Promise<void> {
  const there = await stat(out).catch(() => undefined);
  if (!there) return;
  const ours = await stat(join(out, "lab.mjs")).catch(() => undefined);
  if (!ours) throw new Fault("usage", `${out} exists and is no packed laboratory: choose another --out`);
}

const readme = (
  commit: string,
  dawn: boolean,
  compares: boolean,
): string => `A packed tunelab ${VERSION}, commit ${commit || "unknown"}.

Needs Node >= 20.19${dawn ? "" : " and dawn.node, named in TUNELAB_DAWN"}; no registry, network, git or node_modules.

    node lab.mjs devices
    node lab.mjs tune --budget 10m --journal results.jsonl
    node lab.mjs tune --profile native --budget 10m --journal native.jsonl
    node lab.mjs check-gpu
    node lab.mjs noise --journal noise.jsonl
    node lab.mjs ceilings --journal ceilings.jsonl
    node lab.mjs saturation matched-filter --problem n=4096 --journal saturation.jsonl
    node lab.mjs experiment run --all --journal experiments.jsonl

Bring the journals back and take them in, in a checkout:

    pnpm lab results import results.jsonl
    pnpm lab experiment import experiments.jsonl
${compares ? COMPARE_README : ""}`;

const COMPARE_README = `
The commits packed in (the first two, or two by name) are compared, and the record brought back, with

    node lab.mjs compare --record record.json
    node lab.mjs compare main other-branch --record record.json
    pnpm lab comparisons import record.json
`;
