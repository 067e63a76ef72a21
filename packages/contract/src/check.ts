import {
  type BufferSpec,
  CONTRACT_VERSION,
  flatSteps,
  type LoopStep,
  type OnceStep,
  type Plan,
  portOf,
  type RepeatStep,
  type SimpleStep,
} from "./plan.ts";

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
  const ports = plan.buffers.flatMap((buffer) => portOf(buffer) ?? []);
  for (const port of new Set(ports.filter((name, index) => ports.indexOf(name) !== index))) {
    faults.push(`two buffers carry the port ${port}`);
  }
  for (const buffer of plan.buffers) faults.push(...bufferFaults(buffer));
  faults.push(...batchFaults(plan));
  if (!plan.steps.some(({ kind }) => kind !== "once")) faults.push("the plan has no steps to run");
  for (const step of flatSteps(plan.steps)) faults.push(...stepFaults(step, buffers, modules));
  for (const step of plan.steps) {
    if (step.kind === "loop") faults.push(...loopFaults(step, buffers));
    if (step.kind === "repeat") faults.push(...repeatFaults(step));
    if (step.kind === "once") faults.push(...onceFaults(step, buffers));
  }
  return faults;
}

type Buffers = ReadonlyMap<string, BufferSpec>;

/** Roles that an operation or its author fills: no step may write them. */
const READ_ONLY: readonly BufferSpec["role"][] = ["in", "constant"];

const isWord = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value % 4 === 0;

function bufferFaults(buffer: BufferSpec): readonly string[] {
  const faults: string[] = [];
  const name = `buffer ${buffer.name}`;
  if (buffer.fixedBytes > 0 && buffer.itemBytes > 0) faults.push(`${name} has both fixed and item bytes`);
  if (!(buffer.fixedBytes + buffer.itemBytes > 0)) faults.push(`${name} is empty`);
  else if (!isWord(buffer.fixedBytes) || !isWord(buffer.itemBytes)) {
    faults.push(`${name} has ${buffer.fixedBytes || buffer.itemBytes} bytes, not whole 4-byte words`);
  }
  if (buffer.role === "constant") {
    const have = buffer.data?.byteLength ?? 0;
    if (have !== buffer.fixedBytes) {
      faults.push(`${name} is constant but its data has ${have} of ${buffer.fixedBytes} bytes`);
    }
  } else if (buffer.data) faults.push(`${name} has data but the role ${buffer.role}`);
  if (buffer.role === "probe") {
    const fields = Object.entries(buffer.fields ?? {});
    if (buffer.itemBytes > 0) faults.push(`${name} is a probe, whose size must not depend on the batch`);
    if (!fields.length) faults.push(`${name} is a probe without fields`);
    for (const [field, { offset }] of fields) {
      if (!isWord(offset) || offset + 4 > buffer.fixedBytes) {
        faults.push(`field ${buffer.name}.${field} at byte ${offset} is outside its probe`);
      }
    }
  }
  return faults;
}

function batchFaults(plan: Plan): readonly string[] {
  const faults: string[] = [];
  const { items, quantum, minimum } = plan.batch;
  for (const [what, value] of Object.entries({ items, quantum, minimum })) {
    if (!Number.isSafeInteger(value) || value < 1)
      faults.push(`batch ${what} is ${value}, not a positive integer`);
  }
  for (const [name, value] of Object.entries(plan.extents)) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffffffff)
      faults.push(`extent ${name} is ${value}, not a u32`);
  }
  return faults;
}

function stepFaults(step: SimpleStep, buffers: Buffers, modules: ReadonlySet<string>): readonly string[] {
  const faults: string[] = [];
  const where = `stage ${step.stage}`;
  const known = (name: string): BufferSpec | undefined => {
    const buffer = buffers.get(name);
    if (!buffer) faults.push(`${where} names the unknown buffer ${name}`);
    return buffer;
  };
  const written = (name: string): void => {
    const buffer = known(name);
    if (buffer && READ_ONLY.includes(buffer.role))
      faults.push(`${where} writes the ${buffer.role} buffer ${name}`);
  };

  if (step.kind === "clear") written(step.buffer);
  if (step.kind === "copy") {
    known(step.from.buffer);
    written(step.to.buffer);
    if (step.from.buffer === step.to.buffer) {
      faults.push(`${where} copies ${step.to.buffer} to itself, which WebGPU forbids`);
    }
    const numbers = [step.from.offset, step.to.offset, step.bytes.fixed, step.bytes.perItem];
    if (!numbers.every(isWord)) faults.push(`${where} copies parts of 4-byte words`);
  }
  if (step.kind !== "dispatch" && step.kind !== "indirect") return faults;

  if (!modules.has(step.module)) faults.push(`${where} names the unknown module ${step.module}`);
  for (const { buffer, access } of step.bindings) {
    if (access === "read-write") written(buffer);
    else if (known(buffer) && access === "uniform" && buffers.get(buffer)!.role !== "constant") {
      faults.push(`${where} binds ${buffer} as a uniform, which is no constant`);
    }
    if (access === "read-write" && step.bindings.filter((other) => other.buffer === buffer).length > 1) {
      faults.push(`${where} binds ${buffer} for writing and once more`);
    }
  }
  if (step.kind === "dispatch") {
    const { fixed, perItem = { groups: 1, items: 1 } } = step.groups;
    const counts = [fixed, perItem.groups, perItem.items];
    const whole = counts.every((value) => Number.isSafeInteger(value) && value >= 0);
    if (!whole || perItem.items < 1) faults.push(`${where} has a group count that is not a whole number`);
  } else {
    const { buffer: name, offset } = step.arguments;
    const buffer = known(name);
    if (buffer && buffer.role !== "counter" && buffer.role !== "scratch") {
      faults.push(`${where} takes its group counts from ${name}, a ${buffer.role} and not a counter`);
    }
    if (buffer && (!isWord(offset) || offset + 12 > buffer.fixedBytes)) {
      faults.push(`${where} takes its group counts from outside ${name}: three words of fixed bytes`);
    }
    if (step.bindings.some((binding) => binding.buffer === name && binding.access === "read-write")) {
      faults.push(`${where} writes ${name}, which holds its own group counts`);
    }
  }
  return faults;
}

function loopFaults(loop: LoopStep, buffers: Buffers): readonly string[] {
  const faults: string[] = [];
  const { buffer: name, offset, equals } = loop.until;
  const buffer = buffers.get(name);
  if (!buffer) faults.push(`loop ${loop.stage} names the unknown buffer ${name}`);
  else if (!isWord(offset) || offset + 4 > buffer.fixedBytes) {
    faults.push(`loop ${loop.stage} reads outside ${name}: a word of fixed bytes`);
  }
  if (!Number.isInteger(equals) || equals < 0 || equals > 0xffffffff) {
    faults.push(`loop ${loop.stage} waits for ${equals}, not a u32`);
  }
  if (![loop.maximum, loop.checkEvery].every((value) => Number.isSafeInteger(value) && value >= 1)) {
    faults.push(`loop ${loop.stage} has no bound or check interval`);
  }
  if (!loop.steps.length) faults.push(`loop ${loop.stage} has no steps`);
  return faults;
}

function repeatFaults({ stage, steps, count }: RepeatStep): readonly string[] {
  const faults: string[] = [];
  if (!(Number.isSafeInteger(count) && count >= 1)) {
    faults.push(`stage ${stage} is repeated ${count} times, not a positive integer`);
  }
  if (!steps.length) faults.push(`stage ${stage} repeats no steps`);
  return faults;
}

function onceFaults(once: OnceStep, buffers: Buffers): readonly string[] {
  const names = once.steps.flatMap((step) => {
    if (step.kind === "clear") return [step.buffer];
    if (step.kind === "copy") return [step.from.buffer, step.to.buffer];
    return step.bindings.map(({ buffer }) => buffer);
  });
  return [...new Set(names)]
    .filter((name) => (buffers.get(name)?.itemBytes ?? 0) > 0)
    .map((name) => `once-stage ${once.stage} uses ${name}, whose size depends on the batch`);
}
