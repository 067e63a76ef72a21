import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readReplay, unpacked } from "../src/replay-files.ts";
import { lab } from "./collect.ts";

/** Measured spaces of other people's kernels, kept outside the repository. */
const SHARED = new URL("../../../../shared/data/replay/", import.meta.url).pathname;

/** 64 configurations: 1 + (a - 5)^2 + (b - 2)^2 / 2 ms. */
const SPACE = JSON.stringify({
  device_name: "gpu",
  kernel_name: "bowl",
  tune_params_keys: ["a", "b"],
  tune_params: { a: [0, 1, 2, 3, 4, 5, 6, 7], b: [0, 1, 2, 3, 4, 5, 6, 7] },
  cache: Object.fromEntries(
    Array.from({ length: 64 }, (_, index) => {
      const [a, b] = [index >> 3, index & 7];
      return [`${a},${b}`, { a, b, time: 1 + (a - 5) ** 2 + (b - 2) ** 2 / 2 }];
    }),
  ),
});

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-replay-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function kept(name: string, bytes: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe("lab replay", () => {
  it("scores a strategy on plain and gzipped files alike, and the same way every time", async () => {
    const paths = [await kept("bowl.json", SPACE), await kept("bowl2.json.gz", gzipSync(SPACE))];
    const words = ["replay", ...paths, "--strategy", "local", "--runs", "5", "--evaluations", "60", "--json"];
    const { code, out } = await lab(words);
    expect(code).toBe(0);
    expect((await lab(words)).out).toBe(out);
    const { score, fractionOfOptimum, spaces } = JSON.parse(out);
    expect(spaces.map(({ space }: { space: string }) => space)).toEqual(["bowl", "bowl2"]);
    expect(spaces[1]).toEqual({ ...spaces[0], space: "bowl2" });
    expect(score).toBe(spaces[0].score);
    expect(score).toBeLessThan(1);
    expect(fractionOfOptimum["1"]).toBeLessThan(fractionOfOptimum["60"]);
    expect(fractionOfOptimum["60"]).toBe(1);
  });

  it("keeps scores as one file a strategy", async () => {
    const path = await kept("bowl.json", SPACE);
    const save = join(folder, "scores");
    const words = ["replay", path, "--strategy", "random,genetic", "--runs", "2", "--evaluations", "40"];
    expect((await lab([...words, "--save", save])).code).toBe(0);
    const text = await readFile(join(save, "genetic.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ strategy: "genetic", runs: 2, evaluations: 40, seed: 1 });
  });

  it("says so when there are too few evaluations for a score", async () => {
    const path = await kept("bowl.json", SPACE);
    const ran = await lab(["replay", path, "--strategy", "random", "--runs", "1", "--evaluations", "2"]);
    expect(ran.out).toMatch(/--/);
    expect(ran.notes).toMatch(/raise --evaluations/);
  });

  it.each([
    [["--strategy", "magic"], /unknown strategy "magic"/],
    [["--runs", "0"], /--runs must be at least 1/],
    [["--evaluations", "many"], /--evaluations takes a whole number/],
  ])("refuses %j as a usage error", async (words, expected) => {
    const { code, notes } = await lab(["replay", await kept("bowl.json", SPACE), ...words]);
    expect(code).toBe(2);
    expect(notes).toMatch(expected);
  });

  it("names a file that is not there", async () => {
    const { code, notes } = await lab(["replay", join(folder, "none.json")]);
    expect(code).toBe(2);
    expect(notes).toMatch(/none\.json cannot be read: ENOENT/);
  });
});

describe("a gzipped replay file", () => {
  it("cut off at any of 200 places is refused in one line that says so", async () => {
    const bytes = gzipSync(SPACE);
    for (let place = 0; place < 200; place++) {
      const offset = Math.floor((place * bytes.length) / 200);
      const path = await kept("cut.json.gz", bytes.subarray(0, offset));
      const fault: Error = await readReplay(path).then(
        () => new Error(`no fault at ${offset}`),
        (error) => error,
      );
      expect(fault.message, `cut at ${offset}`).toMatch(
        /^\S+cut\.json\.gz: the (gzip file is cut off|file is empty)/,
      );
      expect(fault.message).not.toContain("\n");
    }
  });

  it("with a flipped bit is damaged, not misread", async () => {
    const bytes = gzipSync(SPACE);
    bytes[bytes.length >> 1]! ^= 1;
    await expect(unpacked(bytes, "a.json.gz")).rejects.toThrow(/a\.json\.gz: the gzip file is damaged/);
  });
});

describe.skipIf(!existsSync(SHARED))("the published spaces (skipped where ../shared/data is absent)", () => {
  it("are read whole", async () => {
    const { entries } = await readReplay(join(SHARED, "convolution_milo-A100.json.gz"));
    expect(entries).toHaveLength(4_362);
    expect(entries.filter(({ ms }) => ms !== undefined)).toHaveLength(4_201);
  });
});
