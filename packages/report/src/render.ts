import { Fault } from "@tunelab/contract";
import type { ChartSpec } from "./charts/look.ts";

/** Charts are drawn one after the other: Vega numbers clip paths by a counter of the process. */
let previous: Promise<unknown> = Promise.resolve();

/**
 * The chart as SVG: the same specification gives the same bytes, in any process, time zone and locale (as long as it has no
 * temporal field). Rejects with a usage Fault when the specification does not compile cleanly: Vega-Lite's warnings are
 * faults here.
 */
export function chartSvg(spec: ChartSpec): Promise<string> {
  const drawn = previous.then(() => draw(spec));
  previous = drawn.catch(() => {});
  return drawn;
}

async function draw(spec: ChartSpec): Promise<string> {
  // Loaded when the first chart is drawn: most commands draw none, and the two take a third of a second.
  const [vega, lite] = await Promise.all([import("vega"), import("vega-lite")]);
  const faults: string[] = [];
  const logger = vega.logger(vega.Warn, undefined, (_method, _level, parts) => {
    faults.push(parts.map(String).join(" "));
  });
  let compiled: ReturnType<typeof lite.compile>;
  try {
    compiled = lite.compile(spec, { logger });
  } catch (error) {
    throw new Fault("usage", `the chart does not compile: ${error instanceof Error ? error.message : error}`);
  }
  if (faults.length > 0)
    throw new Fault("usage", `the chart does not compile cleanly: ${faults[0]}`, { faults });
  vega.resetSVGDefIds();
  const view = new vega.View(vega.parse(compiled.spec), { renderer: "none", logger });
  try {
    const svg = await view.toSVG();
    if (faults.length > 0) throw new Fault("usage", `the chart cannot be drawn: ${faults[0]}`, { faults });
    return `${svg}\n`;
  } finally {
    view.finalize();
  }
}
