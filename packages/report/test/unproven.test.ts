import type { SessionEvidence, TableRow, Trial, TuningTable } from "@tunelab/contract";
import { expect, test } from "vitest";
import { devicePage, gridText, summaryTable, tablePage, unprovenOf } from "../src/index.ts";
import { input, SESSIONS, session } from "./evidence.ts";
import { entry, IDENTITY, row, table } from "./tables.ts";

const [FIRST, SECOND] = SESSIONS;
const verdict = {
  matched: 512,
  total: 512,
  maxError: 1e-7,
  measure: "relative",
} as unknown as Trial["verdict"];

/** A table whose best was certified at 79.2 µs, in the first session. */
const made = (more: Partial<TuningTable> = {}, best: Partial<TableRow> = {}) =>
  table([entry(4096, [79.2], { rows: [row(1, 79.2, { trial: `${FIRST}.0`, cv: 0.01, ...best })] })], {
    sessions: [FIRST, SECOND],
    ...more,
  });

interface Seen extends Partial<Trial> {
  readonly us?: number;
  /** Of plans that stand apart from the best's. */
  readonly place?: number;
}

/** A session with the best certified, and what else was measured there. */
function measured(of: TuningTable, id: string, ...seen: readonly Seen[]): SessionEvidence {
  const bare = table([{ ...of.entries[0]!, rows: [] }]);
  const trials = [{ grade: "certified", us: 79.2, place: 1 } as Seen, ...seen].flatMap(
    ({ us = 51.8, place = 2, ...change }, index) => {
      const rows = [row(place, us)];
      const made = session(id, { ...of, entries: [{ ...bare.entries[0]!, rows }] }, { verdict, ...change });
      const samplesNs = [us * 1e4, us * 1.002e4, us * 1.004e4];
      return made.trials.map((trial) => ({
        ...trial,
        ...(trial.timing ? { timing: { ...trial.timing, samplesNs } } : {}),
        sequence: index,
        id: `${id}.${index}`,
      }));
    },
  );
  return { ...session(id, of), trials };
}

const found = (of: TuningTable, ...evidence: readonly SessionEvidence[]) =>
  unprovenOf(of, evidence)(of.entries[0]!)?.us;

test("a variant that was screened faster than the certified best, and not certified, is told in its place", () => {
  const of = made();
  const evidence = measured(of, FIRST, {}, { us: 60, place: 3 });
  expect(found(of, evidence)).toBeCloseTo(51.8);
  const unproven = unprovenOf(of, [evidence]);
  expect(summaryTable(of, undefined, [], unproven).rows[0]!.at(-1)).toBe(
    "unproven: 51.8 µs was timed, not certified",
  );
  expect(tablePage(of, undefined, unproven)).toContain("| unproven: 51.8 µs was timed, not certified |");
  expect(gridText(summaryTable(of))).not.toContain("unproven");
});

test("a device's page says so too, from the evidence", async () => {
  const of = made();
  const page = await devicePage(
    { ...input([of]), tables: [of], evidence: [measured(of, FIRST, {})] },
    "nvidia-h200",
  );
  expect(page.markdown()).toContain("unproven: 51.8 µs was timed, not certified");
});

const wrong = { ...verdict!, matched: 511 };
test.each<[string, readonly Seen[], Partial<TuningTable>?, Partial<TableRow>?]>([
  ["slower than the best", [{ us: 90 }]],
  ["within the gate", [{ us: 79 }]],
  ["within the scatter of the best", [{ us: 75 }], {}, { cv: 0.2, samples: 4 }],
  ["certified later, and slower then", [{}, { grade: "certified", us: 85 }]],
  [
    "certified later, after it had been too noisy",
    [
      { grade: "certified", status: "noisy" },
      { grade: "certified", us: 85 },
    ],
  ],
  [
    "too noisy in certification, and not faster by a third",
    [{}, { grade: "certified", status: "noisy", us: 65 }],
  ],
  ["hung in certification", [{}, { grade: "certified", status: "hung", timing: undefined as never }]],
  ["certified by another name of its plan", [{}, { grade: "certified", variant: "fused/other" }]],
  ["certified as another plan of its name", [{}, { grade: "certified", planHash: "newer" }]],
  ["wrong", [{ verdict: wrong }]],
  ["wrong once", [{ verdict: wrong }, {}]],
  ["not verified", [{ verdict: undefined as never }]],
  ["of another epoch", [{ epoch: 2 }]],
  ["of another problem", [{ problem: { n: 64, pairs: 32768 } }]],
  ["faster by less than noise, on a noisy device", [{ us: 60 }], { noisy: true }],
  [
    "faster by less than a shared CPU drifts",
    [{ us: 60 }],
    { device: { ...made().device, identity: { ...IDENTITY, adapterType: "cpu" } } },
  ],
])("one that is %s leaves the first place as it is", (_what, seen, more, best) => {
  const of = made(more, best);
  expect(found(of, measured(of, FIRST, ...seen))).toBeUndefined();
});

test("between two sessions it takes more, for they drift", () => {
  const of = made();
  const first = measured(of, FIRST);
  expect(found(of, first, measured(of, SECOND, { us: 72 }))).toBeUndefined();
  expect(found(of, first, measured(of, SECOND, { us: 60 }))).toBeCloseTo(60);
  expect(found(of, measured(of, FIRST, { us: 72 }))).toBeCloseTo(72);
});

test("a later session that certified it, or another machine's entry, has nothing unproven", () => {
  const of = made();
  const later = measured(of, SECOND, { grade: "certified", us: 80 });
  expect(found(of, measured(of, FIRST, {}), later)).toBeUndefined();
  const aged = { ...of, entries: [{ ...of.entries[0]!, agedOn: "driver 570" }] };
  expect(found(aged, measured(of, FIRST, {}))).toBeUndefined();
});

test("one that was too noisy to certify, and is faster by more than a third, is told as that", () => {
  const of = made();
  const noisy = measured(of, FIRST, { us: 53 }, { grade: "certified", status: "noisy" }, { us: 54 });
  const unproven = unprovenOf(of, [noisy]);
  expect(unproven(of.entries[0]!)).toEqual({ us: expect.closeTo(51.8), noisy: true });
  expect(summaryTable(of, undefined, [], unproven).rows[0]!.at(-1)).toBe(
    "unproven: 51.8 µs was timed, too noisy to certify",
  );
});
