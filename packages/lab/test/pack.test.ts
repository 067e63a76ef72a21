import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { dawnPath, type Environment, embeddedDriver } from "@tunelab/devices";
import { runsOf } from "@tunelab/experiment";
import { readJournal } from "@tunelab/store/journal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadExperiments } from "../src/experiments.ts";
import { lab } from "./collect.ts";

const driver: Environment | undefined = await embeddedDriver().catch(() => undefined);
let folder: string;
let packed: string;
let elsewhere: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-pack-"));
  packed = join(folder, "lab");
  elsewhere = await mkdtemp(join(folder, "cwd-"));
  // Without dawn.node: the way a machine with its own build is served, and 21 MB fewer to copy.
  const { code, notes } = await lab(["pack", "--out", packed, "--no-dawn"]);
  expect(notes).toBe("");
  expect(code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the packed laboratory from an empty folder; a failing exit rejects. */
const run = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(process.execPath, [join(packed, "lab.mjs"), ...words], {
    cwd: elsewhere,
    env: {
      PATH: process.env.PATH,
      HOME: elsewhere,
      TUNELAB_DAWN: dawnPath(),
      ...driver,
    } as NodeJS.ProcessEnv,
  });

const SWIFTSHADER = ["--device", "swiftshader"] as const;

describe("a packed laboratory", { timeout: 90_000 }, () => {
  it("is a few plain files", async () => {
    expect((await readdir(packed)).sort()).toEqual(["README.txt", "host.mjs", "lab.mjs"]);
  });

  it("prints the same texts as the checkout it came from", async () => {
    const words = ["wgsl", "matched-filter", "--problem", "n=512"];
    expect((await run(...words)).stdout.trim()).toBe((await lab(words)).out.trim());
  });

  it.each([["tables"], ["ship"], ["results", "list"], ["pack", "--out", "again"]])(
    "%s says in one line that it needs a checkout",
    async (...words) => {
      const failed = await run(...words).then(
        () => undefined,
        (error: { code: number; stderr: string }) => error,
      );
      expect(failed?.code).toBe(2);
      expect(failed?.stderr.trim().split("\n")).toHaveLength(1);
      expect(failed?.stderr).toContain("needs a checkout");
    },
  );

  it.skipIf(!driver)("measures into a journal that a checkout takes in, trial for trial", async () => {
    const { stdout } = await run("devices", "--json");
    // The loader also finds what else the machine has installed.
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: "swiftshader" }));
    const problem = "n=64,data=2,templates=2,pairs=4";
    await run(
      "tune",
      ...SWIFTSHADER,
      "--problem",
      problem,
      "--budget",
      "4s",
      "--journal",
      "out.jsonl",
      "--json",
    );
    const journal = join(elsewhere, "out.jsonl");
    const { evidence, problems } = await readJournal(journal);
    expect(problems).toEqual([]);
    expect(evidence.trials.length).toBeGreaterThan(0);

    const out = join(folder, "imported");
    const imported = await lab(["results", "import", journal, "--out", out, "--json"]);
    expect(imported.code).toBe(0);
    expect(JSON.parse(imported.out)).toMatchObject({ added: evidence.trials.length });
    const shown = await lab(["results", "show", evidence.header.id, "--out", out, "--json"]);
    expect(JSON.parse(shown.out)).toEqual(JSON.parse(JSON.stringify(evidence)));
  });
});

describe("what a packed laboratory learns of a machine", { timeout: 90_000 }, () => {
  it("check-gpu suggests no embedded GPU, which did not come along", async () => {
    const env = { PATH: process.env.PATH, HOME: elsewhere, TUNELAB_DAWN: dawnPath() } as NodeJS.ProcessEnv;
    const answer = await promisify(execFile)(
      process.execPath,
      [join(packed, "lab.mjs"), "check-gpu", "--json"],
      {
        cwd: elsewhere,
        env,
      },
    ).catch((error: { stdout: string }) => error);
    const { findings, hardware } = JSON.parse(answer.stdout);
    if (hardware.length === 0) expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).not.toMatch(/embedded|chromium/);
  });

  it.skipIf(!driver)("noise and studies go into journals that a checkout takes in", async () => {
    const { stdout, stderr } = await run(
      "noise",
      ...SWIFTSHADER,
      "--samples",
      "15",
      "--journal",
      "noise.jsonl",
    );
    expect(stderr).toMatch(/^The machine is/m);
    expect(stdout).toContain("pnpm lab results import noise.jsonl");
    const problem = "n=64,data=2,templates=2,pairs=4";
    await run(
      "collapse",
      "matched-filter",
      ...SWIFTSHADER,
      "--problem",
      problem,
      "--journal",
      "collapse.jsonl",
      "--json",
    );
    const kinds: string[] = [];
    for (const name of ["noise.jsonl", "collapse.jsonl"]) {
      const journal = join(elsewhere, name);
      const { evidence, problems } = await readJournal(journal);
      expect([problems, evidence.trials]).toEqual([[], []]);
      kinds.push(...evidence.events.map(({ kind }) => kind));
      const imported = await lab(["results", "import", journal, "--out", join(folder, "learnt"), "--json"]);
      expect(imported.code).toBe(0);
    }
    expect(kinds).toEqual(["noise", "finished", "study", "finished"]);
  });
});

describe("a packed laboratory's experiments", { timeout: 90_000 }, () => {
  it("are those of the checkout it came from", async () => {
    const words = ["experiment", "list", "--json"];
    const names = (text: string): string[] =>
      (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
    expect(names((await run(...words)).stdout)).toEqual(names((await lab(words)).out));
  });

  it.skipIf(!driver)("are measured into a journal that gives a checkout their runs", async () => {
    const words = [
      "experiment",
      "run",
      "peak-reduction",
      ...SWIFTSHADER,
      "--rounds",
      "1",
      "--journal",
      "asked.jsonl",
    ];
    const { stdout } = await run(...words);
    expect(stdout).toContain("pnpm lab experiment import asked.jsonl");
    const { evidence } = await readJournal(join(elsewhere, "asked.jsonl"));
    const runs = runsOf(evidence, await loadExperiments());
    expect([...runs.keys()]).toEqual([expect.stringMatching(/-peak-reduction$/)]);
    const [only] = runs.values();
    expect(only).toMatchObject({ deviceSlug: "swiftshader", software: true, rounds: 1 });
    expect(only!.arms.map(({ name, status }) => [name, status])).toEqual([
      ["tree", "ok"],
      ["subgroup", "ok"],
    ]);
  });
});

describe("pack", () => {
  it("does not replace a folder that something else made", async () => {
    const foreign = await mkdtemp(join(folder, "foreign-"));
    await writeFile(join(foreign, "thesis.txt"), "years of work");
    const { code, notes } = await lab(["pack", "--out", foreign, "--no-dawn"]);
    expect(code).toBe(2);
    expect(notes).toContain(foreign);
    expect(await readdir(foreign)).toEqual(["thesis.txt"]);
  });
});
