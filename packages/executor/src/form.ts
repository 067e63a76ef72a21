import { checkPlan, Fault, type Plan } from "@tunelab/contract";

/** @throws Fault `usage` naming the first thing that is wrong with a plan as data. */
export function checkForm(plan: Plan): void {
  const faults = checkPlan(plan);
  if (faults.length === 0) return;
  throw new Fault("usage", `plan ${plan.operation}/${plan.algorithm} is malformed: ${faults[0]}`, { faults });
}
