import type { Space } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { type Spaces, STRATEGIES, type Strategy, strategyNamed } from "../src/index.ts";

const values = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const spaceOf = (...sizes: readonly number[]): Space => ({
  parameters: sizes.map((size, index) => ({ name: `p${index}`, values: values(size), doc: "" })),
  constraints: [],
});

const SPACES: Spaces = [
  { algorithm: "large", space: spaceOf(30, 20) },
  { algorithm: "small", space: spaceOf(3) },
];

function take(strategy: Strategy, count: number = Number.POSITIVE_INFINITY): readonly string[] {
  const texts: string[] = [];
  while (texts.length < count) {
    const candidate = strategy.propose();
    if (!candidate) break;
    texts.push(`${candidate.algorithm} ${JSON.stringify(candidate.config)}`);
  }
  return texts;
}

describe.each(Object.entries(STRATEGIES))("the %s strategy", (_, make) => {
  it("proposes every variant of every algorithm once and says how many there are", () => {
    const strategy = make(SPACES, 1);
    const all = take(strategy);
    expect(all).toHaveLength(603);
    expect(new Set(all).size).toBe(603);
    expect(strategy.total).toBe(603);
  });

  it("proposes the same variants in the same order for the same seed", () => {
    expect(take(make(SPACES, 5))).toEqual(take(make(SPACES, 5)));
  });

  it("proposes nothing where a space has no valid configuration", () => {
    const none: Space = {
      ...spaceOf(4),
      constraints: [{ name: "never", doc: "", parameters: ["p0"], holds: () => false }],
    };
    expect(take(make([{ algorithm: "none", space: none }], 1))).toEqual([]);
  });
});

describe("the random strategy", () => {
  it("gives another order for another seed", () => {
    expect(take(STRATEGIES.random(SPACES, 1))).not.toEqual(take(STRATEGIES.random(SPACES, 2)));
  });

  it("lets the algorithms take turns until the small one is used up", () => {
    const algorithms = take(STRATEGIES.random(SPACES, 1), 8).map((text) => text.split(" ")[0]);
    expect(algorithms).toEqual(["large", "small", "large", "small", "large", "small", "large", "large"]);
  });

  it("spreads the first proposals over the whole space", () => {
    const firsts = take(STRATEGIES.random([{ algorithm: "one", space: spaceOf(10, 100) }], 3), 200);
    const seen = new Set(firsts.map((text) => /"p0":(\d+)/.exec(text)![1]));
    expect(seen.size).toBe(10);
  });

  it("draws a vast space only as far as it is asked for", () => {
    let checks = 0;
    const vast: Space = {
      ...spaceOf(60, 60, 60, 60),
      constraints: [
        {
          name: "watched",
          doc: "",
          parameters: ["p0"],
          holds: () => {
            checks++;
            return true;
          },
        },
      ],
    };
    const strategy = STRATEGIES.random([{ algorithm: "vast", space: vast }], 1);
    expect(new Set(take(strategy, 100)).size).toBe(100);
    expect(strategy.total).toBe(60 ** 4);
    expect(checks).toBeLessThan(2_000);
    expect(new Set(take(strategy, 3_000)).size).toBe(3_000);
  });
});

describe("a strategy's name", () => {
  it("is looked up, and an unknown one is a usage Fault that lists what exists", () => {
    expect(strategyNamed("random")).toBe("random");
    expect(() => strategyNamed("toString")).toThrow(/unknown strategy "toString".*exhaustive, random, local/);
  });
});

describe("a course that is asked ahead of what it waits for", () => {
  const LINE: Spaces = [{ algorithm: "one", space: spaceOf(40, 40) }];
  const costOf = ({ config }: { readonly config: Readonly<Record<string, unknown>> }): number =>
    1 + (Number(config.p0) - 20) ** 2 + (Number(config.p1) - 20) ** 2;

  it("breeds the rest of the generation, which then joins it: genetic is as good with ten pending as one after another", () => {
    const found = (pending: number): number => {
      let sum = 0;
      for (let seed = 0; seed < 20; seed++) {
        const strategy = STRATEGIES.genetic(LINE, seed);
        const waiting = Array.from({ length: pending }, () => strategy.propose()!);
        let best = Number.POSITIVE_INFINITY;
        for (let trial = 0; trial < 200; trial++) {
          const candidate = waiting.shift()!;
          best = Math.min(best, costOf(candidate));
          strategy.observe({ candidate, status: "ok", ns: costOf(candidate) });
          waiting.push(strategy.propose()!);
        }
        sum += Math.log(best);
      }
      return sum / 20;
    };
    const [alone, ahead] = [found(1), found(10)];
    expect(ahead).toBeLessThan(alone + 0.3);
  });

  it.each(["local", "annealing", "genetic"] as const)("never proposes one twice: %s", (name) => {
    const strategy = STRATEGIES[name](LINE, 3);
    const waiting: ReturnType<Strategy["propose"]>[] = [];
    const seen = new Set<string>();
    for (let trial = 0; trial < 600; trial++) {
      const candidate = strategy.propose()!;
      const text = JSON.stringify(candidate.config);
      expect(seen.has(text)).toBe(false);
      seen.add(text);
      waiting.push(candidate);
      if (waiting.length < 12) continue;
      const [one] = waiting.splice((trial * 7) % 5, 1);
      strategy.observe({ candidate: one!, status: "ok", ns: costOf(one!) });
    }
  });
});
