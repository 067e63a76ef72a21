import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { embeddedFiles } from "@tunelab/devices";
import { parseTable } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { ExitWith, type Io } from "../src/io.ts";
import { remeasureTable, tuneWords } from "../src/remeasure.ts";

const path = fileURLToPath(
  new URL("../../../tables/swiftshader/tint-vulkan.portable/matched-filter.json", import.meta.url),
);
const table = parseTable(await readFile(path, "utf8"), path);
const flags = { device: "swiftshader", profile: "portable" };
const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);

/** What follows an option, each time it is given. */
const following = (words: readonly string[], option: string): readonly string[] =>
  words.flatMap((word, index) => (word === option ? [words[index + 1]!] : []));

describe("measuring a published table again", () => {
  it("asks for its problems and every variant that it ranks, and leaves room for no others", () => {
    const words = tuneWords(table, "swiftshader", { ...flags, out: "/tmp/x" });
    const variants = [...new Set(table.entries.flatMap(({ rows }) => rows.map(({ variant }) => variant)))];
    expect(following(words, "--start")).toEqual(variants);
    expect(following(words, "--problem")).toHaveLength(table.entries.length);
    expect(following(words, "--trials")).toEqual([String(variants.length * table.entries.length)]);
    expect([following(words, "--profile"), following(words, "--out")]).toEqual([["portable"], ["/tmp/x"]]);
  });

  it.skipIf(!embedded)(
    "runs that line on the device and gives its session; its failure is the command's",
    async () => {
      const io: Io = {
        out: () => {},
        note: () => {},
        interactive: false,
        signal: new AbortController().signal,
      };
      const ran: (readonly string[])[] = [];
      const session = await remeasureTable("matched-filter", [table], flags, io, async (words, inner) => {
        ran.push(words);
        inner.out('{"session": "01M8"}');
        return 0;
      });
      expect([session, ran[0]![0]]).toEqual(["01M8", "tune"]);
      await expect(
        remeasureTable("matched-filter", [table], flags, io, () => Promise.reject(new ExitWith(130))),
      ).rejects.toMatchObject({ code: 130 });
      await expect(remeasureTable("fft", [table], flags, io, async () => {})).rejects.toThrow(
        "swiftshader/tint-vulkan.portable has no published table of fft to measure again: no device has",
      );
    },
  );
});
