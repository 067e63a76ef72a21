import type { Plan, PortData, SimpleStep } from "@tunelab/contract";
import { blockEigh, scalarEigh } from "../../../contract/test/paper-plans/eigh.ts";
import { gatedDeltaNet } from "../../../contract/test/paper-plans/gated-delta-net.ts";
import {
  fusedMatchedFilter,
  hierarchicalMatchedFilter,
} from "../../../contract/test/paper-plans/matched-filter.ts";
import type { Executor, Instance, Run } from "../../src/index.ts";
import { deltaInputs, LAYER, MATRICES, matchedFilterInputs, PAIRS, symmetric } from "./inputs.ts";
import { counting, itemwise, words } from "./plans.ts";

const bits = (data: PortData): Record<string, readonly number[]> =>
  Object.fromEntries(
    Object.entries(data).map(([port, part]) => [
      port,
      [...new Uint32Array(part.buffer, part.byteOffset, part.length)],
    ]),
  );

/** Told that an item takes this long, every instance is cut into its smallest pieces. */
const ENDLESS_MS = 1e9;

/** Runs a plan whole and then in the smallest pieces: the bits must agree. */
async function wholeAndCut(executor: Executor, plan: Plan, inputs: PortData) {
  const prepared = await executor.prepare(plan);
  const instance = await prepared.bind(inputs, { msPerItem: 1e-6 });
  instance.poison();
  const run = await instance.run();
  const whole = await instance.read();
  instance.recut(ENDLESS_MS);
  instance.poison();
  const cutRun = await instance.run({ repeats: 2 });
  const same = JSON.stringify(bits(whole)) === JSON.stringify(bits(await instance.read()));
  return {
    pieces: instance.cut.pieces,
    same,
    probes: run.probes,
    cutProbes: cutRun.probes,
    converged: run.converged && cutRun.converged,
    outputs: Object.fromEntries(Object.entries(whole).map(([port, part]) => [port, [...part]])),
  };
}

export const matchedFilters = async (executor: Executor) => {
  const inputs = matchedFilterInputs(PAIRS);
  return {
    fused: await wholeAndCut(executor, fusedMatchedFilter(PAIRS), inputs),
    // A match has a coarse peak of 16 at its lag and 10.2 halfway between the lags that are tried.
    hierarchical: await wholeAndCut(
      executor,
      hierarchicalMatchedFilter(PAIRS, { band: 16, threshold: 9.5 }),
      inputs,
    ),
  };
};

export const eigenvalues = async (executor: Executor) => {
  const inputs = { matrix: symmetric(MATRICES.n, MATRICES.matrices) };
  const impatient = blockEigh(MATRICES);
  const steps = impatient.steps.map((step) => (step.kind === "loop" ? { ...step, maximum: 2 } : step));
  const stopped = await (await executor.prepare({ ...impatient, steps })).bind(inputs);
  return {
    scalar: await wholeAndCut(executor, scalarEigh(MATRICES), inputs),
    block: await wholeAndCut(executor, blockEigh(MATRICES), inputs),
    stopped: (await stopped.run()).converged,
  };
};

/** y = 3 y + pass, five times over from the item's index: order, count and index of every pass are in the value. */
export const repeated = async (executor: Executor) => {
  const made = itemwise(
    192,
    [words("x", "in"), words("y", "inout")],
    "y[i] = 3u * y[i] + x[i] * extents.iteration;",
    { minimum: 64 },
  );
  const steps = [{ kind: "repeat" as const, stage: "passes", steps: made.steps as never, count: 5 }];
  const inputs = { x: new Uint32Array(192).fill(1), y: counting(192) };
  const prepared = await executor.prepare({ ...made, steps });
  const read = async (instance: Instance) => [...(await instance.read(["y"])).y!];
  const learning = await prepared.bind(inputs);
  const converged = (await learning.run()).converged;
  const learnt = await read(learning);
  const cut = await prepared.bind(inputs, { msPerItem: ENDLESS_MS });
  const { submissions } = await cut.run({ repeats: 2 });
  const encoded = await prepared.bind(inputs, { msPerItem: ENDLESS_MS });
  const encoder = executor.device.createCommandEncoder();
  encoded.encode(encoder);
  executor.device.queue.submit([encoder.finish()]);
  return {
    converged,
    pieces: cut.cut.pieces,
    submissions,
    learnt,
    cut: await read(cut),
    encoded: await read(encoded),
  };
};

/** A clear and two dispatches of two stages, 2100 times over: a pass ends at each clear, so that one submission has too few queries. */
export const manyPasses = async (executor: Executor) => {
  const buffers = [words("x", "in"), words("y", "inout"), words("s", "scratch")];
  const made = itemwise(4, buffers, "y[i] += x[i] + s[i];");
  const [dispatch] = made.steps as readonly SimpleStep[];
  const clear = { kind: "clear", stage: "clear", buffer: "s" } as const;
  const passes = [clear, dispatch!, { ...dispatch!, stage: "again" }];
  const steps = [{ kind: "repeat" as const, stage: "passes", steps: passes, count: 2100 }];
  const inputs = { x: new Uint32Array(4).fill(1), y: counting(4) };
  const prepared = await executor.prepare({ ...made, steps });
  const run = async (timing: "total" | "stages", options: { msPerItem?: number }) => {
    const instance = await prepared.bind(inputs, options);
    const { passes: timed } = await instance.run({ timing });
    const { y } = await instance.read(["y"]);
    instance.dispose();
    return [[...y!], timed.length];
  };
  return {
    total: await run("total", { msPerItem: 1e-6 }),
    stages: await run("stages", { msPerItem: 1e-6 }),
    learning: await run("stages", {}),
  };
};

export const carriedState = async (executor: Executor) => {
  const inputs = deltaInputs(LAYER);
  const intermediates = async (block: number) => {
    const instance = await (await executor.prepare(gatedDeltaNet(LAYER, block))).bind(inputs, {
      msPerItem: 1e-6,
    });
    await instance.run();
    return bits(await instance.read(["conv", "o", "state", "history", "y"]));
  };
  const one = JSON.stringify(await intermediates(1));
  return {
    blocked: await wholeAndCut(executor, gatedDeltaNet(LAYER, 4), inputs),
    parity: [JSON.stringify(await intermediates(4)) === one, JSON.stringify(await intermediates(16)) === one],
    o: [...new Float32Array(Uint32Array.from((await intermediates(1)).o!).buffer)],
  };
};

/** One dispatch over the limit of a dimension and one over two dimensions' worth of rounding. */
export const foldedGroups = async (executor: Executor) => {
  const found: Record<number, readonly number[]> = {};
  for (const items of [65_535, 65_536, 131_073]) {
    const plan = itemwise(
      items,
      [words("hits", "inout"), words("seen", "out")],
      "hits[i] += 1u; seen[i] = i;",
    );
    const instance = await (await executor.prepare(plan)).bind(
      { hits: new Uint32Array(items) },
      { msPerItem: 1e-7 },
    );
    await instance.run({ repeats: 2 });
    const { hits, seen } = await instance.read();
    found[items] = [...new Set(hits)].concat([...seen!].filter((value, i) => value !== i).length);
    instance.dispose();
  }
  return found;
};

const names = (run: Run): readonly string[] => run.passes.map(({ stage, repeat }) => `${stage} ${repeat}`);

export const passTimes = async (executor: Executor) => {
  const bind = async (plan: Plan, inputs: PortData): Promise<Instance> =>
    (await executor.prepare(plan)).bind(inputs, { msPerItem: 1e-6 });
  const pure = await bind(itemwise(300, [words("x", "in"), words("y", "out")], "y[i] = x[i];"), {
    x: counting(300),
  });
  const layer = await bind(gatedDeltaNet(LAYER, 4), deltaInputs(LAYER));
  const runs = {
    none: await pure.run(),
    oneForAll: await pure.run({ repeats: 5, timing: "total" }),
    restored: await layer.run({ repeats: 2, timing: "total" }),
    stages: await layer.run({ repeats: 2, timing: "stages" }),
  };
  return {
    ...Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, names(run)])),
    submissions: Object.values(runs).map(({ submissions }) => submissions),
    ordered: Object.values(runs).every(({ passes }) =>
      passes.every(({ begin, end }) => begin > 0n && end >= begin),
    ),
  };
};

/** Every item writes the size of its piece: the first run of a kernel of unknown cost shows how it grew. */
export const gradualGrowth = async (executor: Executor) => {
  const plan = itemwise(
    4096,
    [words("size", "out")],
    "var x = i; for (var k = 0u; k < 300u; k++) { x = x * 1664525u + 1013904223u; } size[i] = extents.items + (x & 0u);",
  );
  const sizes = async (instance: Instance) => {
    const { size } = await instance.read();
    return [...size!].filter((value, i) => value !== size![i - 1]);
  };
  const instance = await (await executor.prepare(plan)).bind({}, { budgets: { submitMs: 5000 } });
  const before = instance.cut;
  const run = await instance.run();
  const first = await sizes(instance);
  await instance.run();
  return { before, submissions: run.submissions, first, after: instance.cut, second: await sizes(instance) };
};

export const poisonAndWrite = async (executor: Executor) => {
  const plan = itemwise(4, [words("x", "in"), words("y", "out")], "if (x[i] % 2u == 0u) { y[i] = x[i]; }");
  const instance = await (await executor.prepare(plan)).bind({ x: Uint32Array.of(1, 2, 3, 4) });
  instance.poison();
  await instance.run();
  const first = [...(await instance.read()).y!];
  instance.write({ x: Uint32Array.of(8, 1, 1, 1) });
  instance.poison();
  await instance.run();
  return { first, second: [...(await instance.read(["y"])).y!] };
};

export const callersBuffers = async (executor: Executor) => {
  const { device } = executor;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const state = device.createBuffer({ size: 16, usage });
  device.queue.writeBuffer(state, 0, Uint32Array.of(10, 20, 30, 40));
  const plan = itemwise(
    4,
    [words("state", "inout"), words("y", "out")],
    "state[i] += 1u; y[i] = state[i] * 2u;",
  );
  const instance = await (await executor.prepare(plan)).bind({ state });
  await instance.run();
  const encoder = device.createCommandEncoder();
  instance.encode(encoder);
  instance.encode(encoder);
  device.queue.submit([encoder.finish()]);
  const { y } = await instance.read(["y"]);
  const kept = await instance.read(["state"]);
  instance.dispose();
  device.queue.writeBuffer(state, 0, Uint32Array.of(1)); // still the caller's: not destroyed
  return { y: [...y!], state: [...kept.state!] };
};

/** A table made once on the device; a copy and a clear between dispatches. */
export const onceCopyClear = async (executor: Executor) => {
  const base = itemwise(70, [words("x", "in"), words("y", "out")], "y[i] = x[i] + y[i];");
  const table = itemwise(70, [], "").modules[0]!.wgsl.replace(
    "@compute",
    "@group(0) @binding(1) var<storage, read_write> table: array<u32, 8>;\n@compute",
  );
  const plan: Plan = {
    ...base,
    buffers: [
      ...base.buffers,
      { name: "table", role: "scratch", dtype: "u32", fixedBytes: 32, itemBytes: 0 },
      words("copied", "out"),
    ],
    modules: [
      ...base.modules,
      { name: "table", wgsl: table.replace("let i", "table[id.x] += id.x * 10u + 1u;\n  let i") },
    ],
    steps: [
      {
        kind: "once",
        stage: "table",
        steps: [
          {
            kind: "dispatch",
            stage: "table",
            module: "table",
            entry: "main",
            groups: { fixed: 8 },
            bindings: [{ buffer: "table", access: "read-write" }],
          },
        ],
      },
      { kind: "clear", stage: "items", buffer: "y" },
      {
        kind: "copy",
        stage: "items",
        from: { buffer: "table", offset: 8 },
        to: { buffer: "y", offset: 4 },
        bytes: { fixed: 8, perItem: 0 },
      },
      ...base.steps,
      {
        kind: "copy",
        stage: "items",
        from: { buffer: "y", offset: 0 },
        to: { buffer: "copied", offset: 0 },
        bytes: { fixed: 0, perItem: 4 },
      },
    ],
  };
  const instance = await (await executor.prepare(plan)).bind({ x: counting(70) }, { msPerItem: ENDLESS_MS });
  await instance.run({ repeats: 2 });
  const { y, copied } = await instance.read();
  return { pieces: instance.cut, y: [...y!], same: JSON.stringify(y) === JSON.stringify(copied) };
};
