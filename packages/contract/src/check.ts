import { CONTRACT_VERSION, flatSteps, type Plan } from "./plan.ts";

/** Everything that is wrong with a plan as data, each fault one line; empty when it is well formed. */
export function checkPlan(plan: Plan): readonly string[] {
  const faults: string[] = [];
  const buffers = new Map(plan.buffers.map((buffer) => [buffer.name, buffer]));
  const modules = new Set(plan.modules.map((module) => module.name));
  if (plan.contract !== CONTRACT_VERSION) {
    faults.push(`the plan speaks contract ${plan.contract}, this executor ${CONTRACT_VERSION}`);
  }
  if (buffers.size !== plan.buffers.length) faults.push("two buffers share a name");
  if (modules.size !== plan.modules.length) faults.push("two modules share a name");
  for (const buffer of plan.buffers) {
    const name = `buffer ${buffer.name}`;
    if (buffer.fixedBytes > 0 && buffer.itemBytes > 0) faults.push(`${name} has both fixed and item bytes`);
    if (!(buffer.fixedBytes + buffer.itemBytes > 0)) faults.push(`${name} is empty`);
    if (buffer.role === "constant" && buffer.data?.byteLength !== buffer.fixedBytes) {
      faults.push(
        `${name} is constant but its data has ${buffer.data?.byteLength ?? 0} of ${buffer.fixedBytes} bytes`,
      );
    }
  }
  const { items, quantum, minimum } = plan.batch;
  for (const [what, value] of Object.entries({ items, quantum, minimum })) {
    if (!Number.isSafeInteger(value) || value < 1)
      faults.push(`batch ${what} is ${value}, not a positive integer`);
  }
  for (const [name, value] of Object.entries(plan.extents)) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffffffff)
      faults.push(`extent ${name} is ${value}, not a u32`);
  }
  const known = (name: string, where: string) => {
    if (!buffers.has(name)) faults.push(`${where} names the unknown buffer ${name}`);
  };
  for (const step of flatSteps(plan.steps)) {
    if (step.kind === "dispatch" || step.kind === "indirect") {
      if (!modules.has(step.module))
        faults.push(`stage ${step.stage} names the unknown module ${step.module}`);
      for (const binding of step.bindings) known(binding.buffer, `stage ${step.stage}`);
    }
    if (step.kind === "indirect") known(step.arguments.buffer, `stage ${step.stage}`);
    if (step.kind === "clear") known(step.buffer, `stage ${step.stage}`);
    if (step.kind === "copy")
      for (const end of [step.from, step.to]) known(end.buffer, `stage ${step.stage}`);
  }
  for (const step of plan.steps) {
    if (step.kind !== "loop") continue;
    known(step.until.buffer, `loop ${step.stage}`);
    if (!(step.maximum >= 1) || !(step.checkEvery >= 1))
      faults.push(`loop ${step.stage} has no bound or check interval`);
  }
  return faults;
}
