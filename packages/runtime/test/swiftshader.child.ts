import { create, globals } from "webgpu";
import { createRuntime, matchedFilter, type RuntimeEvent } from "../src/index.ts";
import { tableOf } from "./made-table.ts";
import { planted } from "./signal.ts";

/** Finds planted lags on the adapter of the environment, with and without a table, and prints what happened. */
Object.assign(globalThis, globals);
const gpu = create([]);
const events: RuntimeEvent[] = [];
const { n, data, templates, lags } = planted(128, 3);

const runtime = await createRuntime({ gpu, onEvent: (event) => events.push(event) });
const plain = await matchedFilter(runtime, { n, data, templates });
const chosen = await matchedFilter(runtime, { n, data, templates, pairs: new Uint32Array([2, 2, 0, 0]) });

const tables = [await tableOf(runtime.info, n)];
const tabled = await createRuntime({
  device: runtime.device,
  tables,
  onEvent: (event) => events.push(event),
});
const first = await matchedFilter(tabled, { n, data, templates });
const again = await matchedFilter(tabled, { n, data, templates });
tabled.dispose();
const alive = await matchedFilter(runtime, { n, data, templates });
runtime.dispose();

const summary = ({ indices, magnitudes, variant, table }: typeof plain) => ({
  indices: [...indices],
  magnitudes: [...magnitudes],
  variant,
  table,
});
console.log(
  JSON.stringify({
    n,
    lags,
    events,
    ...{ plain: summary(plain), chosen: summary(chosen), first: summary(first), again: summary(again) },
    alive: summary(alive),
  }),
);
process.exit(0);
