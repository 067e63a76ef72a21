import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

/** Measured spaces of other people's kernels, kept outside the repository. */
const SHARED = new URL("../../../../shared/data/replay/", import.meta.url).pathname;
const CONVOLUTION = ["A100", "A4000", "MI250X"].map((gpu) => join(SHARED, `convolution_milo-${gpu}.json.gz`));
const shared = CONVOLUTION.every((path) => existsSync(path));
if (!shared) console.warn(`skipped: ${SHARED} is not here`);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-borrowing-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

/** A space of one parameter, its times in ms in the order of its values. */
async function space(name: string, times: readonly (number | string)[], kernel = "bowl"): Promise<string> {
  const path = join(folder, `${name}.json`);
  const cache = Object.fromEntries(times.map((time, a) => [String(a), { a, time }]));
  const values = times.map((_, a) => a);
  const header = {
    device_name: "",
    kernel_name: kernel,
    tune_params_keys: ["a"],
    tune_params: { a: values },
  };
  await writeFile(path, JSON.stringify({ ...header, cache }));
  return path;
}

describe("pnpm lab borrowing", () => {
  it("writes a page whose sets are right, and names nameless devices by their file", async () => {
    const files = [await space("left", [1, 1.02, 9]), await space("right", [9, 1.02, 1])];
    const page = join(folder, "page.md");
    const { code, out } = await lab(["borrowing", ...files, "--save", page, "--json"]);
    expect(code).toBe(0);
    const found = JSON.parse(out);
    expect(found.devices).toEqual(["left", "right"]);
    expect(found.smallest.variants).toEqual(["a=1"]);
    expect(found.leftOut[0]).toMatchObject({ member: "left", oneForAll: { variant: "a=2" } });
    const text = await readFile(page, "utf8");
    expect(text).toContain("| left | 0.111 |");
    expect(text).toContain("- `a=1`");
  });

  it("refuses one device, two kernels and a fraction that is none, in a line each", async () => {
    const one = await space("one", [1, 2]);
    const other = await space("other", [1, 2], "conv");
    for (const [words, message] of [
      [[one], /two devices or more/],
      [[one, other], /different kernels \(bowl, conv\)/],
      [[one, one, "--within", "100"], /--within 100/],
    ] as const) {
      const { code, notes } = await lab(["borrowing", ...words]);
      expect(code).toBe(2);
      expect(notes).toMatch(message);
    }
  });

  it.skipIf(!shared)(
    "three GPUs' convolutions: at most 4 variants reach 0.97 of the best on each",
    async () => {
      const { out } = await lab(["borrowing", ...CONVOLUTION, "--json"]);
      const { smallest, oneForAll, leftOut } = JSON.parse(out);
      expect(smallest.variants.length).toBeLessThanOrEqual(4);
      expect(smallest.worst).toBeGreaterThanOrEqual(0.97);
      expect(oneForAll.worst).toBeLessThan(0.97);
      expect(leftOut).toHaveLength(3);
    },
  );
});
