import { eighProblem, KINDS, suite } from "@tunelab/kernel-eigh/suite";
import { create, globals } from "webgpu";
import { bindEigh, calibrateEigh, createRuntime, eigh } from "../src/eigh.ts";

/** Decomposes every kind of matrix on the adapter of the environment, by default and pinned variants, and prints the verdicts. */
Object.assign(globalThis, globals);
const gpu = create([]);
const runtime = await createRuntime({ gpu });
const n = 6;
const problem = eighProblem(n, KINDS.length, { spectrum: "mixed", pad: 1 });
const inputs = suite.inputs(problem, 3);
const matrices = inputs.matrices as Float32Array;

async function judged(variant?: string): Promise<object> {
  const answer = await eigh(runtime, { n, pad: 1, matrices, ...(variant ? { variant } : {}) });
  const status = new Uint32Array(2 * KINDS.length);
  for (const item of answer.nonFinite) status[2 * item] = 2;
  for (const item of answer.unconverged) status[2 * item] = 1;
  const outputs = { values: answer.values, vectors: answer.vectors!, status };
  const { matched, maxError } = suite
    .oracle(problem, inputs)
    .check(outputs, { count: KINDS.length, seed: 1 });
  return {
    matched,
    maxError,
    variant: answer.variant,
    backend: answer.backend,
    nonFinite: answer.nonFinite,
    sweeps: Math.max(...answer.sweeps),
  };
}

const plain = await judged();
const shuffled = await judged("one-sided/workgroup=32,split=1,exchange=memory,chunk=4");
const blocks = await judged("block/block=2,inner=1,workgroup=64,split=1,exchange=memory,chunk=4,check=2");
/** Encoded twice among commands of our own, from our buffer into our buffer, the second time for other matrices. */
async function encoded(): Promise<object> {
  const { device } = runtime;
  const STORAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const own = device.createBuffer({ size: 4 * 4 * 2, usage: STORAGE });
  const values = device.createBuffer({ size: 4 * 2 * 2, usage: STORAGE });
  const bound = await bindEigh(runtime, { n: 2, matrices: own, results: { values } });
  const found: number[][] = [];
  for (const [a, b] of [
    [2, 5],
    [7, 9],
  ] as const) {
    device.queue.writeBuffer(own, 0, Float32Array.of(a, 1, 1, a, b, 2, 2, b));
    const back = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    bound.encode(encoder);
    encoder.copyBufferToBuffer(values, 0, back, 0, 16);
    device.queue.submit([encoder.finish()]);
    await back.mapAsync(GPUMapMode.READ);
    found.push([...new Float32Array(back.getMappedRange())]);
    back.destroy();
  }
  const last = [...(await bound.read()).values];
  bound.dispose();
  const short = await eigh(runtime, { n: 3, matrices: own }).catch((error: Error) => error.message);
  // In memory that threads share: uploaded as it is, it would end this process.
  const shared = new Float32Array(new SharedArrayBuffer(16));
  shared.set([3, 0, 0, 1]);
  const plain = await bindEigh(runtime, { n: 2, matrices: shared });
  await plain.run();
  const { values: read, sweeps } = await plain.read();
  plain.dispose();
  return { found, last, short, read: [...read], sweeps: sweeps.length, variant: plain.variant };
}

const bound = await encoded();
const { variant } = await calibrateEigh(runtime, { n, batch: 40 }, { maxMilliseconds: 3000 });
runtime.dispose();
console.log(JSON.stringify({ kinds: KINDS.length, plain, shuffled, blocks, bound, calibrated: variant }));
process.exit(0);
