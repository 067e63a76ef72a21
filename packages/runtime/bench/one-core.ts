import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { pairFlops } from "@tunelab/kernel-matched-filter";
import { cpuPairMs } from "../src/operations/matched-filter/cpu.ts";

// The matched filter on one core, in JavaScript (fft.js, the library's own CPU backend), beside the best published variant of each
// device, each as a fraction of its own measured ceiling: `pnpm --filter @tunelab/runtime bench:core`. About 15 s.

/** Independent chains of multiply-adds: what hides their latency best is the core's own affair. */
const CHAINS = [4, 8, 12, 16] as const;
const STEPS = 200_000;
/** Readings of which the fastest counts: a busy machine only ever adds time. */
const READINGS = 60;

/** FLOP/s of the fastest of a few numbers of chains, two for each a = a k + c in float64; V8 has no fused multiply-add. */
function ceiling(): number {
  let best = 0;
  for (const chains of CHAINS) {
    const names = Array.from({ length: chains }, (_, i) => `a${i}`);
    const run = new Function(
      "steps",
      `let ${names.map((name, i) => `${name} = ${i}.5`).join(", ")};
      for (let step = 0; step < steps; step++) { ${names.map((name) => `${name} = ${name} * 0.999 + 0.25;`).join(" ")} }
      return ${names.join(" + ")};`,
    ) as (steps: number) => number;
    for (let reading = 0; reading < READINGS; reading++) {
      const start = performance.now();
      if (!Number.isFinite(run(STEPS))) throw new Error("the chains left the numbers");
      best = Math.max(best, (2 * chains * STEPS) / ((performance.now() - start) / 1e3));
    }
  }
  return best;
}

const TABLES = [
  "nvidia-h200/tint-vulkan.portable",
  "nvidia-h200/tint-vulkan.native",
  "swiftshader/tint-vulkan.portable",
] as const;

interface Table {
  readonly ceilings: { readonly fmaFlopsPerSecond?: number };
  readonly entries: readonly {
    readonly problem: { readonly n: number; readonly pairs: number };
    readonly rows: readonly { readonly minUs: number }[];
  }[];
}

const of = (flops: number, most: number): string => `${((100 * flops) / most).toFixed(1)}%`;
const rate = (flops: number): string =>
  flops > 1e12 ? `${(flops / 1e12).toFixed(2)} TFLOP/s` : `${(flops / 1e9).toFixed(2)} GFLOP/s`;

const core = ceiling();
console.log(
  `One core of ${cpus()[0]?.model.trim() || "an unnamed CPU"}: ${rate(core)} of multiply-adds in JavaScript`,
);
const seconds = new Map<number, number>();
for (const n of [256, 1024, 2048, 4096, 8192, 16_384]) {
  const us = 1e3 * (await cpuPairMs(n));
  seconds.set(n, us / 1e6);
  const flops = pairFlops(n) / (us / 1e6);
  console.log(
    `n = ${n}: ${us.toFixed(1)} us a pair, ${rate(flops)}, ${of(flops, core)} of the core's ceiling`,
  );
}
for (const name of TABLES) {
  const file = new URL(`../../../tables/${name}/matched-filter.json`, import.meta.url);
  const { ceilings, entries } = JSON.parse(await readFile(file, "utf8")) as Table;
  const most = ceilings.fmaFlopsPerSecond;
  for (const { problem, rows } of entries) {
    const own = seconds.get(problem.n);
    const [best] = rows;
    if (own === undefined || !best) continue;
    const us = best.minUs / problem.pairs;
    const flops = pairFlops(problem.n) / (us / 1e6);
    const share = most ? `, ${of(flops, most)} of its ceiling` : "";
    console.log(
      `${name}, n = ${problem.n}, ${problem.pairs} pairs: ${us.toPrecision(3)} us a pair, ${rate(flops)}${share}; ${((own * 1e6) / us).toFixed(1)} such cores`,
    );
  }
}
