import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedFiles } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-studies-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const study = async (...words: string[]) => {
  const tiny = ["--device", "swiftshader", "--problem", "n=64,data=2,templates=4,pairs=8"];
  const { code, out, notes } = await lab([...words, ...tiny, "--out", folder, "--json"]);
  expect(notes).toMatch(/^The machine is (quiet|BUSY)/m);
  expect(code).toBe(0);
  const made = JSON.parse(out);
  const shown = await lab(["results", "show", made.session, "--out", folder, "--json"]);
  const { events, trials } = JSON.parse(shown.out);
  // Nothing of a study may reach a table.
  expect(trials).toEqual([]);
  return { made, events };
};

describe.skipIf(!embedded)("studies on the embedded software GPU", { timeout: 240_000 }, () => {
  it("collapse times the very same plan on both inputs, each verified, and keeps them in a session", async () => {
    const { made, events } = await study("collapse", "matched-filter");
    expect(made.points.map(({ x }: { x: number }) => x)).toEqual([0, 1, 1, 0, 0, 1]);
    for (const { status, verdict } of made.points) {
      expect([status, verdict.matched]).toEqual(["ok", 8]);
    }
    expect(made.findings.plainNs).toBeGreaterThan(0);
    expect(events).toMatchObject([{ kind: "study", study: { kind: "collapse" } }, { kind: "finished" }]);
  });

  it("padding still gives right answers at every size, up to all that the device grants, and is drawn", async () => {
    const { made } = await study("padding", "matched-filter", "--steps", "2");
    expect(made.points.map(({ x }: { x: number }) => x)[0]).toBe(0);
    const most = Math.max(...made.points.map(({ x }: { x: number }) => x));
    expect(most + made.findings.declaredBytes).toBeGreaterThan(32_768 - 16);
    for (const { status, verdict } of made.points) expect([status, verdict.matched]).toEqual(["ok", 8]);
    expect(await readFile(made.picture, "utf8")).toMatch(/^<svg/);
  });

  it("saturation measures batches up to the problem's own, twice each, with the compute units declared", async () => {
    const { made, events } = await study("saturation", "matched-filter", "--compute-units", "2");
    const batches = made.points.map(({ x }: { x: number }) => x);
    expect(batches).toEqual([1, 2, 3, 4, 6, 8, 8, 6, 4, 3, 2, 1]);
    for (const { verdict, items, x } of made.points) expect([verdict.matched, items]).toEqual([x, x]);
    expect(made.findings.computeUnits).toBe(2);
    expect(await readFile(made.picture, "utf8")).toMatch(/^<svg/);
    expect(events[0]).toMatchObject({
      kind: "ceilings",
      ceilings: { computeUnits: { value: 2, source: "declared" } },
    });
  });
});
