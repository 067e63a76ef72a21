import { INK, LOOK, SERIES, timeAxis, unitAxis, WIDTH } from "@tunelab/report";
import embed from "vega-embed";

export { INK, SERIES, timeAxis, unitAxis, WIDTH };

/** Draws a Vega-Lite specification in the reports' look; `display` puts the element on the page. */
export async function chart(spec: object): Promise<HTMLElement> {
  const place = document.createElement("div");
  await embed(place, { width: WIDTH, config: LOOK, ...spec } as never, { renderer: "svg", actions: false });
  return place;
}

/** What to show where there are no rows. */
export function nothing(words: string): HTMLElement {
  const place = document.createElement("p");
  place.textContent = words;
  return place;
}
