import {
  type Capabilities,
  flatSteps,
  type GroupCount,
  type Operation,
  type Plan,
  type Problem,
} from "@tunelab/contract";

/** A shape beside the one that is compared, at which kernels that are right in the middle go wrong. */
export interface Shape {
  readonly problem: Problem;
  /** Which limit it straddles, in words. */
  readonly why: string;
}

/** Items from which a dispatch needs more workgroups than one dimension holds; undefined when it never does. */
function foldsFrom({ fixed, perItem }: GroupCount, limit: number): number | undefined {
  if (!perItem || perItem.groups < 1) return undefined;
  const bundles = Math.floor((limit - fixed) / perItem.groups);
  return bundles * perItem.items + 1;
}

/**
 * Shapes around the limits of two plans of one problem: one item, either side of each quantum, and either side of the
 * count at which workgroups fold into a second dimension (65,535 on every device so far). Only the batch dimension moves,
 * so nothing is specialised anew; shapes of more than `mostItems` items and those that the operation refuses are left out.
 */
export function straddlingShapes(
  operation: Operation,
  problem: Problem,
  plans: readonly Plan[],
  limits: Capabilities["limits"],
  mostItems: number,
): readonly Shape[] {
  const dimension = plans[0]?.batch.dimension ?? "";
  const role = operation.dimensions.find(({ name }) => name === dimension)?.role;
  const items = problem[dimension];
  // A batch that the problem does not name (its items follow from shapes) cannot be moved by itself.
  if (role !== "extent" || plans.some(({ batch }) => batch.dimension !== dimension || batch.items !== items))
    return [];
  const wanted = new Map<number, string>();
  const want = (count: number, why: string): void => {
    if (count >= 1 && count <= mostItems && count !== items && !wanted.has(count)) wanted.set(count, why);
  };
  want(1, `one of ${dimension}`);
  for (const quantum of new Set(plans.map(({ batch }) => batch.quantum))) {
    if (quantum === 1) continue;
    want(quantum - 1, `one under the quantum of ${quantum}`);
    want(quantum + 1, `one over the quantum of ${quantum}`);
    want(2 * quantum + 1, `one over two quanta of ${quantum}`);
  }
  const limit = limits.maxComputeWorkgroupsPerDimension;
  for (const plan of plans) {
    for (const step of flatSteps(plan.steps)) {
      if (step.kind !== "dispatch") continue;
      const from = foldsFrom(step.groups, limit);
      if (from === undefined) continue;
      want(from - 1, `the last with ${limit} workgroups in one dimension (${step.stage})`);
      want(from, `the first whose workgroups fold (${step.stage})`);
    }
  }
  return [...wanted]
    .map(([count, why]) => ({ problem: { ...problem, [dimension]: count }, why }))
    .filter((shape) => operation.refuse(shape.problem) === undefined)
    .sort((a, b) => Number(a.problem[dimension]) - Number(b.problem[dimension]));
}
