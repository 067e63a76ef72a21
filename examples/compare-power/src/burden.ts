import type { Algorithm, Plan, Suite } from "@tunelab/contract";

/**
 * The suite with every kernel doing a little more: `steps` multiply-adds that depend on one another, an invocation. What it
 * computes stays the same, bit for bit. This file becomes part of the fixture commits that `commits.ts` makes.
 */
export function burdened(suite: Suite, steps: number): Suite {
  const { algorithms } = suite.operation;
  const loads = Object.entries(algorithms).map(([name, load]) => [
    name,
    async () => heavier(await load(), steps),
  ]);
  return { ...suite, operation: { ...suite.operation, algorithms: Object.fromEntries(loads) } };
}

function heavier(algorithm: Algorithm, steps: number): Algorithm {
  const plan: Algorithm["plan"] = (...given) => burdenPlan(algorithm.plan(...given), steps);
  return Object.assign(Object.create(Object.getPrototypeOf(algorithm)), algorithm, { plan });
}

/** The plan with the chain at the start of each entry point. */
export function burdenPlan(plan: Plan, steps: number): Plan {
  return {
    ...plan,
    modules: plan.modules.map((one) => ({ ...one, wgsl: burdenText(one.wgsl, steps) })),
  };
}

/**
 * The chain begins with a number of the uniform buffer, which no compiler knows, and never ends below 0, which none can prove: so
 * it is neither folded nor dropped, and what would be stored then never is. It is straight text: as a loop its length was no fine
 * scale, for on an H200 a compiler unrolled 14 steps of it (0.4% of a matched filter) and looped over 15 (2.2%).
 */
export function burdenText(wgsl: string, steps: number): string {
  const [, uniform, type] = /var<uniform>\s+(\w+)\s*:\s*(\w+)/.exec(wgsl) ?? [];
  const [, member] = new RegExp(`struct\\s+${type}\\s*\\{\\s*(\\w+)\\s*:\\s*u32`).exec(wgsl) ?? [];
  const [, output] = /var<storage,\s*read_write>\s+(\w+)\s*:\s*array</.exec(wgsl) ?? [];
  if (!uniform || !member || !output)
    throw new Error("no uniform of u32, or no array to write, by which a chain could be kept alive");
  const chain = [
    `  var burden = f32(${uniform}.${member});`,
    `  ${"burden = fma(burden, 1.0000001, 0.25); ".repeat(steps).trim()}`,
    `  if (burden < 0.0) { ${output}[0u] = ${output}[1u]; }`,
  ].join("\n");
  return wgsl.replace(/@compute[^{]*\{/g, (head) => `${head}\n${chain}`);
}
