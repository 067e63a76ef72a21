import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRoot, packInto, run } from "../../../test/published.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const require = createRequire(import.meta.url);

/** What an author of kernels outside this repository needs, each before those that depend on it. */
const PACKAGES = ["contract", "variants", "executor", "harness"];

/** An author's check of a kernel: every variant is planned, counted and told by its id. */
const CHECK = `
import type { Algorithm } from "@tunelab/contract";
import { planHash } from "@tunelab/contract";
import { DEFAULT_BUDGETS, type Instance } from "@tunelab/executor";
import { type Harness, variantLabel } from "@tunelab/harness";
import { countValid, enumerate, formatId } from "@tunelab/variants";
import suite from "./my-kernel.ts";
const problem = { n: 64, matrices: 4 };
const [name, load] = Object.entries(suite.operation.algorithms)[0]!;
const algorithm: Algorithm<typeof problem> = await load();
const space = algorithm.space(problem);
const ids = [...enumerate(space)].map((config) => formatId(name, space, config));
const [config] = [...enumerate(space)];
export type Held = [Pick<Instance, "run" | "read">, Pick<Harness, "measure">];
// @ts-expect-error a problem names its dimensions by numbers and words
algorithm.space({ n: true });
console.log(JSON.stringify({ valid: countValid(space), ids: ids.length, submitMs: DEFAULT_BUDGETS.submitMs, label: variantLabel(name, config!), first: ids[0], hash: typeof planHash }));
`;

describe("the packages of a kernel's author", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-author-"));
    const tarballs: string[] = [];
    for (const name of PACKAGES) tarballs.push(await packInto(folder, name));
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name: "kernels", type: "module", private: true }),
    );
    // The one library that comes from a registry is taken from this install.
    const statistics = dirname(require.resolve("simple-statistics/package.json"));
    const words = [
      "install",
      "--offline",
      "--no-audit",
      "--no-fund",
      "--install-links",
      statistics,
      ...tarballs,
    ];
    await run("npm", words, folder);
    await copyFile(join(root, "examples/my-kernel/my-kernel.ts"), join(folder, "my-kernel.ts"));
    await writeFile(join(folder, "check.ts"), CHECK);
  }, 300_000);

  afterAll(async () => rm(folder, { recursive: true, force: true }));

  it.each(PACKAGES)("%s may be published, and names no workspace and no source of ours", async (name) => {
    const text = await readFile(join(folder, "node_modules/@tunelab", name, "package.json"), "utf8");
    const manifest = JSON.parse(text);
    expect(manifest).not.toHaveProperty("private");
    expect(manifest).toMatchObject({ license: "MIT", type: "module", files: ["dist"] });
    expect(JSON.stringify([manifest.exports, manifest.dependencies ?? {}])).not.toMatch(/source|workspace:/);
  });

  it.each(["NodeNext", "Bundler"])(
    "a kernel type-checks against them with module resolution %s",
    async (resolution) => {
      const options = {
        ...{
          strict: true,
          noEmit: true,
          target: "ES2022",
          lib: ["ES2023", "DOM"],
          allowImportingTsExtensions: true,
        },
        ...{ module: resolution === "NodeNext" ? "NodeNext" : "ESNext", moduleResolution: resolution },
        ...{ types: [dirname(fromRoot("@webgpu/types/package.json"))], skipLibCheck: false },
      };
      await writeFile(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: ["check.ts"] }),
      );
      expect(await run(process.execPath, [fromRoot("typescript/bin/tsc"), "-p", folder], folder)).toBe("");
    },
  );

  it("and is planned by them in plain Node", async () => {
    const tsx = join(dirname(fromRoot("tsx/package.json")), "dist/cli.mjs");
    const found = JSON.parse(await run(process.execPath, [tsx, "check.ts"], folder));
    expect(found.valid).toBeGreaterThan(3);
    expect(found).toMatchObject({
      ids: found.valid,
      label: expect.stringContaining("tile="),
      hash: "function",
    });
    expect(found.submitMs).toBeGreaterThan(0);
  });
});
