import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionEvidence, TuningTable } from "@tunelab/contract";
import { embeddedFiles } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const cheats = fileURLToPath(new URL("./cheats.ts", import.meta.url));
const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);

describe.skipIf(!embedded)("a variant that is fast because it does not do the work", () => {
  let folder: string;
  let evidence: SessionEvidence;
  let tables: readonly TuningTable[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-cheats-"));
    const where = ["--device", "swiftshader", "--out", folder, "--json"];
    const tuned = await lab([
      "tune",
      "--kernel",
      cheats,
      "--strategy",
      "exhaustive",
      "--trials",
      "12",
      ...where,
    ]);
    const result = JSON.parse(tuned.out);
    tables = result.tables;
    evidence = JSON.parse((await lab(["results", "show", result.session, "--out", folder, "--json"])).out);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("never enters the table, where the honest one stands alone", () => {
    expect(tables).toHaveLength(1);
    expect(tables[0]!.entries[0]!.rows.map(({ config }) => config.trick)).toEqual(["none"]);
  });

  it.each([
    ["wrong", /seed 1: 0\/4096 right/],
    ["half", /2048 of 4096 words of port y were never written/],
    ["stale", /right/],
    ["shape", /on 1365 items instead of 4096: 0\/1365 right/],
  ])("is found out when it is %s, in words", (trick, reason) => {
    const trials = evidence.trials.filter(({ config }) => config.trick === trick);
    const last = trials.at(-1)!;
    expect(last).toMatchObject({ status: "wrong" });
    expect(last.reason).toMatch(reason);
    expect(last.timing).toBeUndefined();
  });
});
