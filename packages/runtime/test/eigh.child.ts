import { eighProblem, KINDS, suite } from "@tunelab/kernel-eigh/suite";
import { create, globals } from "webgpu";
import { calibrateEigh, createRuntime, eigh } from "../src/eigh.ts";

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
const { variant } = await calibrateEigh(runtime, { n, batch: 40 }, { maxMilliseconds: 3000 });
runtime.dispose();
console.log(JSON.stringify({ kinds: KINDS.length, plain, shuffled, blocks, calibrated: variant }));
process.exit(0);
