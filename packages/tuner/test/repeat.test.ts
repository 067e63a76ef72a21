import { randomFrom } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { STRATEGY_NAMES, type StrategyName, type TuneOptions } from "../src/index.ts";
import { screened, session } from "./bed.ts";

/** Screened variants in order, on a device whose times are another draw each time. */
async function proposals(strategy: StrategyName, times: number, options: Partial<TuneOptions> = {}) {
  const random = randomFrom(times);
  const { result } = await session({
    answer: () => ({ ns: 1_000 + 1_000 * random.float() }),
    tune: { budgetMs: Number.POSITIVE_INFINITY, trials: 36, strategy, ...options },
  });
  return screened(result.trials).map(({ variant }) => variant);
}

/**
 * Variants screened before a strategy has learnt anything, the default first: the model waits for 8 with a time, the genetic for 20. Fewer are
 * screened, since half of the candidates come to a plan of another.
 */
const BEGINNING: Readonly<Partial<Record<StrategyName, number>>> = {
  model: 6,
  genetic: 10,
  annealing: 2,
  local: 2,
};

describe("two sessions of one seed", () => {
  it.each(STRATEGY_NAMES)("begin alike, whatever the times (%s)", async (strategy) => {
    const [one, other] = [await proposals(strategy, 1), await proposals(strategy, 2)];
    const beginning = BEGINNING[strategy] ?? one.length;
    expect(one.length).toBeGreaterThanOrEqual(beginning);
    expect(other.slice(0, beginning)).toEqual(one.slice(0, beginning));
  });

  it.each(STRATEGY_NAMES)("are the same to the end where the times agree (%s)", async (strategy) => {
    for (const ahead of [1, 4])
      expect(await proposals(strategy, 3, { ahead })).toEqual(await proposals(strategy, 3, { ahead }));
  });

  it("differ after their beginning where a strategy follows times that differ, and with the seed where it does not", async () => {
    expect(await proposals("model", 1)).not.toEqual(await proposals("model", 2));
    expect(await proposals("random", 1, { seed: 2 })).not.toEqual(await proposals("random", 1));
    expect(await proposals("model", 1, { seed: 2 })).not.toEqual(await proposals("model", 1));
    // Every variant in the order of the space: there is nothing to draw.
    expect(await proposals("exhaustive", 1, { seed: 2 })).toEqual(await proposals("exhaustive", 1));
  });
});
