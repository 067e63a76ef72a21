import { problemKey } from "@tunelab/contract";
import { expect, test } from "vitest";
import {
  acrossPage,
  chartSvg,
  fractionsChart,
  linesChart,
  noiseChart,
  type Point,
  pointsOf,
  regrets,
  rooflineChart,
  sensitivities,
  sensitivityChart,
  transfers,
} from "../src/index.ts";
import { problemLabels } from "../src/labels.ts";
import { summaryOf } from "../src/regret.ts";
import { input, operation, SESSIONS, session } from "./evidence.ts";
import { entry, row, table, WIDE } from "./tables.ts";

const point = (us: number, config: Point["config"], more: Partial<Point> = {}): Point => ({
  problem: { n: 64 },
  key: "n=64",
  algorithm: "fused",
  variant: `fused/${JSON.stringify(config)}`,
  config,
  us,
  certified: false,
  isDefault: false,
  flops: 1e6,
  bytes: 1e6,
  ...more,
});

test("a point is the certified trial's, else the newest; other epochs and other machines have none", () => {
  const one = table([entry(64, [10])], { sessions: [...SESSIONS] });
  const screened = session(SESSIONS[1], table([entry(64, [8])]));
  const certified = session(SESSIONS[0], one, { grade: "certified" });
  expect(pointsOf(one, [certified, screened]).map(({ us }) => us)).toEqual([10]);
  expect(pointsOf(one, [session(SESSIONS[0], one), screened]).map(({ us }) => us)).toEqual([8]);
  expect(pointsOf(one, [session(SESSIONS[0], one, { epoch: 7 })])).toEqual([]);
  expect(pointsOf(one, [session(SESSIONS[0], one, { status: "wrong" })])).toEqual([]);
  const driver = { ...one.device, identity: { ...one.device.identity, driver: "9" } };
  const moved = session(SESSIONS[1], { ...table([entry(64, [8])]), device: driver });
  expect(pointsOf(one, [certified, moved]).map(({ us }) => us)).toEqual([8]);
  expect(pointsOf(one, [])).toEqual([]);
});

test("a parameter's cost is what its fastest variant takes over the fastest of all, the telling one first", () => {
  const found = sensitivities([
    point(10, { radix: 16, pad: 0 }),
    point(11, { radix: 16, pad: 8 }),
    point(20, { radix: 2, pad: 8 }),
    point(30, { radix: 4, pad: 0 }),
  ]);
  expect(found.map(({ parameter, most }) => [parameter, most])).toEqual([
    ["radix", 3],
    ["pad", 1.1],
  ]);
  expect(found[0]!.values).toEqual([
    { value: "2", factor: 2, timed: 1 },
    { value: "4", factor: 3, timed: 1 },
    { value: "16", factor: 1, timed: 2 },
  ]);
  expect(sensitivities([point(1, { radix: 2 })])).toEqual([]);
  expect(sensitivities([])).toEqual([]);
});

test("regret takes the entry out, lets the library's rule choose, and looks its choice up", async () => {
  const one = table([entry(64, [10, 12, 20]), entry(128, [30, 33, 60])]);
  const [first, second] = await regrets(one, operation(), []);
  // The nearest entry's best is radix=2, which is also the best here.
  expect(first).toMatchObject({ variant: "fused/radix=2,workgroup=256", factor: 1, defaultFactor: 2 });
  expect(second!.from).toEqual({ n: 64, pairs: 32768 });
  const far = operation({
    dimensions: operation().dimensions.map((dimension) => ({ ...dimension, distance: { kind: "exact" } })),
  });
  const [alone] = await regrets(one, far, []);
  expect(alone).toMatchObject({ variant: "fused/radix=1,workgroup=64", defaultFactor: 2 });
  expect(alone).not.toHaveProperty("from");
});

test("the default's time is no regret of the nearest entry: where no entry can lend there is none", async () => {
  const one = table([entry(64, [10, 12, 20]), entry(128, [30, 33, 60])]);
  const far = operation({
    dimensions: operation().dimensions.map((dimension) => ({ ...dimension, distance: { kind: "exact" } })),
  });
  const timed = point(25, {}, { key: "n=64,pairs=32768", variant: "fused/radix=1,workgroup=64" });
  expect((await regrets(one, far, [timed]))[0]).not.toHaveProperty("factor");
  // Borrowed, but never run on this problem: its time is looked up among all that was measured.
  const borrowed = point(25, {}, { key: "n=64,pairs=32768", variant: "fused/radix=4,workgroup=256" });
  const other = entry(128, [30]);
  const lends = {
    ...other,
    rows: [{ ...other.rows[0]!, variant: borrowed.variant, config: { radix: 4, workgroup: 256 } }],
  };
  const alone = entry(64, [10]);
  expect((await regrets(table([alone, lends]), operation(), [borrowed]))[0]).toMatchObject({
    from: { n: 128, pairs: 32768 },
    factor: 2.5,
  });
});

test("regret over several problems is told as median and worst, of those that have one", () => {
  expect(summaryOf([3, undefined, 1, 2])).toEqual({ count: 3, median: 2, worst: 3 });
  expect(summaryOf([3, 1])).toEqual({ count: 2, median: 2, worst: 3 });
  expect(summaryOf([undefined])).toBeUndefined();
});

test("what one device's best costs on another is its time there over the best there, where it was timed", () => {
  const a = table([entry(64, [10, 12])]);
  const swapped = entry(64, [5, 15]);
  const b = table([
    { ...swapped, rows: swapped.rows.map((row, index) => ({ ...row, variant: `v${index}` })) },
  ]);
  const points = [point(20, {}, { key: "n=64,pairs=32768", variant: "fused/radix=2,workgroup=256" })];
  const found = transfers([a, b], (on) => (on === b ? points : []));
  expect(found.map(({ from, on, factor }) => [from === a, on === b, factor])).toEqual([
    [false, false, undefined],
    [true, true, 4],
  ]);
});

test("problems shown together are named by what differs, once by what they share", () => {
  const { label, common } = problemLabels([
    { n: 64, pairs: 8 },
    { n: 128, pairs: 8 },
  ]);
  expect([label({ n: 64, pairs: 8 }), common]).toEqual(["n=64", "pairs=8"]);
  const single = problemLabels([{ n: 64, pairs: 8 }]);
  expect([single.label({ n: 64, pairs: 8 }), single.common]).toEqual(["n=64,pairs=8", ""]);
});

const texts = (svg: string): string[] => [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text!);

test("every new chart draws one point, and over eight orders of magnitude, with a unit or a count on every axis", async () => {
  const wide = input([WIDE]).tables[0]!;
  const one = input([table([entry(64, [3])])]);
  const points = pointsOf(one.tables[0]!, one.evidence);
  const times = new Map(
    WIDE.entries.map(({ problem, rows }) => [`n=${problem.n},pairs=32768`, rows[0]!.minUs]),
  );
  const costs = sensitivities([point(1e-3, { radix: 2 }), point(1e5, { radix: 4 })]);
  const charts: readonly (readonly [object | undefined, RegExp])[] = [
    [fractionsChart([wide]), /share of the ceiling \(%\)/],
    [fractionsChart([one.tables[0]!]), /%/],
    [rooflineChart(one.tables[0]!, points), /FLOP\/B/],
    [
      rooflineChart(
        wide,
        WIDE.entries.map((each) => point(1, {}, { key: `n=${each.problem.n},pairs=32768` })),
      ),
      /FLOP\/s/,
    ],
    [noiseChart("fma", [1000]), /time of one run/],
    [noiseChart("fma", [1, 1e8]), /timing \(in order\)/],
    [linesChart("t", [{ name: "a", table: WIDE, times }]), /µs|ms/],
    [sensitivityChart("t", "", [{ problem: "p", sensitivities: costs }]), /over the fastest of all/],
  ];
  for (const [spec, words] of charts) {
    const svg = await chartSvg(spec as never);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(texts(svg).join("\n")).toMatch(words);
  }
});

test("more lines than colours are told apart by their strokes, in the picture and in the legend", async () => {
  const times = new Map(WIDE.entries.map(({ problem }, index) => [problemKey(problem), index + 1]));
  const names = Array.from({ length: 8 }, (_, index) => `line ${index}`);
  const lines = (count: number) => names.slice(0, count).map((name) => ({ name, table: WIDE, times }));
  const svg = await chartSvg(linesChart("t", lines(8))!);
  const strokes = [
    ...svg.matchAll(/<path [^>]*aria-roledescription="line mark"[^>]*>|<path [^>]*stroke-width="2"[^>]*>/g),
  ]
    .map(
      ([path]) =>
        `${/stroke="([^"]*)"/.exec(path)?.[1]} ${/stroke-dasharray="([^"]*)"/.exec(path)?.[1] ?? ""}`,
    )
    .filter((stroke) => stroke.startsWith("#"));
  expect(strokes).toHaveLength(16);
  expect(new Set(strokes).size).toBe(8);
  expect(await chartSvg(linesChart("t", lines(6))!)).not.toContain('stroke-dasharray="6');
});

test("a chart without a point is none", () => {
  const bare = table([{ ...entry(64, []), rows: [] }], { ceilings: {} });
  expect(fractionsChart([bare])).toBeUndefined();
  expect(fractionsChart([])).toBeUndefined();
  expect(rooflineChart(bare, [])).toBeUndefined();
  expect(rooflineChart(WIDE, [])).toBeUndefined();
  expect(noiseChart("fma", [0, Number.NaN])).toBeUndefined();
  expect(linesChart("t", [{ name: "a", table: bare, times: new Map() }])).toBeUndefined();
  expect(sensitivityChart("t", "", [])).toBeUndefined();
});

test("across devices stands the smallest portfolio: one variant that is close everywhere instead of each device's own best", async () => {
  const rows = (times: Readonly<Record<string, number>>) =>
    Object.entries(times).map(([variant, us], index) => row(index + 1, us, { variant }));
  const on = (profile: "portable" | "native", times: Readonly<Record<string, number>>) =>
    table([entry(64, [], { rows: rows(times) })], { profile });
  const page = (one: number) =>
    acrossPage(
      input([on("portable", { own: 100, both: 105 }), on("native", { other: 50, both: one })]),
    ).markdown();
  expect(page(52)).toMatch(/\*\*Portfolio\.\*\* .*on each of the 2 devices and problems: 1, at worst 95\.2%/);
  expect(page(52)).toContain("| `both` | NVIDIA H200, native, n=64,pairs=32768; NVIDIA H200, portable, n=64");
  expect(page(80)).toMatch(/devices and problems: 2, at worst/);
  expect(acrossPage(input([on("portable", { own: 100 })])).markdown()).not.toContain("Portfolio");
});
