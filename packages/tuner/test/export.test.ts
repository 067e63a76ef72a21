import type { Trial } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { exportReplay, parseReplay, replay, STRATEGIES } from "../src/index.ts";
import { session } from "./bed.ts";
import { DEVICE } from "./fakes.ts";

async function exported(): Promise<{ readonly trials: readonly Trial[]; readonly text: string }> {
  const { sink } = await session({
    answer: ({ config }) =>
      config.x === 3
        ? { status: "crashed" }
        : { ns: 100_000 + 1_000 * (Number(config.x) - 12) ** 2, costMs: 10 },
    tune: { strategy: "exhaustive", budgetMs: 1e9 },
  });
  const header = { device: DEVICE } as Parameters<typeof exportReplay>[0]["header"];
  const files = exportReplay({ header, events: [], trials: sink.trials });
  expect(files).toHaveLength(1);
  expect(files[0]!.name).toBe("toy-only-n=2");
  return { trials: sink.trials, text: files[0]!.text };
}

describe("an exhaustive session as a replay file", () => {
  it("is read back with every measured configuration, its samples and its failures", async () => {
    const { trials, text } = await exported();
    const { kernel, entries } = parseReplay(text, "own.json");
    expect(kernel).toBe("toy/only");
    expect(entries).toHaveLength(new Set(trials.map(({ variant }) => variant)).size);
    const crashed = entries.filter(({ failure }) => failure === "crashed");
    expect(crashed.map(({ config }) => config.x)).toEqual(crashed.map(() => 3));
    expect(crashed.length).toBeGreaterThan(0);
    const best = entries.find(({ config }) => config.x === 12)!;
    expect(best.repeatsMs).toEqual([0.1, 0.1000045]);
    expect(best.ms).toBeCloseTo(0.10000225, 12);
  });

  it("can be searched again without the device", async () => {
    const { text } = await exported();
    const result = replay(parseReplay(text, "own.json"), STRATEGIES.model, {
      runs: 2,
      evaluations: 25,
      seed: 1,
    });
    expect(result.optimumMs).toBeCloseTo(0.10000225, 12);
    expect(result.fractions.at(-1)).toBe(1);
  });
});
