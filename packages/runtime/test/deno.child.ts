import {
  createRuntime,
  type Fault,
  fft,
  fftOperation,
  matchedFilter,
  matchedFilterOperation,
  type RuntimeEvent,
} from "../src/index.ts";
import { planted } from "./signal.ts";

/**
 * Runs in Deno: every algorithm of both operations, and every shipped variant that the device takes, through wgpu and naga on the
 * adapter of the environment, held against the CPU; prints what happened. Without an adapter: what the three backends say.
 */
const events: RuntimeEvent[] = [];
const onEvent = (event: RuntimeEvent): number => events.push(event);
const { n: short, data, templates, lags } = planted(256, 3);
const call = { n: short, data, templates };

async function withoutAdapter() {
  const refusal = await createRuntime().catch((error: Fault) => ({
    kind: error.kind,
    message: error.message,
  }));
  const answers: string[] = [];
  for (const backend of ["cpu", "auto"] as const) {
    const { indices, backend: ran } = await matchedFilter(await createRuntime({ backend, onEvent }), call);
    answers.push(`${ran} ${[0, 4, 8].map((at) => indices[at])}`);
  }
  return { adapter: undefined, refusal, answers, lags, events };
}

/** Ids of a length's shipped rows, whatever device they were measured on. */
async function shippedIds(n: number): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const source of await matchedFilterOperation.tables()) {
    const { entries } = "load" in source ? await source.load() : source;
    for (const { problem, rows } of entries)
      if (problem.n === n) for (const { variant } of rows) ids.add(variant);
  }
  return [...ids];
}

async function correlations(device: GPUDevice, adapter: GPUAdapter, n: number, pinned: readonly string[]) {
  const runtime = await createRuntime({ device, adapter, onEvent });
  const signal = planted(n, 3);
  const right = await matchedFilter(runtime, { ...signal, backend: "cpu" });
  const lines: string[] = [];
  for (const variant of [undefined, ...pinned]) {
    try {
      const got = await matchedFilter(runtime, { ...signal, ...(variant ? { variant } : {}) });
      const same = got.indices.every((index, pair) => index === right.indices[pair]);
      const error = Math.max(
        ...got.magnitudes.map((value, pair) => Math.abs(value / right.magnitudes[pair]! - 1)),
      );
      lines.push(`${same && error < 2e-6 ? "right" : `wrong by ${error}`} ${got.variant}`);
    } catch (error) {
      const { kind, message } = error as Fault;
      lines.push(`${kind} ${variant}: ${message}`);
    }
  }
  runtime.dispose();
  return lines;
}

async function transforms(device: GPUDevice, adapter: GPUAdapter, n: number) {
  const runtime = await createRuntime({ device, adapter, onEvent });
  const input = Float32Array.from({ length: 4 * n }, (_, at) => Math.cos(at * at * 0.37));
  const cpu = await fft(runtime, { n, input, backend: "cpu" });
  const whole = norm(cpu.output);
  const lines: string[] = [];
  for (const algorithm of Object.keys(fftOperation.operation.algorithms)) {
    try {
      const got = await fft(runtime, { n, input, variant: algorithm });
      const error = norm(got.output.map((value, at) => value - cpu.output[at]!)) / whole;
      lines.push(`${error < 2e-6 ? "right" : `wrong by ${error}`} ${got.variant}`);
    } catch (error) {
      const { kind, message } = error as Fault;
      lines.push(`${kind} ${algorithm}: ${message}`);
    }
  }
  runtime.dispose();
  return lines;
}

function norm(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum);
}

async function withAdapter(adapter: GPUAdapter) {
  const narrow = await adapter.requestDevice();
  const algorithms = Object.keys(matchedFilterOperation.operation.algorithms);
  const defaults: string[] = [];
  for (const n of [64, 1024, 2048, 32_768])
    defaults.push(...(await correlations(narrow, adapter, n, algorithms)));
  const shipped = [
    ...(await correlations(narrow, adapter, 256, await shippedIds(256))),
    ...(await correlations(narrow, adapter, 1024, await shippedIds(1024))),
  ];
  const ffts = [
    ...(await transforms(narrow, adapter, 256)),
    ...(await transforms(narrow, adapter, 2048)),
    ...(await transforms(narrow, adapter, 32_768)),
  ];
  narrow.destroy();
  const own = await createRuntime({ onEvent });
  const { variant, table } = await matchedFilter(own, call);
  const { identity, capabilities } = own.info;
  own.dispose();
  return {
    adapter: identity,
    features: capabilities.features,
    defaults,
    shipped,
    ffts,
    variant,
    table,
    events,
  };
}

const adapter = await navigator.gpu?.requestAdapter();
console.log(JSON.stringify(adapter ? await withAdapter(adapter) : await withoutAdapter()));
