import type { Constraint, Space } from "@tunelab/contract";
import { countRaw, enumerate } from "../src/index.ts";

// Enumerates 10^7 combinations of which 10^4 are valid and prints time and memory: `pnpm --filter @tunelab/variants bench`.

/** Bounds of the promise, on two slow cores too. */
const MOST_MS = 1_000;
const MOST_MIB = 200;

const tied = (a: string, b: string): Constraint => ({
  name: `${a}-is-${b}`,
  doc: `${a} equals ${b}`,
  parameters: [a, b],
  holds: (config) => config[a] === config[b],
});

const digits = Array.from({ length: 7 }, (_, index) => `p${index}`);
const parameters = digits.map((name) => ({ name, values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], doc: "a digit" }));
const SPACES: Readonly<Record<string, Space>> = {
  "tied to a neighbour": { parameters, constraints: [tied("p0", "p1"), tied("p2", "p3"), tied("p4", "p5")] },
  "tied across": { parameters, constraints: [tied("p0", "p6"), tied("p1", "p5"), tied("p2", "p4")] },
};

let failed = false;
for (const [name, space] of Object.entries(SPACES)) {
  let visits = 0;
  let valid = 0;
  const start = performance.now();
  for (const _ of enumerate(space, () => visits++)) valid++;
  const ms = performance.now() - start;
  const mib = process.resourceUsage().maxRSS / 1024;
  failed ||= ms > MOST_MS || mib > MOST_MIB;
  console.log(
    `${name}: ${valid} valid of ${countRaw(space)}, ${visits} choices tried, ${ms.toFixed(0)} ms (most ${MOST_MS}), ${mib.toFixed(0)} MiB peak (most ${MOST_MIB})`,
  );
}
process.exitCode = failed ? 1 : 0;
