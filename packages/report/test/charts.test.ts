import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { candidatesChart, chartSvg, timesChart } from "../src/index.ts";
import { entry, row, table, WIDE } from "./tables.ts";

const CHARTS = { times: timesChart(WIDE)!, candidates: candidatesChart(WIDE)! };

test("a chart has the same bytes drawn again, and drawn beside others", async () => {
  const first = await chartSvg(CHARTS.times);
  const together = await Promise.all([
    chartSvg(CHARTS.candidates),
    chartSvg(CHARTS.times),
    chartSvg(CHARTS.times),
  ]);
  expect(together[1]).toBe(first);
  expect(together[2]).toBe(first);
  expect(first).toMatch(/^<svg .*<\/svg>\n$/s);
});

test("a chart has the same bytes in another process, time zone and locale", async () => {
  const script = `
    import { chartSvg, timesChart } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
    import { WIDE } from ${JSON.stringify(new URL("./tables.ts", import.meta.url).href)};
    process.stdout.write(await chartSvg(timesChart(WIDE)));`;
  const other = execFileSync(
    process.execPath,
    [
      ...["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx")],
      ...["--input-type=module", "--eval", script],
    ],
    {
      env: { ...process.env, TZ: "Asia/Kathmandu", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
      encoding: "utf8",
    },
  );
  expect(other).toBe(await chartSvg(CHARTS.times));
});

test("eight orders of magnitude fit on one axis, labelled in seconds' units", async () => {
  const svg = await chartSvg(CHARTS.times);
  const labels = [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text!);
  expect(labels).toContain("1µs");
  expect(labels).toContain("1s");
  for (const n of ["64", "1024", "1048576"]) expect(labels).toContain(n);
  expect(labels).toContain("time of one run");
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

test("nothing is drawn in black or white, and the ground is transparent", async () => {
  for (const spec of Object.values(CHARTS)) {
    const svg = await chartSvg(spec);
    expect(svg).not.toMatch(/(fill|stroke)="(black|white|#000|#fff|#000000|#ffffff)"/i);
    expect(svg).not.toMatch(/<rect width="\d+" height="\d+" fill="(?!transparent)/);
  }
});

test("several extents give a colour each, and the page says what is dashed", async () => {
  const entries = [64, 256].flatMap((n) =>
    [512, 32768].map((pairs) => ({ ...entry(n, [(n * pairs) / 1000]), problem: { n, pairs } })),
  );
  const svg = await chartSvg(timesChart(table(entries))!);
  for (const text of ["pairs=512", "pairs=32768", "dashed: default configuration"])
    expect(svg).toContain(text);
});

test("the axis of a narrow range has round steps", async () => {
  const svg = await chartSvg(candidatesChart(table([entry(64, [1.1, 1.2, 30])]))!);
  const labels = [...svg.matchAll(/>(\d+)(ns|µs|ms)<\/text>/g)].map(([, number]) => number![0]);
  expect(labels.length).toBeGreaterThan(3);
  expect(labels.every((digit) => "125".includes(digit!))).toBe(true);
});

test("one problem with one candidate still gives both charts", async () => {
  const single = table([entry(512, [42])]);
  expect(await chartSvg(timesChart(single)!)).toContain("512");
  expect(await chartSvg(candidatesChart(single)!)).toContain("n=512,pairs=32768");
});

test("no time, no chart", () => {
  for (const entries of [[], [{ ...entry(64, []), rows: [] }], [{ ...entry(64, [1]), rows: [row(1, 0)] }]]) {
    expect(timesChart(table(entries))).toBeUndefined();
    expect(candidatesChart(table(entries))).toBeUndefined();
  }
  expect(timesChart(table([{ ...entry(64, [1]), problem: { kind: "a" } }]))).toBeUndefined();
});

test("problems that differ in another dimension than n are read along that one", async () => {
  const entries = [512, 32768].map((pairs) => ({ ...entry(64, [pairs / 100]), problem: { n: 64, pairs } }));
  expect(await chartSvg(timesChart(table(entries))!)).toContain("time against pairs");
});

test("a chart that does not compile cleanly is refused with Vega-Lite's words", async () => {
  const bad = { ...CHARTS.times, mark: "zigzag" } as never;
  await expect(chartSvg(bad)).rejects.toThrow(/chart/);
  // and the next one is drawn all the same
  expect(await chartSvg(CHARTS.times)).toContain("<svg");
});
