import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrialOutcome } from "@tunelab/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { timesOf } from "../src/commands/toggles.ts";
import {
  parseToggleTimes,
  TOGGLE_SETS,
  type ToggleTimes,
  toggleSection,
  toggleTimesText,
  withToggleTimes,
} from "../src/spirv/toggle-times.ts";
import { lab } from "./collect.ts";

const ONE: ToggleTimes = {
  ...{ device: "swiftshader", commit: "abc", day: "2026-11-30", kernel: "matched-filter" },
  ...{ problem: { n: 64 }, variant: "fused/radix=4", workgroupBytes: 512, rounds: 2 },
  ...{ matched: 8, total: 8, scatter: 0.25 },
  leastUs: { portable: 30, "without robustness": 20, "without zeroed workgroup memory": 15, native: 10 },
};

describe("sets of toggles", () => {
  it("are portable's none, each of native's alone, and native's", () => {
    expect(TOGGLE_SETS.map(({ toggles }) => toggles)).toEqual([
      [],
      ["disable_robustness"],
      ["disable_workgroup_init"],
      ["disable_robustness", "disable_workgroup_init"],
    ]);
    expect(TOGGLE_SETS.map(({ name }) => name)).toEqual(Object.keys(ONE.leastUs));
  });
});

describe("times of toggles", () => {
  it("come back from their file as they were, and a file that is none is named", () => {
    expect(parseToggleTimes(toggleTimesText([ONE, ONE]), "x.json")).toEqual([ONE, ONE]);
    expect(() => parseToggleTimes("[{", "x.json")).toThrow("x.json is not JSON");
    expect(() => parseToggleTimes("{}", "x.json")).toThrow("x.json holds no times of toggles");
    const negative = JSON.stringify([{ ...ONE, leastUs: { native: -1 } }]);
    expect(() => parseToggleTimes(negative, "x.json")).toThrow("0.leastUs.native");
  });

  it("take the place of older ones of the same variant, problem and device alone", () => {
    const newer = { ...ONE, leastUs: { ...ONE.leastUs, native: 9 } };
    const others = [
      { ...ONE, device: "other" },
      { ...ONE, problem: { n: 128 } },
    ];
    const all = withToggleTimes([ONE, ...others], [newer]);
    expect(all).toHaveLength(3);
    expect(all).toContain(newer);
    expect(all).not.toContain(ONE);
    expect(withToggleTimes([newer], others)).toEqual(withToggleTimes(others, [newer]));
  });

  it("are shown as what each set takes over native", () => {
    expect(toggleSection([ONE])).toContain(
      "| swiftshader | matched-filter | n=64 | `fused/radix=4` | 512 bytes | 10.0 µs | 3.000x | 2.000x | 1.500x | 25% | 8/8 |",
    );
    expect(toggleSection([])).toContain("pnpm lab toggles");
  });
});

const outcome = (ns: number, matched = 4): TrialOutcome =>
  ({
    status: "ok",
    timing: { samplesNs: [2 * ns, ns], repeats: 1 },
    verdict: { matched, total: 4 },
  }) as unknown as TrialOutcome;

describe("what rounds come to", () => {
  it("is the least of each set, the widest scatter of any, and every verification", () => {
    const rounds = [
      [outcome(4000), outcome(3000)],
      [outcome(2000), outcome(2000)],
      [outcome(1000), outcome(1500)],
      [outcome(1000), outcome(1000)],
    ];
    expect(timesOf("v", rounds)).toEqual({
      leastUs: {
        portable: 3,
        "without robustness": 2,
        "without zeroed workgroup memory": 1,
        native: 1,
      },
      ...{ scatter: 0.5, matched: 32, total: 32 },
    });
  });

  it("is refused where a set gave no time, with its reason", () => {
    const refused = { status: "refused", reason: "too large" } as TrialOutcome;
    expect(() => timesOf("v", [[outcome(1)], [refused], [outcome(1)], [outcome(1)]])).toThrow(
      "v has no time without robustness: refused, too large",
    );
  });
});

describe("lab toggles", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-toggles-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("without a kernel, with an unknown one, with no rounds or with a file that is none is refused in one line", async () => {
    const broken = join(folder, "broken.json");
    await writeFile(broken, "[{");
    for (const [words, code, says] of [
      [[], 2, /name a kernel/],
      [["magic"], 2, /unknown kernel "magic"/],
      [["matched-filter", "--rounds", "0"], 2, /--rounds/],
      [["--import", join(folder, "none.json")], 2, /cannot be read: give a file/],
      [["--import", broken], 1, /broken.json is not JSON/],
    ] as const) {
      const got = await lab(["toggles", ...words]);
      expect(got.code, got.notes).toBe(code);
      expect(got.notes).toMatch(says);
      expect(got.notes.split("\n")).toHaveLength(1);
    }
  });
});
