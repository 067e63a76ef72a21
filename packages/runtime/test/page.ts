import { createRuntime, matchedFilter } from "../src/index.ts";
import { planted } from "./signal.ts";

/** Runs in a page: finds planted lags by the page's own WebGPU and hands the finding to the test. */
const events: unknown[] = [];
const findLags = async (n: number) => {
  const { data, templates, lags } = planted(n, 3);
  const runtime = await createRuntime({ onEvent: (event) => events.push(event) });
  const { indices, variant, explanation } = await matchedFilter(runtime, { n, data, templates });
  const { identity } = runtime.info;
  runtime.dispose();
  return { lags, found: [0, 4, 8].map((at) => indices[at]), variant, why: explanation.why, identity, events };
};
Object.assign(globalThis, { findLags });
