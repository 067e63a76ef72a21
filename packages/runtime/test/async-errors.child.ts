import { create, globals } from "webgpu";
import {
  bindMatchedFilter,
  createRuntime,
  type Fault,
  matchedFilter,
  matchedFilterOperation,
} from "../src/index.ts";
import { planted } from "./signal.ts";

/**
 * Provokes what fails behind a caller's back, on the null backend, and prints how each call ended and what reached the process: every
 * failure must be some call's rejection, and no promise of the library's own may be left to reject unheard.
 */
const unheard: string[] = [];
process.on("unhandledRejection", (reason) => unheard.push(String(reason)));
process.on("uncaughtException", (error) => unheard.push(String(error)));

Object.assign(globalThis, globals);
const gpu = create(["backend=null"]);
const { n, data, templates } = planted(64, 3);
const ends: Record<string, string> = {};
const end = async (name: string, promise: Promise<unknown>): Promise<void> => {
  ends[name] = await promise.then(
    () => "done",
    (error: Fault) => error.kind,
  );
};

// The device goes away while several calls are under way.
const lost = await createRuntime({ gpu });
const calls = [1, 2, 3].map(() => matchedFilter(lost, { n, data, templates }));
lost.device.destroy();
await Promise.all(calls.map((call, index) => end(`lost ${index}`, call)));

// Encoded on a device that goes away in the same turn, and never run: nobody reads what its scopes heard.
const gone = await createRuntime({ gpu });
const unread = await bindMatchedFilter(gone, { n, data, templates });
const late = gone.device.createCommandEncoder();
gone.device.destroy();
try {
  unread.encode(late);
} catch {
  // Where the loss is known already it says so.
}
unread.dispose();

// Disposal in mid-call, with nobody who waits for the device any more.
const disposed = await createRuntime({ gpu });
const pending = matchedFilter(disposed, { n, data, templates });
disposed.dispose();
await end("disposed", pending);

// An encoded run whose encoder the caller spoils, and a bound call that is never read.
const own = await createRuntime({ gpu });
const bound = await bindMatchedFilter(own, { n, data, templates });
const encoder = own.device.createCommandEncoder();
encoder.beginComputePass();
try {
  bound.encode(encoder);
} catch {
  // The encoder may say so at once, or at finish.
}
bound.dispose();
await end("after a spoiled encoder", matchedFilter(own, { n, data, templates }));

// A text that the compiler refuses, asked for twice at once and awaited once.
const { operation } = matchedFilterOperation;
const broken = {
  ...operation,
  algorithms: {
    fused: async () => {
      const fused = await operation.algorithms.fused!();
      return {
        ...fused,
        plan: (...args: Parameters<typeof fused.plan>) => {
          const plan = fused.plan(...args);
          return { ...plan, modules: plan.modules.map((one) => ({ ...one, wgsl: "nonsense" })) };
        },
      };
    },
  },
};
const problem = { n, data: 3, templates: 3, pairs: 9 };
const twice = [1, 2].map(() => own.operation(broken).prepare(problem));
await Promise.all(twice.map((call, index) => end(`broken ${index}`, call)));

// A cache that fails whatever it is asked.
const fails = async (): Promise<never> => {
  throw new Error("the disk is full");
};
const forgetful = await createRuntime({ gpu, cache: { get: fails, set: fails } });
await end("a failing cache", matchedFilter(forgetful, { n, data, templates }));

await new Promise((resolve) => setTimeout(resolve, 200));
console.log(JSON.stringify({ ends, unheard }));
process.exit(0);
