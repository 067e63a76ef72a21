import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  KNOWN_CHANGES_DATA,
  type KnownChange,
  type KnownComparison,
  knownChangeOf,
  knownChangesPage,
  knownChangesText,
  leastShare,
  readKnownChanges,
  withKnownChanges,
} from "../src/known-changes.ts";
import { checkout } from "../src/places.ts";

const run = (ratio: number, verdict: KnownComparison["verdict"] = "slower"): KnownComparison => ({
  ...{ verdict, ratio, low: ratio - 0.001, high: ratio + 0.001, count: 6 },
  ...{ ns: { base: 362_000, candidate: 362_000 * ratio }, bits: "equal", seconds: 8 },
});
const record = (runs: readonly KnownComparison[], more: object = {}): string =>
  JSON.stringify({
    flags: {
      lab: "/somewhere",
      out: "/somewhere/else.json",
      kernel: "fft",
      problem: "n=64",
      profile: "portable",
    },
    ...{ nearest: "burden-24", runs, seen: 10 },
    ...more,
  });

it("a record's sightings are counted from its runs, not taken from its own count, and nothing of the machine's folders is kept", () => {
  const change = knownChangeOf(record([run(1.01), run(1.012), run(1.002, "same")]), "a.json", "nvidia-h200");
  const page = knownChangesPage([change]).markdown();
  expect(page).toContain("| 2 slower, 1 same of 3 |");
  expect(page).toContain("1.0020 to 1.0120");
  expect(knownChangesText([change])).not.toContain("somewhere");
});

it("a record that says its device and problem needs neither flag nor guess, and one that does not is refused", () => {
  const several = { flags: { kernel: "fft", problem: ["n=64", "n=128"], profile: "native" } };
  const change = knownChangeOf(
    record([run(1.01)], { ...several, device: "swiftshader", problem: "n=128" }),
    "a",
  );
  expect(change).toMatchObject({ device: "swiftshader", problem: "n=128", profile: "native" });
  expect(() => knownChangeOf(record([run(1.01)]), "a.json")).toThrow(/name it with --device/);
});

it.each([
  ["cut short", record([run(1.01)]).slice(0, -9), /a\.json is not JSON/],
  ["without runs", record([]), /a\.json holds no runs of a known change: runs/],
  ["with a ratio of none", record([run(0)]), /runs\.0\.ratio/],
])("a record %s is refused by name", (_, text, said) => {
  expect(() => knownChangeOf(text, "a.json", "d")).toThrow(said);
});

it("ten sightings of ten speak for three quarters of all runs, nine for 61%, none for nothing", () => {
  expect(leastShare(10, 10)).toBeCloseTo(0.05 ** 0.1, 9);
  // P(9 or more of 10) = 10 p^9 (1 - p) + p^10 = 0.05.
  const p = leastShare(9, 10);
  expect(10 * p ** 9 * (1 - p) + p ** 10).toBeCloseTo(0.05, 9);
  expect(leastShare(0, 10)).toBe(0);
});

it("a change measured again takes the place of the older one, and what is written reads back the same", async () => {
  const [older, newer] = [1.01, 1.02].map((ratio) => knownChangeOf(record([run(ratio)]), "a", "d"));
  const all = withKnownChanges([older!], [newer!, knownChangeOf(record([run(1.03)]), "a", "c")]);
  expect(all.map(({ device, runs }) => [device, runs[0]!.ratio])).toEqual([
    ["c", 1.03],
    ["d", 1.02],
  ]);
  expect(JSON.parse(knownChangesText(all))).toEqual(all);
});

it("a damaged published file is told by its path, a missing one is none", async () => {
  const root = await mkdtemp(join(tmpdir(), "known-changes-"));
  expect(await readKnownChanges(root)).toEqual([]);
  await mkdir(join(root, "reports/harness"), { recursive: true });
  await writeFile(join(root, KNOWN_CHANGES_DATA), "[{}]");
  await expect(readKnownChanges(root)).rejects.toThrow(
    /reports\/harness\/known-changes\.json holds no known changes/,
  );
  await rm(root, { recursive: true });
});

it("the published changes beyond the gate were all called slower, the one under it same, with equal bits", async () => {
  const changes = JSON.parse(
    await readFile(join(checkout!, KNOWN_CHANGES_DATA), "utf8"),
  ) as readonly KnownChange[];
  for (const { runs } of changes) {
    const under = runs.every(({ low }) => low < 1.005);
    expect(new Set(runs.map(({ verdict }) => verdict))).toEqual(new Set([under ? "same" : "slower"]));
    expect(runs.every(({ bits }) => bits === "equal")).toBe(true);
  }
});
