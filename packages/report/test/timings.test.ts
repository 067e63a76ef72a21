import { expect, test } from "vitest";
import { chartSvg, timingsChart } from "../src/index.ts";

const labelsOf = (svg: string): string[] => [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text!);

test("timings become bars with units on both axes, and say how many and of what", async () => {
  const samples = Array.from({ length: 100 }, (_, index) => 1e6 + 1e3 * (index % 10));
  const svg = await chartSvg(timingsChart("fma-f32", samples)!);
  const labels = labelsOf(svg);
  expect(labels).toEqual(expect.arrayContaining(["100 timings of fma-f32", "time of one run", "timings"]));
  expect(labels.some((label) => /^1(\.\d+)?ms$/.test(label))).toBe(true);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  // Ten distinct times: no bar may swallow a neighbour.
  expect(svg.match(/aria-roledescription="bar"/g)).toHaveLength(10);
});

test.each([
  ["one", [5e3]],
  ["equal", new Array<number>(40).fill(7e6)],
  ["eight orders of magnitude of", [1e2, 1e4, 1e6, 1e8, 1e10]],
])("%s timings are drawn", async (_what, samples) => {
  expect(await chartSvg(timingsChart("x", samples)!)).not.toMatch(/NaN|undefined|Infinity/);
});

test("without a timing there is no picture, and what is no time is left out", async () => {
  expect(timingsChart("x", [])).toBeUndefined();
  expect(timingsChart("x", [0, Number.NaN, -1])).toBeUndefined();
  expect(labelsOf(await chartSvg(timingsChart("x", [1e6, Number.NaN])!))).toContain("1 timings of x");
});
