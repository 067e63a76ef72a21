import type { SessionEvent, SessionHeader, Trial } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { searchVerdicts } from "../src/index.ts";
import { H200, header, session, trial } from "./made.ts";

const command = (strategy: string): Partial<SessionHeader> => ({
  command: { ...header("x").command, strategy },
});
const screened = (plan: string, us: number): Trial => trial(plan, us, { grade: "screened" });

/** 40 plans, of 100 to 139 us, of which the first two were certified. */
const everything = Array.from({ length: 40 }, (_, at) => screened(`p${at}`, 100 + at));
const exhaustive = (events?: readonly SessionEvent[]) =>
  session(
    "all",
    [...everything, trial("p0", 100.4), trial("p1", 100.2)],
    command("exhaustive"),
    ...(events ? [events] : []),
  );
const searched = (id: string, plans: readonly Trial[], changes: Partial<SessionHeader> = {}) =>
  session(id, plans, { ...command("model"), ...changes });

describe("a search beside an exhaustive pass", () => {
  it("is judged by what it chose, by that plan's time in the exhaustive pass", () => {
    // It takes p10 for its best: 90 us by its own clock, 110 us where the best took 100.2.
    const search = searched("s", [screened("p30", 130), screened("p10", 90), screened("p20", 120)]);
    const [one, ...more] = searchVerdicts([exhaustive(), search]);
    expect(more).toEqual([]);
    expect(one!.chosen.planHash).toBe("p10");
    expect(one!.there!.timing!.samplesNs).toEqual(trial("p10", 110).timing!.samplesNs);
    expect(one!.behind).toBeCloseTo(110 / 100.2 - 1, 10);
    expect(one!.place).toBe(11);
    expect(one!.timesNs).toHaveLength(40);
    expect(one!.foundNs.map((ns) => ns / 1000)).toEqual([130, 110, 110]);
    expect(one!.exhaustive).toMatchObject({ session: "all", strategy: "exhaustive", trials: 42, plans: 40 });
    expect(one!.search).toMatchObject({ session: "s", strategy: "model", trials: 3, plans: 3 });
  });

  it("takes certified rows for the first place, however fast a screened one looked", () => {
    const search = searched("s", [screened("p5", 80), trial("p1", 100.1)]);
    const [one] = searchVerdicts([exhaustive(), search]);
    expect([one!.best.planHash, one!.chosen.planHash]).toEqual(["p1", "p1"]);
    expect([one!.behind, one!.place]).toEqual([0, 1]);
  });

  it("has no verdict where the exhaustive pass has no time of what was chosen, and says so", () => {
    const plans = Array.from({ length: 39 }, (_, at) => screened(`p${at + 1}`, 200));
    const [one] = searchVerdicts([exhaustive(), searched("s", [...plans, screened("own", 50)])]);
    expect(one!.chosen.planHash).toBe("own");
    expect([one!.there, one!.behind, one!.place]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ["another device", { deviceSlug: "nvidia-a10" }],
    ["another profile", { profile: "native" }],
  ] as const)("is none of %s", (_, changes) => {
    expect(searchVerdicts([exhaustive(), searched("s", [screened("p1", 1)], changes)])).toEqual([]);
  });

  it("is none of another problem, of a part of the space that was searched elsewhere, nor of another exhaustive pass", () => {
    const problem = { n: 128 };
    const sessions = [
      exhaustive(),
      searched("problem", [{ ...screened("p1", 1), problem }]),
      searched("elsewhere", [screened("p1", 101), screened("q1", 1), screened("q2", 2)]),
      session("again", everything, command("exhaustive")),
      searched("failed", [{ ...screened("p1", 1), status: "wrong" }]),
    ];
    expect(searchVerdicts(sessions)).toEqual([]);
  });

  it("counts the time of every leg of a session that was gone on with", () => {
    const leg = (measure: number, verify: number): SessionEvent => ({
      kind: "finished",
      at: "2026-11-30T05:00:00Z",
      trials: 1,
      spentMs: { measure, verify },
    });
    const [one] = searchVerdicts([
      exhaustive([leg(100, 20), leg(300, 60)]),
      searched("s", [screened("p1", 101)]),
    ]);
    expect(one!.exhaustive.spentMs).toEqual({ measure: 400, verify: 80 });
    expect(one!.device).toBe(H200.description);
  });
});
