import type { Algorithm, Plan, Suite } from "@tunelab/contract";

/**
 * The suite with every kernel doing a little more: `steps` multiply-adds that depend on one another, an invocation, in each
 * `every`-th workgroup. What it computes stays the same, bit for bit. This file becomes part of the fixture commits that
 * `commits.ts` makes.
 */
export function burdened(suite: Suite, steps: number, every = 1): Suite {
  const { algorithms } = suite.operation;
  const loads = Object.entries(algorithms).map(([name, load]) => [
    name,
    async () => heavier(await load(), steps, every),
  ]);
  return { ...suite, operation: { ...suite.operation, algorithms: Object.fromEntries(loads) } };
}

function heavier(algorithm: Algorithm, steps: number, every: number): Algorithm {
  const plan: Algorithm["plan"] = (...given) => burdenPlan(algorithm.plan(...given), steps, every);
  return Object.assign(Object.create(Object.getPrototypeOf(algorithm)), algorithm, { plan });
}

/** The plan with the chain at the start of each entry point. */
export function burdenPlan(plan: Plan, steps: number, every = 1): Plan {
  return {
    ...plan,
    modules: plan.modules.map((one) => ({ ...one, wgsl: burdenText(one.wgsl, steps, every) })),
  };
}

/**
 * The chain begins with a number of the uniform buffer, which no compiler knows, and never ends below 0, which none can prove: so
 * it is neither folded nor dropped, and what would be stored then never is. Its length alone is no fine scale: on an H200 12 steps
 * of a matched filter cost 0.4% and 16 cost 2.4%, nothing between, so that a share of the workgroups takes it.
 */
export function burdenText(wgsl: string, steps: number, every = 1): string {
  const [, uniform, type] = /var<uniform>\s+(\w+)\s*:\s*(\w+)/.exec(wgsl) ?? [];
  const [, member] = new RegExp(`struct\\s+${type}\\s*\\{\\s*(\\w+)\\s*:\\s*u32`).exec(wgsl) ?? [];
  const [, output] = /var<storage,\s*read_write>\s+(\w+)\s*:\s*array</.exec(wgsl) ?? [];
  if (!uniform || !member || !output)
    throw new Error("no uniform of u32, or no array to write, by which a chain could be kept alive");
  return wgsl.replace(/@compute[^{]*\{/g, (head) => {
    const [, group] = /@builtin\(workgroup_id\)\s*(\w+)/.exec(head) ?? [];
    if (every > 1 && !group) throw new Error("an entry point that does not know its workgroup");
    const chain = [
      `  var burden = f32(${uniform}.${member});`,
      `${every > 1 ? `  if (${group}.x % ${every}u == 0u) {` : "  {"} for (var step = 0u; step < ${steps}u; step += 1u) { burden = fma(burden, 1.0000001, 0.25); } }`,
      `  if (burden < 0.0) { ${output}[0u] = ${output}[1u]; }`,
    ];
    return `${head}\n${chain.join("\n")}`;
  });
}
