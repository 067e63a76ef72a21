import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

/** Published: every variant of a part of the matched filter's space at n = 1024 and 2048 on an H200, and a search at 1024. */
const PUBLISHED = {
  all: "01M8QMACQ1MNQ4BCTQSFVBQT2F",
  longer: "01M8R1D72S87K1RC6PXDMXHN8Y",
  search: "01M8R19JAVK0K2068FNSBH2AZ2",
};

describe("regret", () => {
  let folder: string;
  const at = (name: keyof typeof PUBLISHED): string => join(folder, `${name}.jsonl`);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "regret-"));
    for (const name of Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[])
      expect(await lab(["results", "export", PUBLISHED[name], "--journal", at(name)])).toMatchObject({
        code: 0,
      });
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("says how a search ended beside the exhaustive pass, from two journals", async () => {
    const { code, out } = await lab(["regret", at("all"), at("search")]);
    expect(code).toBe(0);
    const [row] = out.split("\n").filter((line) => line.includes("model, seed 1"));
    expect(row).toMatch(/ 2353 .* 0% +1 of 2353 +fused\/radix=32,/);
    expect(out).toMatch(/^01M8QMACQ1MNQ4BCTQSFVBQT2F .*exhaustive +2383 +353 s/m);
    const [verdict] = JSON.parse((await lab(["regret", at("all"), at("search"), "--json"])).out);
    expect(verdict).toMatchObject({ place: 1, behind: 0, search: { session: PUBLISHED.search } });
  });

  it.each([
    [
      "a search for the exhaustive pass",
      ["search", "all"],
      /is of a session with strategy model, not exhaustive/,
    ],
    [
      "a search of another problem",
      ["longer", "search"],
      /search.jsonl cannot be judged by the exhaustive pass: it tried nothing of matched-filter data=64,n=2048,/,
    ],
    ["a second exhaustive pass", ["all", "longer"], /longer.jsonl is of an exhaustive session too/],
  ] as const)("refuses %s in one line", async (_, names, says) => {
    const { code, out, notes } = await lab(["regret", ...names.map(at)]);
    expect([code, out]).toEqual([2, ""]);
    expect(notes).toMatch(says);
    expect(notes.split("\n")).toHaveLength(1);
  });
});
