import {
  Fault,
  type HostRun,
  type MeasureRequest,
  type PortData,
  type Problem,
  type TrialOutcome,
} from "@tunelab/contract";
import { CORE_CEILING, measureHost } from "@tunelab/experiment";
import { loadSuite } from "../registry.ts";
import { coreFlopsPerSecond } from "./core-ceiling.ts";

/** Does a problem's work once and gives its outputs, as the operation's ports have them. */
type Program = (problem: Problem, inputs: PortData) => Promise<() => Promise<PortData>>;

/** Programs of others by name, and the operations that each can do. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, Program>>>> = {
  // The library's CPU backend: fft.js with the product, the search for the peak and the conversions of numbers around it.
  "fft.js": { "matched-filter": correlated, fft: transformed },
};

/**
 * Verifies and times a program of others on one core of this machine, and measures the core's multiply-adds beside it. Throws
 * `Fault` usage for a program or an operation that there is not.
 */
export async function measurePeer(program: string, request: MeasureRequest): Promise<TrialOutcome> {
  const { operation, problem, oracleSample, seeds } = request;
  const suite = await loadSuite(operation);
  const seed = seeds.at(-1) ?? 1;
  const inputs = suite.inputs(problem, seed);
  const run = await named(program, operation)(problem, inputs);
  let outputs: PortData = {};
  const made: HostRun = {
    run: async () => {
      outputs = await run();
    },
    verdict: () => suite.oracle(problem, inputs).check(outputs, { count: oracleSample, seed }),
  };
  const now = (): number => performance.now();
  const outcome = await measureHost(suite, { operation, column: program, problem, seed }, made, now);
  return { ...outcome, grade: request.grade, metrics: { [CORE_CEILING]: coreFlopsPerSecond(now) } };
}

function named(program: string, operation: string): Program {
  const found = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program]?.[operation] : undefined;
  if (found) return found;
  const known = Object.entries(PROGRAMS).map(([name, can]) => `${name} (${Object.keys(can).join(", ")})`);
  throw new Fault("usage", `no peer ${program} does ${operation}: there is ${known.join(", ")}`);
}

async function correlated(problem: Problem, inputs: PortData): Promise<() => Promise<PortData>> {
  const { createRuntime, matchedFilter } = await import("@tunelab/runtime/matched-filter");
  const runtime = await createRuntime({ backend: "cpu" });
  const { data, templates, pairs } = inputs as {
    readonly data: Float32Array;
    readonly templates: Float32Array;
    readonly pairs: Uint32Array;
  };
  const n = Number(problem.n);
  const threshold = problem.threshold === undefined ? {} : { threshold: Number(problem.threshold) };
  return async () => {
    const { indices, values, magnitudes } = await matchedFilter(runtime, {
      ...{ n, data, templates, pairs },
      ...threshold,
    });
    const records = new Uint32Array(4 * indices.length);
    const floats = new Float32Array(records.buffer);
    for (const [pair, index] of indices.entries()) {
      records[4 * pair] = index;
      floats.set([values[2 * pair]!, values[2 * pair + 1]!, magnitudes[pair]!], 4 * pair + 1);
    }
    return { records };
  };
}

async function transformed(problem: Problem, inputs: PortData): Promise<() => Promise<PortData>> {
  const { createRuntime, fft } = await import("@tunelab/runtime/fft");
  const runtime = await createRuntime({ backend: "cpu" });
  const [n, direction] = [Number(problem.n), problem.direction as "forward" | "inverse"];
  return async () => ({
    output: (await fft(runtime, { n, direction, input: inputs.input as Float32Array })).output,
  });
}
