import { THRESHOLD } from "./windows.ts";

const WIDTH = 960;
const HEIGHT = 260;
const FLOOR = 20;

/** Bars of each window's peak over the noise, those over the threshold marked; the inside of an SVG of 960 x 260. */
export function plotText(windows: readonly number[]): string {
  const top = Math.max(THRESHOLD * 1.5, ...windows);
  const y = (value: number): number => HEIGHT - FLOOR - (value / top) * (HEIGHT - 2 * FLOOR);
  const step = WIDTH / windows.length;
  const bars = windows.map((value, index) => {
    const mark = value >= THRESHOLD ? "bar found" : "bar";
    const height = (HEIGHT - FLOOR - y(value)).toFixed(1);
    return `<rect class="${mark}" x="${(index * step).toFixed(2)}" y="${y(value).toFixed(1)}" width="${(step * 0.9).toFixed(2)}" height="${height}"><title>window ${index}: ${value.toFixed(2)}</title></rect>`;
  });
  const line = `<line class="threshold" x1="0" x2="${WIDTH}" y1="${y(THRESHOLD).toFixed(1)}" y2="${y(THRESHOLD).toFixed(1)}" />`;
  return bars.join("") + line;
}
