import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatBytes,
  formatError,
  formatPercent,
  formatRate,
  formatRatio,
  formatTime,
  significant,
} from "../src/index.ts";

test("times take the unit that leaves one to three digits before the point", () => {
  const times = [0.00083, 0.83, 0.9994, 0.9996, 1, 12.345, 999.4, 999.6, 4560, 1_200_000, 3.6e9, 0];
  expect(times.map(formatTime)).toEqual([
    "0.830 ns",
    "830 ns",
    "999 ns",
    "1.00 µs",
    "1.00 µs",
    "12.3 µs",
    "999 µs",
    "1.00 ms",
    "4.56 ms",
    "1.20 s",
    "3600 s",
    "0 ns",
  ]);
});

test("any time printed reads back within half of its last digit", () => {
  const unit: Record<string, number> = { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6 };
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (time) => {
      const [number, name] = formatTime(time).split(" ");
      expect(Math.abs(Number(number) * unit[name!]! - time) / time).toBeLessThanOrEqual(0.005 + 1e-9);
      expect(Number(number)).toBeGreaterThanOrEqual(1);
      if (name !== "s") expect(Number(number)).toBeLessThan(1000);
    }),
  );
});

test("rates, bytes, shares, ratios and errors carry their units", () => {
  expect(formatRate(64.9e12, "FLOP/s")).toBe("64.9 TFLOP/s");
  expect(formatRate(4.2867e12, "B/s")).toBe("4.29 TB/s");
  expect(formatRate(0.5, "B/s")).toBe("0.500 B/s");
  expect([0, 512, 16_384, 1536, 49_152, 2 ** 31 - 4].map(formatBytes)).toEqual([
    "0 B",
    "512 B",
    "16 KiB",
    "1.5 KiB",
    "48 KiB",
    "2 GiB",
  ]);
  expect([0.352, 1.42, 0.0034, 1, 0].map(formatPercent)).toEqual(["35.2%", "142%", "0.340%", "100%", "0%"]);
  expect(formatRatio(3.14)).toBe("3.14x");
  expect([3.21e-7, 0, 1.5].map(formatError)).toEqual(["3.2e-7", "0", "1.5e+0"]);
});

test("what is absent or not finite prints as a dash pair, never as NaN", () => {
  for (const format of [formatTime, formatBytes, formatPercent, formatRatio, formatError]) {
    expect(format(undefined)).toBe("--");
    expect(format(Number.NaN)).toBe("--");
    expect(format(Number.POSITIVE_INFINITY)).toBe("--");
  }
  expect(formatRate(undefined, "B/s")).toBe("--");
});

test("no number is ever in exponent form or grouped by a locale", () => {
  expect([1e-9, 123456789, 0.1 + 0.2, -1234.5, 9.995].map((value) => significant(value))).toEqual([
    "0.00000000100",
    "123000000",
    "0.300",
    "-1230",
    "9.99",
  ]);
});
