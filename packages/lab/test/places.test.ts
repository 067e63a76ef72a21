import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderToRead, labDirToRead } from "../src/places.ts";
import { lab } from "./collect.ts";

describe("the folder that sessions are read from", () => {
  const LOCAL = "/home/someone/tree/.lab";
  const OTHERS = ["/home/me/.cache/lab", "/tmp/lab"];
  const read = (there: readonly string[], writable: readonly string[]) =>
    folderToRead(LOCAL, OTHERS, {
      exists: (path) => there.includes(path),
      mayWrite: (path) => writable.includes(path),
    });

  it("is the checkout's own, also where it can only be read", () => {
    expect(read([LOCAL], [LOCAL])).toEqual({ folder: LOCAL });
    expect(read([LOCAL], [])).toEqual({ folder: LOCAL });
    expect(read([], ["/home/someone/tree"])).toEqual({ folder: LOCAL });
  });

  it("of a checkout that cannot be written and has none is the one that results went to instead", () => {
    expect(read([OTHERS[1]!], [])).toEqual({ folder: OTHERS[1] });
    expect(read([], [])).toEqual({ folder: LOCAL });
  });

  it("names the other one where both hold sessions, and only then", () => {
    expect(read([LOCAL, OTHERS[0]!], [])).toEqual({ folder: LOCAL, also: OTHERS[0] });
    expect(read([LOCAL, OTHERS[0]!], [LOCAL])).toEqual({ folder: LOCAL });
  });

  it("is a named one as it is, and is not made by looking", async () => {
    const parent = await mkdtemp(join(tmpdir(), "tunelab-places-"));
    const named = join(parent, "none");
    expect(labDirToRead(named, undefined as never)).toBe(named);
    expect((await lab(["results", "list", "--out", named])).code).toBe(0);
    expect(await readdir(parent)).toEqual([]);
    await rm(parent, { recursive: true });
  });
});
