import { describe, expect, it } from "vitest";
import { type Candidate, type Spaces, STRATEGIES, type Strategy } from "../src/index.ts";
import { guarded } from "../src/strategies/guard.ts";

const SPACES: Spaces = [
  {
    algorithm: "one",
    space: {
      parameters: [{ name: "x", values: [1, 2, 3, 4], doc: "" }],
      constraints: [{ name: "small", doc: "x < 4", parameters: ["x"], holds: ({ x }) => Number(x) < 4 }],
    },
  },
];

const at = (x: number, algorithm = "one"): Candidate => ({ algorithm, config: { x } });

const scripted = (...list: readonly Candidate[]): Strategy => {
  const left = [...list];
  return { total: 3, propose: () => left.shift(), observe: () => {} };
};

describe("a strategy that proposes rubbish", () => {
  it("loses the bad proposals, each in one line, and goes on", () => {
    const lines: string[] = [];
    const strategy = guarded(scripted(at(1), at(4), at(9), at(1), at(2, "two"), at(3)), SPACES, (line) =>
      lines.push(line),
    );
    expect([strategy.propose(), strategy.propose(), strategy.propose()]).toEqual([at(1), at(3), undefined]);
    expect(lines).toEqual([
      "the strategy proposed an invalid variant of one: x=4 breaks the constraint small: x < 4; it is skipped",
      "the strategy proposed an invalid variant of one: x cannot be 9: choose one of 1, 2, 3, 4; it is skipped",
      "the strategy proposed one x=1 again; it is skipped",
      'the strategy proposed an unknown algorithm "two": there is one; it is skipped',
    ]);
  });

  it("may not repeat what was observed before it began", () => {
    const lines: string[] = [];
    const strategy = guarded(scripted(at(2), at(3)), SPACES, (line) => lines.push(line));
    strategy.observe({ candidate: at(2), status: "ok", ns: 5 });
    expect(strategy.propose()).toEqual(at(3));
    expect(lines).toHaveLength(1);
  });

  it("is given up after a hundred in a row", () => {
    const lines: string[] = [];
    const stubborn: Strategy = { total: 3, propose: () => at(4), observe: () => {} };
    expect(guarded(stubborn, SPACES, (line) => lines.push(line)).propose()).toBeUndefined();
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toMatch(/100 unusable variants in a row/);
  });

  it("is never one of the laboratory's own", () => {
    for (const make of Object.values(STRATEGIES)) {
      const lines: string[] = [];
      const strategy = guarded(make(SPACES, 1), SPACES, (line) => lines.push(line));
      strategy.observe({ candidate: at(2), status: "ok", ns: 5 });
      const proposed = [strategy.propose(), strategy.propose(), strategy.propose()];
      expect(proposed.map((one) => one?.config.x).sort()).toEqual([1, 3, undefined]);
      expect(lines).toEqual([]);
    }
  });
});
