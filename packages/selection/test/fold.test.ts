import type { Trial } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { fold } from "../src/index.ts";
import { only, plans } from "./folded.ts";
import { BOUNDS, quiet, session, trial } from "./made.ts";

describe("what enters a table", () => {
  it("only certified trials that passed verification under the bound", () => {
    const bad = { matched: 3, total: 4, sampled: 4, maxError: 1e-7, nearTies: 0 };
    const sessions = [
      session("a", [
        trial("good", 10),
        trial("screened", 1, { grade: "screened" }),
        trial("raced", 1, { grade: "raced" }),
        trial("half", 1, { verdict: bad }),
        trial("inexact", 1, { verdict: { ...bad, matched: 4, maxError: 2e-6 } }),
        trial("nan", 1, { verdict: { ...bad, matched: 4, maxError: Number.NaN } }),
        trial("empty", 1, { verdict: { ...bad, matched: 0, total: 0 } }),
        trial("noisy", 1, { status: "noisy" }),
        trial("hung", 1, { status: "hung" }),
      ]),
    ];
    expect(plans(sessions)).toEqual(["good"]);
    const entry = only(sessions).entries[0]!;
    expect(entry).toMatchObject({ measured: 4, failed: 5 });
  });

  it("a plan that was once proved wrong stays out, however fast it was another time", () => {
    const wrong = trial("quick", 1, { status: "wrong" });
    expect(plans([session("a", [trial("slow", 10), trial("quick", 1), wrong])])).toEqual(["slow"]);
    expect(plans([session("a", [trial("slow", 10), wrong]), session("b", [trial("quick", 1)])])).toEqual([
      "slow",
    ]);
  });

  it("a retracted trial or session refolds to what the rest says", () => {
    const sessions = [session("a", [trial("p", 10)]), session("b", [trial("q", 5), trial("r", 7)])];
    expect(plans(sessions)).toEqual(["q", "r", "p"]);
    const retracted = [{ session: "b", trial: "b.1", reason: "clock" }];
    expect(plans(sessions, { retracted })).toEqual(["r", "p"]);
    expect(plans(sessions, { retracted: [{ session: "b", reason: "busy" }] })).toEqual(["p"]);
  });

  it("trials of an older epoch or protocol, or of another epoch than the suite's, do not count", () => {
    const old = session("a", [trial("old", 1)]);
    const fresh = session("b", [trial("fresh", 10, { epoch: 2 })]);
    expect(plans([old, fresh])).toEqual(["fresh"]);
    expect(plans([fresh, old])).toEqual(["fresh"]);
    expect(plans([old, fresh], { epochs: { scale: 1 } })).toEqual(["old"]);
    expect(fold([old], { bounds: BOUNDS, epochs: { scale: 2 } })).toEqual([]);
    expect(plans([session("a", [trial("old", 1)], { protocol: 0 }), session("b", [trial("p", 9)])])).toEqual([
      "p",
    ]);
  });

  it("an operation without a bound is a usage fault that names it", () => {
    expect(() => fold([session("a", [trial("p", 1)])], { bounds: {} })).toThrow(/bound.*scale/);
  });

  it("keeps sixteen rows and the default, with its true rank", () => {
    const many = Array.from({ length: 30 }, (_, index) => trial(`p${index}`, 10 + index));
    const table = only([session("a", [...many, trial("default", 100, { isDefault: true })])]);
    const { rows, defaultUs, medianUs, measured } = table.entries[0]!;
    expect(rows).toHaveLength(17);
    expect(rows.at(-1)).toMatchObject({ planHash: "default", rank: 31, isDefault: true });
    expect({ defaultUs, medianUs, measured }).toEqual({ defaultUs: 100, medianUs: 25, measured: 31 });
  });

  it("the space's median counts screened variants too", () => {
    const screened = [20, 30, 40, 50].map((us) => trial(`s${us}`, us, { grade: "screened" }));
    expect(only([session("a", [trial("p", 10), ...screened])]).entries[0]!.medianUs).toBe(30);
  });

  it("one plan measured twice in a session is one row, its certified and newest evidence", () => {
    const table = only([
      session("a", [
        trial("p", 10),
        trial("p", 12, { variant: "plain/alias" }),
        trial("p", 3, { grade: "screened" }),
      ]),
    ]);
    expect(table.entries[0]!.rows).toHaveLength(1);
    expect(table.entries[0]!.rows[0]).toMatchObject({ minUs: 12, trial: "a.2" });
  });

  it("fractions of the ceilings come from the session's own ceilings", () => {
    const ceilings = { fmaFlopsPerSecond: 1e9, copyBytesPerSecond: 4e8 };
    const events = [quiet, { kind: "ceilings", at: "2026-11-30T05:00:01Z", ceilings } as const];
    const row = only([session("a", [trial("p", 10)], {}, events)]).entries[0]!.rows[0]!;
    expect(row).toMatchObject({ fractionOfFma: 0.1, fractionOfCopy: 0.5 });
    expect(row).not.toHaveProperty("cacheServed");
    expect(row).not.toHaveProperty("underFilled");
  });

  it("a row says what it takes of workgroup memory, whether caches served it and whether it fills the device", () => {
    const ceilings = {
      copyBytesPerSecond: 1e9,
      workgroupBytesPerSecond: 4e9,
      computeUnits: { value: 132, source: "estimated" },
    } as const;
    const events = [quiet, { kind: "ceilings", at: "2026-11-30T05:00:01Z", ceilings } as const];
    // 10 us at 1 GB/s are 10,000 bytes.
    const rowOf = (more: Partial<Trial>) =>
      only([session("a", [trial("p", 10, more)], {}, events)]).entries[0]!.rows[0]!;
    expect(rowOf({ workgroupBytes: 20_000, requestedBytes: 10_001, workgroups: 131 })).toMatchObject({
      fractionOfWorkgroup: 0.5,
      cacheServed: true,
      underFilled: true,
    });
    const full = rowOf({ requestedBytes: 10_000, workgroups: 132 });
    expect(full).not.toHaveProperty("cacheServed");
    expect(full).not.toHaveProperty("underFilled");
    expect(only([session("a", [trial("p", 10)], {}, events)]).ceilings.computeUnits).toEqual({
      value: 132,
      source: "estimated",
    });
  });

  it("a row tells its time by the anchor beside the raw minimum", () => {
    const made = trial("p", 10);
    const each = made.timing!.samplesNs[0]!;
    const steady = { ...made.timing!, samplesNs: [each, each] };
    const anchor = { name: "fma-f32", samplesNs: [each / 2, each / 2, each / 2], amount: 3e9 };
    const row = (more: Partial<typeof anchor>) =>
      only([session("a", [{ ...made, timing: { ...steady, anchor: { ...anchor, ...more } } }])]).entries[0]!
        .rows[0]!;
    const work = 6 / made.timing!.repeats;
    expect(row({})).toMatchObject({ minUs: 10, anchored: { anchor: "fma-f32", work } });
    expect(row({ samplesNs: [1, 2] })).not.toHaveProperty("anchored");
  });

  it("a session whose anchors drifted resolves no more than a noisy one", () => {
    const untrusted = { kind: "untrusted", at: "2026-11-30T06:00:00Z", reason: "drift" } as const;
    const both = [trial("fast", 10), trial("slow", 12)];
    expect(only([session("a", both, {}, [quiet])]).noisy).toBe(false);
    const table = only([session("a", both, {}, [quiet, untrusted])]);
    expect(table.noisy).toBe(true);
    expect(table.entries[0]!.rows.map(({ tie }) => tie)).toEqual([false, true]);
  });

  it("the readings behind the ceilings stay in the session", () => {
    const readings = [{ name: "fma", ceiling: "fma", perSecond: 1e9, samples: 8, cv: 0.1 }] as const;
    const ceilings = { fmaFlopsPerSecond: 1e9, readings };
    const events = [quiet, { kind: "ceilings", at: "2026-11-30T05:00:01Z", ceilings } as const];
    expect(only([session("a", [trial("p", 10)], {}, events)]).ceilings).toEqual({ fmaFlopsPerSecond: 1e9 });
  });
});

describe("ranking", () => {
  it("a tie goes to fewer workgroup bytes, then the smaller workgroup, then the id", () => {
    const on = (workgroupBytes: number, invocations: number): Partial<Trial> => ({
      resources: { workgroupBytes, invocations },
    });
    const sessions = [
      session("a", [
        trial("large", 10, on(4096, 64)),
        trial("wide", 10.01, on(1024, 128)),
        trial("b", 10.02, on(1024, 64)),
        trial("a", 10.03, on(1024, 64)),
      ]),
    ];
    expect(plans(sessions)).toEqual(["a", "b", "wide", "large"]);
    expect(only(sessions).entries[0]!.rows.map(({ tie }) => tie)).toEqual([false, true, true, true]);
  });

  it("a gap inside the samples' spread is a tie although it is outside the gate", () => {
    const simple = { resources: { workgroupBytes: 0, invocations: 32 } };
    const wide = [trial("fast", 10, {}, 0.3), trial("simple", 10.2, simple, 0.3)];
    expect(plans([session("a", wide)])).toEqual(["simple", "fast"]);
    const tight = [trial("fast", 10), trial("simple", 10.2, simple)];
    expect(plans([session("a", tight)])).toEqual(["fast", "simple"]);
  });

  it("an incumbent yields only to a resolved win, not to a simpler tie", () => {
    const first = session("a", [trial("holder", 10)]);
    const simple = { resources: { workgroupBytes: 0, invocations: 32 } };
    expect(plans([first, session("b", [trial("tied", 9.99, simple)])])).toEqual(["holder", "tied"]);
    expect(plans([first, session("b", [trial("better", 9.8, simple)])])).toEqual(["better", "holder"]);
  });

  it("a simpler tie of a winner that does not itself beat the incumbent does not take its place", () => {
    const first = session("a", [trial("holder", 10)]);
    const simple = { resources: { workgroupBytes: 0, invocations: 32 } };
    const second = session("b", [trial("winner", 9.93), trial("between", 9.96, simple)]);
    expect(plans([first, second])[0]).toBe("winner");
  });

  it("ranks by what is written: differences below four digits decide nothing", () => {
    const a = plans([session("a", [trial("b", 1000.01), trial("a", 1000.04)])]);
    expect(a).toEqual(["a", "b"]);
  });
});
