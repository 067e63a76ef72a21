import { fileURLToPath } from "node:url";
import type { DeviceTarget } from "@tunelab/devices";
import { describe, expect, it } from "vitest";
import { Compilers, compilersFor, MOST_COMPILERS } from "../src/compilers.ts";
import type { Io } from "../src/io.ts";

describe("compilers beside a timing", () => {
  it.each([
    ["discrete", 16, 140e9, 14],
    ["discrete", 8, 140e9, 6],
    ["discrete", 128, 140e9, MOST_COMPILERS],
    ["discrete", 16, 4e9, 5],
    ["discrete", 16, 0.5e9, 0],
    ["discrete", 16, undefined, 10],
    ["discrete", 7, 140e9, 0],
    ["integrated", 16, 140e9, 0],
    ["cpu", 64, undefined, 0],
    ["unknown", 64, undefined, 0],
  ])(
    "of a %s GPU beside %i cores with %s bytes free are %i unless somebody says how many",
    (adapterType, cores, free, count) => {
      expect(compilersFor(adapterType, cores, free)).toBe(count);
    },
  );

  it("whose devices do not open hold up no session that is over, and are no news then", async () => {
    const entry = fileURLToPath(new URL("../../devices/test/silent-host.mjs", import.meta.url));
    const notes: string[] = [];
    const io = { note: (line: string) => notes.push(line) } as unknown as Io;
    const target = { id: "nobody", environment: {}, host: {} } as unknown as DeviceTarget;
    const compilers = new Compilers(target, 2, { entry }, io);
    const opened = compilers.open({});
    await compilers.close();
    expect(await opened).toEqual([]);
    expect(notes).toEqual([]);
  });
});
