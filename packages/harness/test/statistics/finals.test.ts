import { describe, expect, it } from "vitest";
import { FINAL_QUADS } from "../../src/race.ts";
import { Finals } from "../../src/race-finals.ts";
import type { Lane, Racer } from "../../src/race-rounds.ts";

interface Kernel extends Racer {
  readonly ns: number;
}

const lane = (id: string, ns: number): Lane<Kernel> => ({
  entry: { id, ns },
  log: [],
  samplesNs: [],
  rejected: 0,
  state: "racing",
});

/** Lets the finalists meet; whoever `dies` says fails at its first sample of that meeting. */
function met(lanes: readonly Lane<Kernel>[], dies: (id: string, meeting: number) => boolean = () => false) {
  const finals = new Finals(lanes, FINAL_QUADS, 0);
  for (let next = finals.next(); next; next = finals.next()) {
    if (dies(next.lane.entry.id, finals.meetings.length)) finals.fail("died");
    else finals.take(next.lane.entry.ns);
  }
  const gaps = Object.fromEntries([...finals.gaps].map(([{ entry }, { log }]) => [entry.id, Math.exp(log)]));
  return { finals, gaps, pairs: finals.meetings.map((one) => `${one.champion.id}-${one.against.id}`) };
}

describe("the finals", () => {
  it("let the champion meet each of the others once", () => {
    const { finals, gaps, pairs } = met([lane("a", 1e6), lane("b", 1.002e6), lane("c", 1.02e6)]);
    expect(finals.champion.entry.id).toBe("a");
    expect(pairs).toEqual(["a-b", "a-c"]);
    expect(gaps.b).toBeCloseTo(1.002, 9);
    expect(gaps.c).toBeCloseTo(1.02, 9);
  });

  it("hand over to who is faster beyond the gate, and measure all from there", () => {
    const { finals, gaps, pairs } = met([
      lane("a", 1e6),
      lane("b", 1.002e6),
      lane("c", 0.98e6),
      lane("d", 0.99e6),
    ]);
    expect(finals.champion.entry.id).toBe("c");
    expect(pairs).toEqual(["a-b", "a-c", "c-d"]);
    expect(gaps.a).toBeCloseTo(1 / 0.98, 9);
    expect(gaps.b).toBeCloseTo(1.002 / 0.98, 9);
    expect(gaps.d).toBeCloseTo(0.99 / 0.98, 9);
    expect(gaps.c).toBeUndefined();
  });

  it("do not hand over within the gate", () => {
    const { finals, gaps } = met([lane("a", 1e6), lane("b", 0.997e6)]);
    expect(finals.champion.entry.id).toBe("a");
    expect(gaps.b).toBeCloseTo(0.997, 9);
  });

  it("of a champion that dies go on with whom it met, and forget what was measured from it", () => {
    const lanes = [lane("a", 1e6), lane("b", 1.002e6), lane("c", 1.001e6), lane("d", 1.003e6)];
    const { finals, gaps } = met(lanes, (id, meeting) => id === "a" && meeting === 1);
    expect(finals.champion.entry.id).toBe("c");
    expect(lanes[0]).toMatchObject({ state: "failed", reason: "died" });
    expect(Object.keys(gaps)).toEqual(["d"]);
  });

  it("keep the champion when its challenger dies", () => {
    const lanes = [lane("a", 1e6), lane("b", 0.9e6)];
    const { finals, gaps } = met(lanes, (id) => id === "b");
    expect(finals.champion.entry.id).toBe("a");
    expect(lanes[1]).toMatchObject({ state: "failed", reason: "died" });
    expect(gaps).toEqual({});
  });
});
