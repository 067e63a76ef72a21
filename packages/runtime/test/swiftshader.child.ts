import { create, globals } from "webgpu";
import {
  bindMatchedFilter,
  calibrateFft,
  calibrateMatchedFilter,
  createRuntime,
  explainFft,
  explainMatchedFilter,
  fft,
  matchedFilter,
  type RuntimeEvent,
} from "../src/index.ts";
import { tableOf } from "./made-table.ts";
import { planted } from "./signal.ts";

/** Finds planted lags on the adapter of the environment, with and without a table, and prints what happened. */
Object.assign(globalThis, globals);
const gpu = create([]);
const events: RuntimeEvent[] = [];
const { n, data, templates, lags } = planted(128, 3);
const { data: longData, templates: longTemplates } = planted(256, 3);
const long = { data: longData, templates: longTemplates };

const summary = ({ indices, magnitudes, variant, table }: Awaited<ReturnType<typeof matchedFilter>>) => ({
  indices: [...indices],
  magnitudes: [...magnitudes],
  variant,
  table,
});
const runtime = await createRuntime({ gpu, onEvent: (event) => events.push(event) });
const plain = await matchedFilter(runtime, { n, data, templates });
const chosen = await matchedFilter(runtime, { n, data, templates, pairs: new Uint32Array([2, 2, 0, 0]) });

const tables = [await tableOf(runtime.info, n)];
const tabled = await createRuntime({
  device: runtime.device,
  tables,
  onEvent: (event) => events.push(event),
});
const first = await matchedFilter(tabled, { n, data, templates });
const again = await matchedFilter(tabled, { n, data, templates });
tabled.dispose();
const zeroCopy = await onTheCallersBuffers();
const onCpu = await matchedFilter(runtime, { n, data, templates, backend: "cpu" });
const auto = await matchedFilter(runtime, { n, data, templates, backend: "auto" });
const calibration = await calibrated();
const thresholded = [];
for (const backend of ["gpu", "cpu"] as const) {
  thresholded.push(summary(await matchedFilter(runtime, { n: 256, ...long, threshold: 200, backend })));
}
const transform = await transformed();
const spoiled = await withNaN();
const longest = await inPieces();
const alive = await matchedFilter(runtime, { n, data, templates });
runtime.dispose();

/** The second datum with a NaN, on either side. */
async function withNaN() {
  const dirty = data.slice();
  dirty[2 * n + 9] = Number.NaN;
  const gpu = await matchedFilter(runtime, { n, data: dirty, templates });
  const cpu = await matchedFilter(runtime, { n, data: dirty, templates, backend: "cpu" });
  return { gpu: summary(gpu), cpu: summary(cpu) };
}

/** Spectra that no workgroup holds, four pairs where memory is there for two at a time. */
async function inPieces() {
  const n = 32_768;
  const signal = planted(n, 2);
  // Spectra, then scratch of half a MiB for two pairs; what partial peaks and tables need is under a half.
  const budgets = { memoryBytes: 4 * 8 * n + 2 * 8 * n + 2 ** 17 };
  const tight = await createRuntime({ device: runtime.device, budgets });
  const gpu = await matchedFilter(tight, { n, data: signal.data, templates: signal.templates });
  const cpu = await matchedFilter(tight, {
    n,
    data: signal.data,
    templates: signal.templates,
    backend: "cpu",
  });
  tight.dispose();
  return { n, lags: signal.lags, gpu: summary(gpu), cpu: summary(cpu) };
}

/** Transforms on the GPU there and back, and on the CPU there. */
async function transformed() {
  const input = data.subarray(0, 2 * n);
  const there = await fft(runtime, { n, input });
  const back = await fft(runtime, { n, input: there.output, direction: "inverse" });
  const cpu = await fft(runtime, { n, input, backend: "cpu" });
  const largest = Math.max(...cpu.output.map(Math.abs));
  const apart = (a: Float32Array, b: Float32Array, scale: number): number =>
    Math.max(...a.map((value, at) => Math.abs(value / scale - b[at]!)));
  const raced = await createRuntime({ device: runtime.device });
  const { variant: winner } = await calibrateFft(raced, { n: 64, batch: 32 }, { maxMilliseconds: 4000 });
  const after = await explainFft(raced, { n: 64, batch: 5 });
  raced.dispose();
  return {
    raced: { winner, runs: after.variant, why: after.why },
    variant: there.variant,
    backends: [there.backend, cpu.backend],
    fromCpu: apart(there.output, cpu.output, 1) / largest,
    fromInput: apart(back.output, input, n),
  };
}

/** Races a shape, and asks a second runtime with the same cache what it would run. */
async function calibrated() {
  const store = new Map<string, string>();
  const cache = {
    get: (key: string) => store.get(key),
    set: (key: string, value: string) => void store.set(key, value),
  };
  const shape = { n: 64, data: 4, templates: 8 };
  const first = await createRuntime({ device: runtime.device, cache });
  const found = await calibrateMatchedFilter(first, shape, { maxMilliseconds: 15_000 });
  const after = await explainMatchedFilter(first, { ...shape, data: 5 });
  first.dispose();
  const second = await createRuntime({ device: runtime.device, cache });
  const remembered = await explainMatchedFilter(second, shape);
  second.dispose();
  const native = await createRuntime({ device: runtime.device, cache, profile: "native" });
  const elsewhere = await explainMatchedFilter(native, shape);
  native.dispose();
  return { found, after, remembered, elsewhere, keys: [...store.keys()] };
}

/** Spectra and records in the caller's own buffers, encoded twice into the caller's encoder among its own copies. */
async function onTheCallersBuffers() {
  const { device } = runtime;
  const bufferOf = (values: Float32Array<ArrayBuffer>): GPUBuffer => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: values.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, values);
    return buffer;
  };
  const spectra = bufferOf(data as Float32Array<ArrayBuffer>);
  const records = device.createBuffer({
    size: 9 * 16,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
  });
  const staging = device.createBuffer({
    size: 9 * 16,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const bound = await bindMatchedFilter(runtime, { n, data: spectra, templates, records });
  const read = async (): Promise<number[]> => {
    const encoder = device.createCommandEncoder();
    bound.encode(encoder);
    encoder.copyBufferToBuffer(records, 0, staging, 0, 9 * 16);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const words = [...new Uint32Array(staging.getMappedRange())];
    staging.unmap();
    return [0, 4, 8].map((pair) => words[4 * pair]!);
  };
  const once = await read();
  // The templates in reverse order: the caller's own data buffer stays.
  const rows = [2, 1, 0].flatMap((row) => [...templates.subarray(row * 2 * n, (row + 1) * 2 * n)]);
  bound.write({ templates: new Float32Array(rows) });
  const turned = await read();
  bound.dispose();
  const again = await matchedFilter(runtime, { n, data: spectra, templates });
  return { once, turned, again: summary(again) };
}

console.log(
  JSON.stringify({
    n,
    lags,
    events,
    ...{ plain: summary(plain), chosen: summary(chosen), first: summary(first), again: summary(again) },
    alive: summary(alive),
    zeroCopy,
    calibration,
    thresholded,
    transform,
    spoiled,
    longest,
    onCpu: { ...summary(onCpu), values: [...onCpu.values] },
    onGpu: { ...summary(plain), values: [...plain.values] },
    auto: { backend: auto.backend, why: auto.route, indices: [...auto.indices] },
  }),
);
process.exit(0);
