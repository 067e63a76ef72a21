import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvidence } from "@tunelab/contract";
import { embeddedFiles } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);

// By command, on a real device whose times are never twice the same. Each session has a laboratory of its own: results of an
// earlier one would be measured first.
describe.skipIf(!embedded)("tune twice with one seed", { timeout: 600_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-repeat-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  let sessions = 0;
  const proposals = async (strategy: string, seed: number): Promise<readonly string[]> => {
    const out = join(folder, `${sessions++}`);
    const problem = ["--kernel", "matched-filter", "--problem", "n=64,data=2,templates=2,pairs=4"];
    const words = ["--device", "swiftshader", "--strategy", strategy, "--seed", `${seed}`, "--trials", "18"];
    const tuned = await lab(["tune", ...problem, ...words, "--no-transfer", "--out", out, "--json"]);
    expect(tuned.code).toBe(0);
    const { session } = JSON.parse(tuned.out);
    const shown = await lab(["results", "show", session, "--out", out, "--json"]);
    const { trials } = JSON.parse(shown.out) as SessionEvidence;
    return trials.filter(({ grade }) => grade === "screened").map(({ variant }) => variant);
  };

  it("proposes the same variants in the same order (random), and others with another seed", async () => {
    const one = await proposals("random", 7);
    expect(one.length).toBeGreaterThanOrEqual(8);
    // How many there are follows from the time: a finalist that fails leaves its place to one more.
    const again = await proposals("random", 7);
    const common = Math.min(one.length, again.length);
    expect(common).toBeGreaterThanOrEqual(8);
    expect(again.slice(0, common)).toEqual(one.slice(0, common));
    expect(await proposals("random", 8)).not.toEqual(one);
  });

  it("begins with the same design (model): until eight variants have a time", async () => {
    const design = (all: readonly string[]): readonly string[] => all.slice(0, 8);
    expect(design(await proposals("model", 7))).toEqual(design(await proposals("model", 7)));
  });
});
