import type { SessionEvent } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { fold } from "../src/index.ts";
import { BOUNDS, noisy, quiet, session, trial } from "./made.ts";

/** A race in which `champion` met `against`, whose time was `ratio` of its own. */
const race = (
  champion: string,
  against: string,
  verdict: "changed" | "same" | "unresolved",
  ratio: number,
  at = "2026-11-30T05:30:00Z",
): SessionEvent => ({
  kind: "race",
  at,
  operation: "scale",
  problem: { n: 64 },
  entries: 2,
  rounds: 6,
  leaders: [champion],
  duels: [{ champion, against, verdict, ratio, low: ratio * 0.999, high: ratio * 1.001, quads: 8 }],
});

const ranked = (...sessions: Parameters<typeof fold>[0]) =>
  fold(sessions, { bounds: BOUNDS })[0]!.entries[0]!.rows.map(
    ({ planHash, tie }) => `${planHash}${tie ? " tie" : ""}`,
  );

const A = "01KBA0000000000000000000AA";
const B = "01KBA0000000000000000000AB";

describe("paired quads in a table", () => {
  it("resolve what the samples of one row after another could not", () => {
    const trials = [trial("a", 10), trial("b", 10.02)];
    expect(ranked(session(A, trials))).toEqual(["a", "b tie"]);
    expect(ranked(session(A, trials, {}, [quiet, race("b", "a", "changed", 1.02)]))).toEqual(["b", "a"]);
  });

  it("make a tie of what only looked resolved", () => {
    const trials = [trial("b", 10), trial("a", 10.2)];
    expect(ranked(session(A, trials))).toEqual(["b", "a"]);
    expect(ranked(session(A, trials, {}, [quiet, race("b", "a", "unresolved", 1.004)]))).toEqual([
      "a",
      "b tie",
    ]);
  });

  it("displace an incumbent on a noisy device, where nothing else does", () => {
    const first = session(A, [trial("a", 10)], {}, [noisy]);
    const faster = [trial("a", 10), trial("b", 9)];
    expect(ranked(first, session(B, faster, {}, [noisy]))).toEqual(["a", "b tie"]);
    expect(ranked(first, session(B, faster, {}, [noisy, race("a", "b", "changed", 0.9)]))).toEqual([
      "b",
      "a",
    ]);
  });

  it("leave an incumbent in its place unless they say that it is slower", () => {
    const first = session(A, [trial("b", 10)]);
    const second = [trial("b", 10), trial("a", 9.8)];
    expect(ranked(first, session(B, second))).toEqual(["a", "b"]);
    expect(ranked(first, session(B, second, {}, [quiet, race("b", "a", "same", 0.998)]))).toEqual([
      "b",
      "a tie",
    ]);
  });

  it("count for their own problem alone, the last word of a session first", () => {
    const trials = [trial("a", 10), trial("b", 10.02)];
    const other = { ...race("b", "a", "changed", 1.02), problem: { n: 128 } };
    expect(ranked(session(A, trials, {}, [quiet, other]))).toEqual(["a", "b tie"]);
    const words = [race("b", "a", "changed", 1.02), race("b", "a", "same", 1, "2026-11-30T05:40:00Z")];
    expect(ranked(session(A, trials, {}, [quiet, ...words]))).toEqual(["a", "b tie"]);
  });
});
