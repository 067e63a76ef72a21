import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { embeddedDriver } from "@tunelab/devices";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromRoot, packInto, run } from "../../../test/published.ts";

const driver = await embeddedDriver().catch(() => undefined);

/** What an application developer writes. */
const MAIN = `
import { createRuntime, matchedFilter } from "@tunelab/runtime/matched-filter";
import { fft } from "@tunelab/runtime/fft";
const { create, globals } = await import(process.env.WEBGPU_MODULE);
Object.assign(globalThis, globals);
const gpu = create([]);
const n = 256, lag = 77;
const templates = new Float32Array(2 * n), data = new Float32Array(2 * n);
for (let k = 0; k < n; k++) {
  const phase = k * k * 0.7, turn = phase - (2 * Math.PI * k * lag) / n;
  templates.set([Math.cos(phase), Math.sin(phase)], 2 * k);
  data.set([Math.cos(turn), Math.sin(turn)], 2 * k);
}
const runtime = await createRuntime({ gpu });
const { indices, magnitudes, variant, table } = await matchedFilter(runtime, { n, data, templates });
const cpu = await matchedFilter(runtime, { n, data, templates, backend: "cpu" });
const { output } = await fft(runtime, { n, input: templates });
if (output.length !== 2 * n || !output.every(Number.isFinite)) throw new Error("no transform");
if (cpu.indices[0] !== indices[0]) throw new Error("the CPU disagrees");
console.log(JSON.stringify({ index: indices[0], magnitude: magnitudes[0], variant, table }));
process.exit(0);
`;

const TYPED = `
import { createRuntime, type Explanation, matchedFilter, type Runtime } from "@tunelab/runtime";
import { prepareMatchedFilter } from "@tunelab/runtime/matched-filter";
import { Fault } from "@tunelab/runtime/core";
export async function peaks(data: Float32Array, templates: Float32Array): Promise<Uint32Array> {
  const runtime: Runtime = await createRuntime({ powerPreference: "high-performance" });
  const why: Explanation = await prepareMatchedFilter(runtime, { n: 64, data: 1, templates: 1 });
  // @ts-expect-error a length is a number
  await matchedFilter(runtime, { n: "64", data, templates }).catch((error: Fault) => error.kind === "usage" && why);
  return (await matchedFilter(runtime, { n: 64, data, templates })).indices;
}
`;

describe("the published package", () => {
  let folder: string;
  let tarball: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-published-"));
    tarball = await packInto(folder, "runtime");
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name: "app", type: "module", private: true }),
    );
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], folder);
  }, 180_000);

  afterAll(async () => rm(folder, { recursive: true, force: true }));

  it("has no dependency, names no workspace version and hides the source condition", async () => {
    const manifest = JSON.parse(
      await readFile(join(folder, "node_modules/@tunelab/runtime/package.json"), "utf8"),
    );
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(JSON.stringify(manifest.exports)).not.toContain("source");
    expect(JSON.stringify(manifest.peerDependencies)).not.toContain("workspace:");
  });

  it("publint finds nothing to say", async () => {
    const data = await readFile(tarball);
    const { messages, pkg } = await publint({
      strict: true,
      pack: { tarball: data.buffer.slice(data.byteOffset, data.byteOffset + data.length) as ArrayBuffer },
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("types resolve for every ESM consumer", async () => {
    const analysis = await checkPackage(
      createPackageFromTarballData(new Uint8Array(await readFile(tarball))),
    );
    if (!analysis.types) throw new Error("the package has no types");
    // The package is ESM alone: what CommonJS or node10 resolution cannot see is meant.
    const meant = ["NoResolution", "CJSResolvesToESM"];
    const kinds = ["node10", "node16-cjs"];
    const found = analysis.problems.filter(
      (problem) =>
        !(
          meant.includes(problem.kind) &&
          "resolutionKind" in problem &&
          kinds.includes(problem.resolutionKind)
        ),
    );
    expect(found).toEqual([]);
  });

  it.each(["NodeNext", "Bundler"])(
    "type-checks in a consumer with module resolution %s",
    async (resolution) => {
      await writeFile(join(folder, "typed.ts"), TYPED);
      const types = dirname(fromRoot("@webgpu/types/package.json"));
      const options = {
        ...{ strict: true, noEmit: true, target: "ES2022", lib: ["ES2023", "DOM"] },
        module: resolution === "NodeNext" ? "NodeNext" : "ESNext",
        ...{ moduleResolution: resolution, types: [types], skipLibCheck: false },
      };
      await writeFile(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: ["typed.ts"] }),
      );
      expect(await run(process.execPath, [fromRoot("typescript/bin/tsc"), "-p", folder], folder)).toBe("");
    },
  );

  it("every source map names sources that are in it", async () => {
    const dist = join(folder, "node_modules/@tunelab/runtime/dist");
    const maps = (await readdir(dist)).filter((file) => file.endsWith(".js.map"));
    expect(maps.length).toBeGreaterThan(3);
    for (const file of maps) {
      const { sources, sourcesContent } = JSON.parse(await readFile(join(dist, file), "utf8"));
      expect(sourcesContent).toHaveLength(sources.length);
    }
  });

  it.skipIf(!driver)(
    "finds a planted lag on the embedded GPU from a fresh npm project",
    async () => {
      await writeFile(join(folder, "main.mjs"), MAIN);
      const stdout = await run(process.execPath, ["main.mjs"], folder, {
        ...driver,
        WEBGPU_MODULE: import.meta.resolve("webgpu"),
      });
      const answer = JSON.parse(stdout.trim().split("\n").at(-1)!);
      expect(answer).toMatchObject({ index: 77, variant: expect.stringMatching(/^fused\//) });
      expect(answer.magnitude).toBeCloseTo(256, 2);
    },
    60_000,
  );
});
