import type { Fault } from "@tunelab/contract";
import { afterAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import {
  bindEigh,
  bindFft,
  bindMatchedFilter,
  calibrateEigh,
  createRuntime,
  type EighInput,
  type EighShape,
  eigh,
  explainEigh,
  type FftInput,
  fft,
  type MatchedFilterInput,
  matchedFilter,
  prepareEigh,
  type Runtime,
  type RuntimeOptions,
} from "../src/index.ts";

Object.assign(globalThis, globals);
// Held for as long as devices live: without a reference the process dies in the driver's thread.
const gpu = create(["backend=null"]);
const cpu = await createRuntime({ backend: "cpu" });
const onGpu = await createRuntime({ gpu });
afterAll(() => onGpu.dispose());

const matrices = Float32Array.of(2, 1, 1, 2);
const good = { n: 2, matrices };
/** Calls as JavaScript makes them, whatever the types say. */
const asked = (more: object): EighInput => ({ ...good, ...more }) as EighInput;
const shaped = (more: object): EighShape => ({ n: 2, batch: 1, ...more }) as EighShape;
const none = (value: unknown): never => value as never;

async function refused(call: () => Promise<unknown>, message: RegExp): Promise<void> {
  const fault = await call().then(
    () => expect.fail("nothing was thrown"),
    (error: Fault) => error,
  );
  expect(fault).toMatchObject({
    name: "Fault",
    kind: "usage",
    message: expect.stringMatching(message),
  });
  expect(fault.message).not.toContain("\n");
}

describe("a backend that there is not", () => {
  const message = /^backend is "tpu": give "gpu" or "cpu" or "auto"$/;
  it.each<[string, (options: RuntimeOptions) => Promise<unknown>]>([
    ["a runtime", (options) => createRuntime({ gpu, ...options })],
    ["a call", (options) => eigh(onGpu, asked(options))],
    ["a bound call", (options) => bindEigh(onGpu, asked(options))],
    ["a question ahead of time", (options) => explainEigh(onGpu, shaped(options))],
    ["a call on the CPU's runtime", (options) => eigh(cpu, asked(options))],
  ])("is refused in one line by %s", (_what, call) => refused(() => call({ backend: none("tpu") }), message));
});

describe("options of a runtime that make no sense", () => {
  it.each<[string, RuntimeOptions, RegExp]>([
    ["a profile", { profile: none("nope") }, /^profile is "nope": give "portable" or "native"$/],
    ...[Number.NaN, "x", 0, -1].map((submitMs): [string, RuntimeOptions, RegExp] => [
      `a time of ${submitMs}`,
      { budgets: { submitMs: none(submitMs) } },
      /^budgets\.submitMs is .*: give a number over 0$/,
    ]),
    ["memory of NaN", { budgets: { memoryBytes: Number.NaN } }, /^budgets\.memoryBytes is NaN/],
  ])("are refused before a device is opened: %s", async (_what, options, message) => {
    let opened = false;
    const watched = {
      requestAdapter: (...words: Parameters<GPU["requestAdapter"]>) => {
        opened = true;
        return gpu.requestAdapter(...words);
      },
    } as GPU;
    await refused(() => createRuntime({ gpu: watched, ...options }), message);
    expect(opened).toBe(false);
  });
});

describe("demands that the CPU would not meet", () => {
  it("are refused: a pinned variant runs or the call fails", async () => {
    await refused(() => eigh(cpu, asked({ variant: "nope" })), /^variant nope is the GPU's/);
    await refused(
      () => eigh(onGpu, asked({ variant: "nope", backend: "cpu" })),
      /^variant nope is the GPU's/,
    );
    await refused(() => prepareEigh(cpu, shaped({ variant: "nope" })), /^variant nope is the GPU's/);
  });

  it.each([0, -1, Number.NaN, "x"])("are refused: a largest error of %s", async (maxError) => {
    for (const runtime of [cpu, onGpu]) {
      await refused(() => eigh(runtime, asked({ maxError })), /^maxError is .*: give a number over 0$/);
    }
  });
});

describe("a variant that is no id", () => {
  it.each([5, {}, null])("is refused in one line: %s", async (variant) => {
    for (const runtime of [cpu, onGpu]) {
      await refused(
        () => eigh(runtime, asked({ variant })),
        /^variant is .*: give an id as explain tells it/,
      );
    }
  });
});

describe("arguments that are none", () => {
  const second = /^the second argument is (undefined|null): give an object/;
  it.each<[string, (runtime: Runtime, asked: never) => Promise<unknown>]>([
    ["eigh", eigh],
    ["bindEigh", bindEigh],
    ["prepareEigh", prepareEigh],
    ["explainEigh", explainEigh],
    ["calibrateEigh", (runtime, shape) => calibrateEigh(runtime, shape, { maxMilliseconds: 1 })],
    ["fft", fft],
    ["bindFft", bindFft],
    ["matchedFilter", matchedFilter],
    ["bindMatchedFilter", bindMatchedFilter],
  ])("are named by %s", async (_name, call) => {
    await refused(() => call(onGpu, none(undefined)), second);
    await refused(() => call(onGpu, none(null)), second);
    for (const runtime of [null, undefined, {}, "gpu", createRuntime({ backend: "cpu" })]) {
      await refused(() => call(none(runtime), none(good)), /^the first argument is no runtime/);
    }
  });

  it("are named by a race that is given no time", async () => {
    const message = /^maxMilliseconds is (undefined|NaN|-1): give a number over 0$/;
    for (const options of [undefined, {}, { maxMilliseconds: Number.NaN }, { maxMilliseconds: -1 }]) {
      await refused(() => calibrateEigh(onGpu, shaped({}), none(options)), message);
    }
  });
});

describe("what the eigensolver is told", () => {
  it("is a word for neither yes nor no", async () => {
    const message = /^vectors is "no": give true or false/;
    await refused(() => eigh(cpu, asked({ vectors: "no" })), message);
    await refused(() => bindEigh(onGpu, asked({ vectors: "no" })), message);
    await refused(() => explainEigh(cpu, shaped({ vectors: "no" })), message);
  });

  it("is a buffer for a result that there is not", () =>
    refused(
      () => bindEigh(onGpu, asked({ results: { nope: {} } })),
      /^results has nope: give buffers for values, vectors, status$/,
    ));
});

describe("a wrong value's message", () => {
  it("tells text from a number, and an array from a typed one", async () => {
    await refused(() => eigh(cpu, asked({ n: "2" })), /^n is "2", not an integer of at least 1$/);
    await refused(() => fft(cpu, { n: "2", input: matrices } as unknown as FftInput), /^n is "2", not a pos/);
    const spectra = { n: "2", data: matrices, templates: matrices } as unknown as MatchedFilterInput;
    await refused(() => matchedFilter(cpu, spectra), /^n is "2", not a positive/);
    await refused(() => eigh(cpu, asked({ matrices: [1, 2, 3, 4] })), /^matrices is Array: give a Float32/);
    await refused(() => eigh(cpu, asked({ matrices: null })), /^matrices is Null: give a Float32Array/);
  });
});
