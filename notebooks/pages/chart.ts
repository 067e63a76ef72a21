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

/** Width of a title's letter, in px, on average. */
const LETTER = 7;

/** A title in lines that the page has room for: a longer one would be cut off. */
function lines(title: unknown): unknown {
  if (typeof title !== "string") return title;
  const most = Math.floor((room() + BESIDE / 2) / LETTER);
  const found: string[] = [];
  for (const word of title.split(" ")) {
    const last = found.at(-1);
    if (last !== undefined && last.length + word.length < most) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found;
}

/** Draws a Vega-Lite specification in the reports' look; `display` puts the element on the page. */
export async function chart({ title, ...spec }: { readonly title?: unknown }): Promise<HTMLElement> {
  const place = document.createElement("div");
  // What is wider than the page all the same scrolls by itself, and the page does not.
  place.style.overflowX = "auto";
  await embed(
    place,
    { width: room(), config: LOOK, ...(title ? { title: lines(title) } : {}), ...spec } as never,
    { renderer: "svg", actions: false },
  );
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
