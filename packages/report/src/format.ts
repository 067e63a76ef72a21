/** Numbers for people: three significant digits, a unit, no locale. What is absent or not finite prints as `--`. */

/** Stands where there is no number. */
export const NOTHING = "--";

const DIGITS = 3;

type Maybe = number | undefined;

/** The value at so many significant digits, never in exponent form: 0.0123, 1.23, 123, 1230. */
export function significant(value: number, digits: number = DIGITS): string {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const magnitude = Math.floor(Math.log10(Math.abs(rounded)) + 1e-12);
  return rounded.toFixed(Math.max(0, digits - 1 - magnitude));
}

/** Picks the largest unit that leaves at least 1 after rounding, so that 999.9 ns prints as 1.00 µs. */
function scaled(value: number, units: readonly (readonly [factor: number, unit: string])[]): string {
  const rounded = Number(value.toPrecision(DIGITS));
  const [factor, unit] =
    units.find(([one]) => Math.abs(rounded) >= one * (1 - 1e-12)) ?? units[units.length - 1]!;
  return `${significant(value / factor)} ${unit}`;
}

const printable = (value: Maybe): value is number => value !== undefined && Number.isFinite(value);

/** A time given in microseconds: `830 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`. */
export function formatTime(microseconds: Maybe): string {
  if (!printable(microseconds)) return NOTHING;
  return scaled(microseconds, [
    [1e6, "s"],
    [1e3, "ms"],
    [1, "µs"],
    [1e-3, "ns"],
  ]);
}

/** A rate: `64.9 TFLOP/s`, `4.29 TB/s`. `unit` is what one a second is called. */
export function formatRate(perSecond: Maybe, unit: string): string {
  if (!printable(perSecond)) return NOTHING;
  return scaled(perSecond, [
    [1e15, `P${unit}`],
    [1e12, `T${unit}`],
    [1e9, `G${unit}`],
    [1e6, `M${unit}`],
    [1e3, `k${unit}`],
    [1, unit],
  ]);
}

/** Bytes in powers of 1024: `512 B`, `16 KiB`, `1.5 GiB`. */
export function formatBytes(bytes: Maybe): string {
  if (!printable(bytes)) return NOTHING;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  while (power < units.length - 1 && Math.abs(bytes) >= 1024 ** (power + 1)) power++;
  return `${String(Number((bytes / 1024 ** power).toPrecision(DIGITS + 1)))} ${units[power]}`;
}

/** A fraction: 0.352 gives `35.2%`; above one it stays honest: `142%`. */
export function formatPercent(fraction: Maybe): string {
  return printable(fraction) ? `${significant(fraction * 100)}%` : NOTHING;
}

/** How many times: `3.14x`. */
export function formatRatio(ratio: Maybe): string {
  return printable(ratio) ? `${significant(ratio)}x` : NOTHING;
}

/** An error: `3.2e-7`; `0` when exact. */
export function formatError(error: Maybe): string {
  if (!printable(error)) return NOTHING;
  return error === 0 ? "0" : error.toExponential(1);
}

/** Numerator over denominator when both are there and it makes sense. */
export function ratio(numerator: Maybe, denominator: Maybe): number | undefined {
  if (!printable(numerator) || !printable(denominator) || denominator <= 0) return undefined;
  return numerator / denominator;
}
