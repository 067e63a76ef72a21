import {
  type Algorithm,
  CONTRACT_VERSION,
  DEFAULT_CAPABILITIES,
  type Operation,
  type Plan,
  type TuningTable,
} from "@tunelab/contract";
import { afterAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import {
  bindMatchedFilter,
  createRuntime,
  explainMatchedFilter,
  type Fault,
  matchedFilter,
  prepareMatchedFilter,
  type Runtime,
  type RuntimeEvent,
} from "../src/index.ts";
import { TABLED, tableOf } from "./made-table.ts";

Object.assign(globalThis, globals);
// Held for as long as devices live: without a reference the process dies in the driver's thread.
const gpu = create(["backend=null"]);
const open: Runtime[] = [];
const runtimeWith = async (
  tables: readonly TuningTable[] = [],
  onEvent: (event: RuntimeEvent) => void = () => {},
): Promise<Runtime> => {
  const runtime = await createRuntime({ gpu, tables, onEvent });
  open.push(runtime);
  return runtime;
};
afterAll(() => {
  for (const runtime of open) runtime.dispose();
});

const faultOf = async (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => {
      throw new Error("nothing was thrown");
    },
    (error: Fault) => error,
  );

describe("opening a device", () => {
  it("without WebGPU the fault says what to do in a page and in Node", async () => {
    const fault = await faultOf(createRuntime());
    expect(fault.kind).toBe("environment");
    expect(fault.message).toMatch(/HTTPS or localhost.*create/);
  });

  it("without an adapter the fault names the driver", async () => {
    const none = { requestAdapter: async () => null } as unknown as GPU;
    const fault = await faultOf(createRuntime({ gpu: none }));
    expect(fault.kind).toBe("environment");
    expect(fault.message).toMatch(/no adapter.*driver/);
  });

  it("takes the caller's device and does not destroy it", async () => {
    const adapter = (await gpu.requestAdapter())!;
    const device = await adapter.requestDevice();
    const runtime = await createRuntime({ device, adapter });
    expect(runtime.device).toBe(device);
    expect(runtime.info.capabilities.limits).toEqual(DEFAULT_CAPABILITIES.limits);
    runtime.dispose();
    const still = await Promise.race([device.lost.then(() => "lost"), Promise.resolve("alive")]);
    expect(still).toBe("alive");
    device.destroy();
  });
});

describe("what a call is checked for", () => {
  const floats = (count: number) => new Float32Array(count);
  const cases: readonly [string, Parameters<typeof matchedFilter>[1], RegExp][] = [
    [
      "a length that is no power of two",
      { n: 96, data: floats(192), templates: floats(192) },
      /96.*power of two/,
    ],
    ["a fractional length", { n: 64.5, data: floats(129), templates: floats(129) }, /n is 64.5/],
    ["no points", { n: 0, data: floats(128), templates: floats(128) }, /n is 0, not a positive integer/],
    ["one point", { n: 1, data: floats(2), templates: floats(2) }, /n is 1, not a power of two from 64/],
    ["no datum", { n: 64, data: floats(0), templates: floats(128) }, /data has 0 floats/],
    [
      "more points than two steps transform",
      { n: 2_097_152, data: floats(4_194_304), templates: floats(4_194_304) },
      /n is 2097152, not a power of two from 64 to 1048576/,
    ],
    [
      "data in double precision, which is of the right length in bytes",
      { n: 64, data: new Float64Array(64) as never, templates: floats(128) },
      /data is Float64Array: give a Float32Array or a GPUBuffer/,
    ],
    [
      "a plain list",
      { n: 64, data: floats(128), templates: [1, 2, 3] as never },
      /templates is Array: give a Float32Array/,
    ],
    [
      "signed pairs",
      { n: 64, data: floats(128), templates: floats(128), pairs: new Int32Array(2) as never },
      /pairs is Int32Array: give a Uint32Array/,
    ],
    [
      "no pairs",
      { n: 64, data: floats(128), templates: floats(128), pairs: new Uint32Array(0) },
      /pairs has 0 words/,
    ],
    ["data cut short", { n: 64, data: floats(100), templates: floats(128) }, /data has 100 floats.*128/],
    ["no template", { n: 64, data: floats(128), templates: floats(0) }, /templates has 0 floats/],
    [
      "an odd number of pair words",
      { n: 64, data: floats(128), templates: floats(128), pairs: new Uint32Array(3) },
      /pairs has 3 words/,
    ],
    [
      "a pair beyond the templates",
      { n: 64, data: floats(128), templates: floats(256), pairs: new Uint32Array([0, 1, 0, 2]) },
      /pair 1 is \(0, 2\).*1 data spectra and 2 templates/,
    ],
  ];
  it.each(cases)("%s is a usage fault that names it", async (_what, input, message) => {
    const fault = await faultOf(matchedFilter(await runtimeWith(), input));
    expect(fault.kind).toBe("usage");
    expect(fault.message).toMatch(message);
  });
});

describe("what cannot be computed anywhere", () => {
  it("more pairs than two dimensions of groups is refused with the number, before a table or text is looked at", async () => {
    const runtime = await runtimeWith();
    const fault = await faultOf(explainMatchedFilter(runtime, { n: 64, data: 65_536, templates: 65_536 }));
    expect(fault.kind).toBe("usage");
    expect(fault.message).toMatch(/pairs is 4294967296, over 4294836225/);
  });

  it("a caller's buffer that is too small, or cannot be bound, is a usage fault that says which", async () => {
    const runtime = await runtimeWith();
    const buffer = (size: number, usage: number): GPUBuffer => runtime.device.createBuffer({ size, usage });
    const templates = new Float32Array(128);
    const wrong = async (call: Promise<unknown>, why: RegExp): Promise<void> =>
      expect(await faultOf(call)).toMatchObject({ kind: "usage", message: expect.stringMatching(why) });
    const lacking = buffer(512, GPUBufferUsage.COPY_DST);
    await wrong(matchedFilter(runtime, { n: 64, data: lacking, templates }), /port data lacks STORAGE usage/);
    const odd = buffer(516, GPUBufferUsage.STORAGE);
    await wrong(matchedFilter(runtime, { n: 64, data: odd, templates }), /data has 129 floats/);
    const [data, records] = [buffer(512, GPUBufferUsage.STORAGE), buffer(8, GPUBufferUsage.STORAGE)];
    await wrong(
      bindMatchedFilter(runtime, { n: 64, data, templates, records }),
      /port records has 8 bytes, the plan needs 16/,
    );
  });

  it("a pair written to a bound call is refused where there is no such spectrum, as one given at once is", async () => {
    const runtime = await runtimeWith();
    const spectra = new Float32Array(2 * 2 * 64);
    const bound = await bindMatchedFilter(runtime, { n: 64, data: spectra, templates: spectra });
    bound.write({ pairs: Uint32Array.of(0, 0, 0, 1, 1, 0, 1, 1) });
    expect(() => bound.write({ pairs: Uint32Array.of(0, 0, 0, 9, 1, 0, 1, 1) })).toThrow(
      "pair 1 is (0, 9), but there are 2 data spectra and 2 templates",
    );
    expect(() => bound.write({ pairs: Uint32Array.of(0, 0) })).toThrow(/pairs/);
    bound.dispose();
  });
});

describe("choosing", () => {
  const shape = { n: 256, data: 3, templates: 3 };

  it("without tables the default is explained as such, and prepares", async () => {
    const runtime = await runtimeWith();
    const explanation = await explainMatchedFilter(runtime, { ...shape, n: 128 });
    expect(explanation.variant).toMatch(/^fused\//);
    expect(explanation.table).toBeUndefined();
    expect(await prepareMatchedFilter(runtime, { ...shape, n: 128 })).toEqual(explanation);
  });

  it("a table of another vendor is borrowed, told once, with the row that exists no more refused", async () => {
    const events: RuntimeEvent[] = [];
    const mine = await runtimeWith();
    const { identity, capabilities } = mine.info;
    const table = await tableOf(
      { identity: { ...identity, vendor: "amd", device: "radeon-x" }, capabilities },
      256,
    );
    const runtime = await runtimeWith([table], (event) => events.push(event));
    const explanation = await prepareMatchedFilter(runtime, shape);
    await prepareMatchedFilter(runtime, shape);
    expect(explanation).toMatchObject({ variant: TABLED, borrowed: true });
    expect(explanation.refused.slice(0, 1)).toMatchObject([{ variant: "fused/gone", limit: "space" }]);
    expect(events.map(({ kind }) => kind)).toEqual(["borrowed"]);
  });

  it("an accuracy that nothing measured reaches is unsupported, naming the demand", async () => {
    const fault = await faultOf(explainMatchedFilter(await runtimeWith(), { ...shape, maxError: 1e-12 }));
    expect(fault.kind).toBe("unsupported");
    expect(fault.message).toMatch(/maxError/);
  });
});

describe("what is compiled", () => {
  /** Pipelines that the runtime's device makes from now on. */
  const counting = (runtime: Runtime): (() => number) => {
    let made = 0;
    const make = runtime.device.createComputePipelineAsync.bind(runtime.device);
    runtime.device.createComputePipelineAsync = (descriptor) => {
      made += 1;
      return make(descriptor);
    };
    return () => made;
  };

  it("a new pair, data or template count compiles nothing; a new length does", async () => {
    const runtime = await runtimeWith();
    const made = counting(runtime);
    const { variant } = await prepareMatchedFilter(runtime, { n: 128, data: 3, templates: 3 });
    const once = made();
    const next = await prepareMatchedFilter(runtime, { n: 128, data: 5, templates: 7, pairs: 1000 });
    expect(next.variant).toBe(variant);
    expect(once).toBeGreaterThan(0);
    expect(made()).toBe(once);
    await prepareMatchedFilter(runtime, { n: 64, data: 3, templates: 3 });
    expect(made()).toBeGreaterThan(once);
  });
});

describe("a pinned variant", () => {
  const shape = { n: 128, data: 2, templates: 2 };

  it("runs, and one that cannot run throws instead of running another", async () => {
    const runtime = await runtimeWith();
    const { variant } = await explainMatchedFilter(runtime, shape);
    const smaller = variant.replace(/radix=\d+/, "radix=2");
    expect(await prepareMatchedFilter(runtime, { ...shape, variant: smaller })).toMatchObject({
      variant: smaller,
      why: "pinned by the call",
    });
    const wide = variant.replace(/reduction=\w+/, "reduction=subgroup");
    const fault = await faultOf(prepareMatchedFilter(await narrow(), { ...shape, variant: wide }));
    expect(fault.kind).toBe("unsupported");
    expect(fault.message).toMatch(/pinned variant .*needs the feature subgroups/);
  });

  /** A runtime on a device without features. */
  async function narrow(): Promise<Runtime> {
    const adapter = (await gpu.requestAdapter())!;
    const runtime = await createRuntime({ device: await adapter.requestDevice(), adapter });
    open.push(runtime);
    return runtime;
  }
});

describe("falling on", () => {
  const plan = (name: string, wgsl: string): Plan => ({
    ...{ contract: CONTRACT_VERSION, operation: "tiny", algorithm: name },
    buffers: [{ name: "out", role: "out", dtype: "u32", fixedBytes: 0, itemBytes: 4 }],
    modules: [{ name: "tiny", wgsl }],
    steps: [
      {
        ...{ kind: "dispatch", stage: "tiny", module: "tiny", entry: "main" },
        bindings: [{ buffer: "out", access: "read-write" }],
        groups: { fixed: 1 },
      },
    ],
    batch: { dimension: "n", items: 64, order: "independent", quantum: 64, minimum: 64 },
    extents: {},
    requires: { features: [], limits: {} },
  });
  const algorithm = (name: string, body: string): Algorithm => ({
    name,
    space: () => ({ parameters: [], constraints: [] }),
    defaultConfig: () => ({}),
    resources: () => ({
      workgroupBytes: 0,
      invocations: 1,
      scratchBytesPerItem: 0,
      storageBuffers: 1,
      features: [],
    }),
    plan: () =>
      plan(
        name,
        `@group(0) @binding(0) var<uniform> e: vec4u;\n@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(1) fn main() { ${body} }`,
      ),
    cost: () => ({ flops: 0, requestedBytes: 0, compulsoryBytes: 0, workgroupBytes: 0 }),
  });
  const operation = (algorithms: readonly Algorithm[]): Operation => ({
    ...{ name: "tiny", doc: "tiny", dimensions: [], refuse: () => undefined },
    ports: () => [{ name: "out", dtype: "u32", shape: [64], role: "out", doc: "words" }],
    algorithms: Object.fromEntries(algorithms.map((each) => [each.name, async () => each])),
    accuracy: { bound: 1, measure: "none" },
  });
  const shipped = (...algorithms: readonly Algorithm[]) => ({
    operation: operation(algorithms),
    tables: async () => [],
  });
  const broken = algorithm("broken", "o[0] = nonsense;");
  const sound = algorithm("sound", "o[0] = e.x;");

  it("a variant that does not compile gives way to the next and is reported once", async () => {
    const events: RuntimeEvent[] = [];
    const runtime = await runtimeWith([], (event) => events.push(event));
    const tiny = shipped(broken, sound);
    for (let call = 0; call < 3; call++) {
      const { outputs, explanation } = await runtime.operation(tiny).run({}, {});
      expect(explanation.variant).toBe("sound");
      expect(outputs.out).toHaveLength(64);
    }
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: "fallback", operation: "tiny", variant: "broken" });
  });

  it("an operation of one's own needs no tables, runs, binds, and races with a check of one's own", async () => {
    const runtime = await runtimeWith();
    const own = operation([sound]);
    const tiny = runtime.operation(own);
    expect(runtime.operation(own)).toBe(tiny);
    expect((await tiny.run({}, {})).outputs.out).toHaveLength(64);
    const bound = await tiny.bind({}, {});
    await bound.run();
    expect((await bound.read()).out).toHaveLength(64);
    bound.encode(runtime.device.createCommandEncoder());
    bound.dispose();
    expect((await faultOf(bound.run())).message).toMatch(/disposed/);
    // The null backend computes nothing: a check that looks at the answer turns every variant down.
    const wrong = { inputs: {}, verify: () => "nothing was computed" };
    const fault = await faultOf(tiny.calibrate({}, wrong, { maxMilliseconds: 50 }));
    expect(fault.message).toMatch(/its answer is wrong: nothing was computed/);
    expect((await tiny.explain({})).variant).toBe("sound");
  });

  it("when nothing compiles the last fault is the caller's", async () => {
    const fault = await faultOf((await runtimeWith()).operation(shipped(broken)).prepare({}));
    expect(fault.kind).toBe("validation");
    expect(fault.message).toMatch(/nonsense/);
  });

  it("a lost device ends the call instead of trying every variant on it", async () => {
    const events: RuntimeEvent[] = [];
    const runtime = await createRuntime({ gpu, onEvent: (event) => events.push(event) });
    runtime.device.destroy();
    await runtime.lost;
    expect((await faultOf(runtime.operation(shipped(broken, sound)).prepare({}))).kind).toBe("device-lost");
    expect(events).toEqual([]);
  });
});
