/** Independent chains of multiply-adds: what hides their latency best is the core's own affair. */
const CHAINS = [4, 8, 12, 16] as const;
const STEPS = 200_000;
/** Readings of which the fastest counts: a busy machine only ever adds time. 60 of each number of chains take a fifth of a second. */
const READINGS = 60;

/**
 * FLOP/s of one core in JavaScript: the fastest of a few numbers of chains a = a k + c in float64, two FLOPs each (V8 has no fused
 * multiply-add, and no vectors). `now` in ms. Throws when the arithmetic was not done.
 */
export function coreFlopsPerSecond(now: () => number): number {
  let best = 0;
  for (const chains of CHAINS) {
    const run = chained(chains);
    for (let reading = 0; reading < READINGS; reading++) {
      const start = now();
      const sum = run(STEPS);
      const seconds = (now() - start) / 1e3;
      if (!(Math.abs(sum / (chains * FIXED_POINT) - 1) < 1e-6))
        throw new Error("the chains computed nothing");
      best = Math.max(best, (2 * chains * STEPS) / seconds);
    }
  }
  return best;
}

const [FACTOR, TERM] = [0.999, 0.25];
/** Where every chain ends, whatever it starts with. */
const FIXED_POINT = TERM / (1 - FACTOR);

/** A loop over so many chains in variables of their own, as no array would keep them in registers; gives their sum. */
function chained(chains: number): (steps: number) => number {
  const names = Array.from({ length: chains }, (_, i) => `a${i}`);
  return new Function(
    "steps",
    `let ${names.map((name, i) => `${name} = ${i}.5`).join(", ")};
    for (let step = 0; step < steps; step++) { ${names.map((name) => `${name} = ${name} * ${FACTOR} + ${TERM};`).join(" ")} }
    return ${names.join(" + ")};`,
  ) as (steps: number) => number;
}
