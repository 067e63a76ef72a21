import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cacheRoots, embeddedDriver, unpack } from "../src/embedded.ts";

const root = mkdtempSync(join(tmpdir(), "embedded-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")("the embedded software GPU", () => {
  it("is unpacked once by many at a time, and leaves no draft behind", async () => {
    const cache = join(root, "shared");
    const all = await Promise.all(Array.from({ length: 4 }, () => unpack([cache])));
    expect(new Set(all.map(({ folder }) => folder)).size).toBe(1);
    expect(readdirSync(cache)).toHaveLength(1);
    expect(readdirSync(all[0]!.folder).sort()).toEqual([
      "libvk_swiftshader.so",
      "libvulkan.so.1",
      "vk_swiftshader_icd.json",
    ]);
  });

  it("goes to the next folder when the first cannot be written", async () => {
    // A file where a folder should be: unwritable for every user, root included.
    const blocked = join(root, "a-file");
    writeFileSync(blocked, "");
    const { folder } = await unpack([join(blocked, "cache"), join(root, "second")]);
    expect(folder.startsWith(join(root, "second"))).toBe(true);
  });

  it("says which folders it tried when none can be written, and what to set", async () => {
    const blocked = join(root, "b-file");
    writeFileSync(blocked, "");
    await expect(unpack([join(blocked, "cache")])).rejects.toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/b-file.*set XDG_CACHE_HOME/),
    });
  });

  it("sets its own driver and clears every variable that would turn the loader elsewhere", async () => {
    const environment = await embeddedDriver();
    expect(environment.VK_DRIVER_FILES).toMatch(/swiftshader-[0-9a-f]{16}\/vk_swiftshader_icd\.json$/);
    expect(environment).toHaveProperty("VK_ICD_FILENAMES", undefined);
    expect(environment.LD_LIBRARY_PATH?.split(":")[0]).toMatch(/swiftshader-[0-9a-f]{16}$/);
  });
});

describe("where the cache lies", () => {
  it("is XDG_CACHE_HOME, else the home folder's cache, then a temporary folder of this user", () => {
    expect(cacheRoots({ XDG_CACHE_HOME: "/x" })[0]).toBe("/x/tunelab");
    expect(cacheRoots({ HOME: "/home/someone" })[0]).toBe("/home/someone/.cache/tunelab");
    expect(cacheRoots({ HOME: "/home/someone" })[1]?.startsWith(tmpdir())).toBe(true);
  });
});
