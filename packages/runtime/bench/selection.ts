import { create, globals } from "webgpu";
import { createRuntime, matchedFilterOperation } from "../src/index.ts";

/**
 * Prints what choosing a variant costs, on Dawn's null backend: no GPU takes part. `pnpm --filter @tunelab/runtime bench`.
 */
Object.assign(globalThis, globals);
const gpu = create(["backend=null"]);
const runtime = await createRuntime({ gpu });
const filter = runtime.operation(matchedFilterOperation);
const problem = (pairs: number) => ({ n: 1024, data: 64, templates: 512, pairs });

/** Goal in us for a problem that was chosen before. */
const GOAL_US = 20;

async function measure(
  what: string,
  rounds: number,
  each: (round: number) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await each(round);
    times.push((performance.now() - start) * 1000);
  }
  times.sort((a, b) => a - b);
  const at = (fraction: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * fraction))]!;
  console.log(
    `${what.padEnd(58)} median ${at(0.5).toFixed(1).padStart(9)} us   p99 ${at(0.99).toFixed(1).padStart(9)} us`,
  );
  return at(0.5);
}

await measure("first choice (loads tables and algorithms)", 1, () => filter.explain(problem(32_768)));
const known = await measure("a problem chosen before", 20_000, () => filter.explain(problem(32_768)));
await measure("a new batch size of a known length", 200, (round) => filter.explain(problem(1000 + round)));
await measure("the same, with its plan (compiles nothing)", 100, (round) =>
  filter.prepare(problem(5000 + round)),
);
console.log(`a problem chosen before: goal under ${GOAL_US} us, ${known < GOAL_US ? "met" : "missed"}`);
runtime.dispose();
process.exit(0);
