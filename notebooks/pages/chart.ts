import {
  formatBytes,
  formatTime,
  INK,
  LOOK,
  ratioTicks,
  SERIES,
  timeAxis,
  unitAxis,
  WIDTH,
} from "@tunelab/report";
import embed from "vega-embed";

export { formatBytes, formatTime, INK, ratioTicks, SERIES, timeAxis, unitAxis };

/** Space beside a chart's plot for its axis labels, in px. */
const BESIDE = 120;

/** The width that the page leaves for a plot: the reports' own, or less on a narrow page. */
export const room = (): number =>
  Math.max(160, Math.min(WIDTH, document.documentElement.clientWidth - BESIDE));

/** Draws a Vega-Lite specification in the reports' look; `display` puts the element on the page. */
export async function chart(spec: object): Promise<HTMLElement> {
  const place = document.createElement("div");
  // What is wider than the page all the same scrolls by itself, and the page does not.
  place.style.overflowX = "auto";
  await embed(place, { width: room(), config: LOOK, ...spec } as never, { renderer: "svg", actions: false });
  return place;
}

/** A logarithmic axis of ratios around 1, up to `most` and down to 1 / `most`. */
export const ratioAxis = (title: string, most: number): object => ({
  title,
  values: [...ratioTicks(most)],
  format: "~g",
  labelOverlap: true,
});

/** What to show where there are no rows. */
export function nothing(words: string): HTMLElement {
  const place = document.createElement("p");
  place.textContent = words;
  return place;
}
