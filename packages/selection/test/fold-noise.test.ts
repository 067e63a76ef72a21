import type { SessionEvidence, Status, Trial } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, parseTable, serialiseTable } from "../src/index.ts";
import { only, plans } from "./folded.ts";
import { BOUNDS, H200, noisy, quiet, session, trial } from "./made.ts";

describe("noise", () => {
  const at = (plan: string, us: number, changes: Partial<Trial> = {}): Trial =>
    trial(plan, us, { status: "noisy", ...changes }, 0.4);

  it("on a noisy device noisy trials rank, 35% is a tie, and the table says so", () => {
    const simple = { resources: { workgroupBytes: 0, invocations: 32 } };
    const table = only([
      session("a", [at("fast", 10), at("simple", 13, simple), at("slow", 20)], {}, [noisy]),
    ]);
    expect(table.noisy).toBe(true);
    expect(table.entries[0]!.rows.map((row) => [row.planHash, row.tie])).toEqual([
      ["simple", false],
      ["fast", true],
      ["slow", false],
    ]);
  });

  it("a lucky certificate on a noisy device is still noisy evidence", () => {
    const simple = { resources: { workgroupBytes: 0, invocations: 32 } };
    const table = only([session("a", [trial("lucky", 10), at("simple", 12, simple)], {}, [noisy])]);
    expect(table.entries[0]!.rows.map((row) => row.planHash)).toEqual(["simple", "lucky"]);
  });

  it("where nothing met the gate the noisy trials stand, even if the probe was hopeful", () => {
    expect(only([session("a", [at("p", 10)])]).noisy).toBe(true);
  });

  it("noise never displaces a quiet incumbent, nor its better evidence", () => {
    const first = session("a", [trial("holder", 10)]);
    const second = session("b", [at("fast", 1), at("holder", 30)], {}, [noisy]);
    const rows = only([first, second]).entries[0]!.rows;
    expect(rows.map((row) => [row.planHash, row.minUs])).toEqual([
      ["holder", 10],
      ["fast", 1],
    ]);
  });

  it("a noisy incumbent yields only beyond 35%", () => {
    const first = session("a", [at("holder", 10)], {}, [noisy]);
    expect(plans([first, session("b", [at("q", 8)], {}, [noisy])])[0]).toBe("holder");
    expect(plans([first, session("b", [at("q", 7)], {}, [noisy])])[0]).toBe("q");
  });
});

describe("machines", () => {
  const device = (driver: string) => ({
    device: { identity: { ...H200, driver }, capabilities: { features: [], limits: {} as never } },
  });

  it("results of different devices, compilers and profiles are tables of their own", () => {
    const other = { identity: { ...H200, device: "Radeon 8060S", description: "", vendor: "amd" } };
    const naga = { identity: { ...H200, compiler: "naga" } };
    const as = (id: string, info: { identity: typeof H200 }) =>
      session(id, [trial("p", 10)], { device: { ...info, capabilities: device("1").device.capabilities } });
    const tables = fold(
      [
        session("a", [trial("p", 10)]),
        as("b", other),
        as("c", naga),
        session("d", [trial("p", 10)], { profile: "native" }),
      ],
      { bounds: BOUNDS },
    );
    expect(tables).toHaveLength(4);
    expect(tables.every((table) => table.sessions.length === 1)).toBe(true);
  });

  it("another driver's times replace an entry and are never ranked against the old ones", () => {
    const both = [trial("old", 1), trial("elsewhere", 2, { problem: { n: 128 } })];
    const table = only([session("a", both, device("570")), session("b", [trial("new", 10)], device("580"))]);
    expect(table.device.identity.driver).toBe("580");
    expect(table.entries.map(({ problem, rows, agedOn }) => [problem.n, rows[0]!.planHash, agedOn])).toEqual([
      [64, "new", undefined],
      [128, "elsewhere", "dawn 0.6.2, driver 570"],
    ]);
  });

  it("two computers with one software GPU are two machines", () => {
    const cpu = (name: string) => ({
      device: { ...device("1").device, identity: { ...H200, adapterType: "cpu" as const } },
      host: { platform: "linux", runtime: "node", cpu: name, cores: 2, loadAverage: 0 },
    });
    const sessions = [session("a", [trial("p", 1)], cpu("EPYC")), session("b", [trial("q", 9)], cpu("Xeon"))];
    expect(plans(sessions)).toEqual(["q"]);
  });

  it("a driver that produced nothing usable does not take an entry over", () => {
    const failed = session("b", [trial("p", 1, { status: "crashed" })], device("580"));
    const table = only([session("a", [trial("p", 10)], device("570")), failed]);
    expect(table.entries[0]!.rows[0]!.planHash).toBe("p");
  });
});

describe("determinism", () => {
  const statuses: readonly Status[] = ["ok", "noisy", "wrong", "hung"];
  const trials = fc.array(
    fc.record({
      plan: fc.integer({ min: 0, max: 6 }),
      us: fc.integer({ min: 990, max: 1010 }),
      bytes: fc.constantFrom(0, 1024),
      status: fc.constantFrom(...statuses, "ok" as const, "ok" as const),
      grade: fc.constantFrom("certified" as const, "certified" as const, "screened" as const),
      n: fc.constantFrom(64, 256, 1024),
    }),
    { minLength: 1, maxLength: 30 },
  );
  const make = (
    made: readonly {
      plan: number;
      us: number;
      bytes: number;
      status: Status;
      grade: Trial["grade"];
      n: number;
    }[],
  ) =>
    made.map(({ plan, us, bytes, status, grade, n }, index) =>
      trial(`p${plan}`, us / 100, {
        sequence: index + 1,
        status,
        grade,
        problem: { n },
        resources: { workgroupBytes: bytes, invocations: 64 },
      }),
    );

  it("the order of trials and events within a session changes no byte", () => {
    fc.assert(
      fc.property(trials, trials, fc.boolean(), fc.infiniteStream(fc.nat()), (first, second, loud, keys) => {
        const events = loud ? [noisy] : [quiet];
        const a = session("a", make(first), {}, events);
        const b = session("b", make(second), {}, [quiet]);
        const shuffled = (one: SessionEvidence): SessionEvidence => ({
          ...one,
          events: [...one.events].reverse(),
          trials: one.trials
            .map((each) => ({ each, key: keys.next().value as number }))
            .sort((x, y) => x.key - y.key)
            .map(({ each }) => each),
        });
        const text = (sessions: readonly SessionEvidence[]) =>
          fold(sessions, { bounds: BOUNDS }).map(serialiseTable).join("");
        expect(text([shuffled(a), shuffled(b)])).toBe(text([a, b]));
      }),
      { numRuns: 200 },
    );
  });

  it("ranks are a strict order without gaps, and every tie claim is about the row above", () => {
    fc.assert(
      fc.property(trials, (made) => {
        for (const table of fold([session("a", make(made))], { bounds: BOUNDS })) {
          for (const { rows } of table.entries) {
            expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, index) => index + 1));
            expect(new Set(rows.map(({ planHash }) => planHash)).size).toBe(rows.length);
            expect(rows[0]!.tie).toBe(false);
          }
        }
      }),
    );
  });

  it("a session folded twice over changes nothing but the list of sessions", () => {
    fc.assert(
      fc.property(trials, (made) => {
        const a = session("a", make(made));
        const rows = (sessions: readonly SessionEvidence[]) =>
          fold(sessions, { bounds: BOUNDS }).map(({ entries }) => entries);
        expect(rows([a, a])).toEqual(rows([a]));
      }),
    );
  });

  it("a table survives writing and reading, and numbers of problems sort by value", () => {
    const sizes = [1024, 64, 16384, 128].map((n) => trial("p", n, { problem: { n } }));
    const table = only([session("a", sizes)]);
    expect(table.entries.map(({ problem }) => problem.n)).toEqual([64, 128, 1024, 16384]);
    expect(parseTable(serialiseTable(table))).toEqual(table);
  });
});
