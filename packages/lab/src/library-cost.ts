import {
  type Capabilities,
  Fault,
  type PairJudgement,
  type Problem,
  type ProfileName,
} from "@tunelab/contract";
import { Executor, type Instance } from "@tunelab/executor";
import { type QuadSide, runQuads } from "@tunelab/harness";
import { suite } from "@tunelab/kernel-matched-filter/suite";
import {
  bindMatchedFilter,
  createRuntime,
  explainMatchedFilter,
  matchedFilter,
} from "@tunelab/runtime/matched-filter";
import { parseConfig, parseId } from "@tunelab/variants";
import { DeviceStopwatch } from "./device-stopwatch.ts";

/** One way of running the variant, bare and through the library, and how the two compare. */
export interface LibraryCost {
  readonly what: "harness" | "encoded" | "bound" | "call";
  /** Runs in a sample. */
  readonly runs: number;
  /** Whose time: the device's (`harness` and `encoded`, where it has a clock) or the host's. */
  readonly clock: "gpu" | "wall";
  /** Least time of one run in us. */
  readonly bareUs: number;
  readonly libraryUs: number;
  /** Library over bare: ratio, interval and verdict of the quads. */
  readonly judgement: PairJudgement;
}

export interface LibraryCosts {
  readonly problem: Problem;
  readonly variant: string;
  readonly why: string;
  readonly costs: readonly LibraryCost[];
}

export interface CostOptions {
  readonly device: GPUDevice;
  readonly capabilities: Capabilities;
  readonly profile: ProfileName;
  readonly shape: {
    readonly n: number;
    readonly data: number;
    readonly templates: number;
    readonly pairs: number;
  };
  /** The variant that the library selects, unless given. */
  readonly variant?: string;
  /** Most milliseconds of each comparison. */
  readonly maxMilliseconds: number;
  readonly onProgress?: (what: LibraryCost["what"]) => void;
  now(): number;
}

/** Time that the runs of a sample should take, ms: long against a submission's round trip, short against clock drift. */
const SAMPLE_MS = 25;
/** Readings of which the least says how long a number of runs lasts. */
const READINGS = 3;
/** Runs before anything is timed: the first measure what a piece costs and reach the device's clock. */
const WARM_UPS = 20;

/** Nanoseconds of a number of runs. */
type Timed = (runs: number) => Promise<number>;

interface Sides {
  readonly clock: LibraryCost["clock"];
  readonly bare: Timed;
  readonly library: Timed;
}

/**
 * What the library costs over the bare executor on one variant, the same buffers and inputs, in interleaved quads:
 * - `harness`: runs encoded into one encoder of the caller's, by the device's clock, against the harness's own timing of the variant
 *   (the figure that tables hold: all runs in one pass, where an encoder takes a pass for each);
 * - `encoded`: the same against the executor's own encoding;
 * - `bound`: a submission and a wait each, by the host's clock, against the executor's;
 * - `call`: a whole `matchedFilter` on GPUBuffers that binds, runs and reads the peaks, against bind, run and read of the executor's.
 */
export async function libraryCosts(options: CostOptions): Promise<LibraryCosts> {
  const { device, capabilities, profile, shape, variant: pinned, now } = options;
  const problem = { ...shape };
  const inputs = suite.inputs(problem, 1);
  const buffers = Object.fromEntries(
    Object.entries(inputs).map(([name, words]) => [name, uploaded(device, words)]),
  ) as Record<"data" | "templates" | "pairs", GPUBuffer>;
  const records = device.createBuffer({
    size: 16 * shape.pairs,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
  });
  const runtime = await createRuntime({ device, profile });
  const executor = new Executor(device, capabilities, { clock: { now } });
  try {
    const demand = pinned === undefined ? {} : { variant: pinned };
    const { variant, why } = await explainMatchedFilter(runtime, { ...shape, encodable: true, ...demand });
    const { algorithm: name, settings } = parseId(variant);
    const algorithm = (await suite.operation.algorithms[name]?.())!;
    const defaults = algorithm.defaultConfig(problem, capabilities);
    const config = parseConfig(algorithm.space(problem), settings, defaults);
    const prepared = await executor.prepare(algorithm.plan(problem, config, capabilities));
    const bare = await prepared.bind({ ...buffers, records });
    const call = { n: shape.n, ...buffers, variant };
    const bound = await bindMatchedFilter(runtime, { ...call, records });
    for (let run = 0; run < WARM_UPS; run++) await bare.run();
    const byHost = (each: () => Promise<unknown>): Timed => {
      return async (runs) => {
        const start = now();
        for (let run = 0; run < runs; run++) await each();
        return (now() - start) * 1e6;
      };
    };
    const clock = device.features.has("timestamp-query") ? "gpu" : "wall";
    const stopwatch = new DeviceStopwatch(device);
    const bareCall = async (): Promise<void> => {
      const instance = await prepared.bind(buffers, { msPerItem: bare.msPerItem! });
      await instance.run();
      await instance.read(["records"]);
      instance.dispose();
    };
    const byDevice = (one: { encode(encoder: GPUCommandEncoder): void }): Timed => {
      return (runs) => stopwatch.time((encoder) => repeat(runs, () => one.encode(encoder)));
    };
    const [ofBare, ofLibrary] = [byHost(() => bare.run()), byHost(() => bound.run())];
    const library = clock === "gpu" ? byDevice(bound) : ofLibrary;
    const ways: readonly [LibraryCost["what"], Sides][] = [
      ["harness", { clock, bare: clock === "gpu" ? (runs) => harnessTime(bare, runs) : ofBare, library }],
      ["encoded", { clock, bare: clock === "gpu" ? byDevice(bare) : ofBare, library }],
      ["bound", { clock: "wall", bare: ofBare, library: ofLibrary }],
      [
        "call",
        { clock: "wall", bare: byHost(bareCall), library: byHost(() => matchedFilter(runtime, call)) },
      ],
    ];
    const costs: LibraryCost[] = [];
    for (const [what, sides] of ways) {
      options.onProgress?.(what);
      costs.push(await compared(what, sides, options));
    }
    bound.dispose();
    stopwatch.dispose();
    return { problem, variant, why, costs };
  } finally {
    executor.dispose();
    runtime.dispose();
    for (const buffer of [...Object.values(buffers), records]) buffer.destroy();
  }
}

function uploaded(device: GPUDevice, words: ArrayBufferView): GPUBuffer {
  const buffer = device.createBuffer({
    size: words.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, words as Uint32Array<ArrayBuffer>);
  return buffer;
}

function repeat(runs: number, each: () => void): void {
  for (let run = 0; run < runs; run++) each();
}

/** The device's time of a variant as the harness takes it: its passes, timestamps within. */
async function harnessTime(instance: Instance, runs: number): Promise<number> {
  const { passes } = await instance.run({ repeats: runs, timing: "total" });
  return passes.reduce((ns, { begin, end }) => ns + Number(end - begin), 0);
}

async function compared(
  what: LibraryCost["what"],
  sides: Sides,
  { now, maxMilliseconds }: CostOptions,
): Promise<LibraryCost> {
  await sides.library(WARM_UPS);
  const runs = await runsOf(sides.bare);
  const least: Record<QuadSide, number> = { A: Number.POSITIVE_INFINITY, B: Number.POSITIVE_INFINITY };
  const end = now() + maxMilliseconds;
  const outcome = await runQuads({
    sample: async (side) => {
      const ns = (await (side === "A" ? sides.bare : sides.library)(runs)) / runs;
      if (ns > 0) least[side] = Math.min(least[side], ns);
      return ns;
    },
    // However short the time, both sides have run.
    stop: () =>
      now() > end && Number.isFinite(least.A + least.B) ? "the time for this comparison is up" : undefined,
  });
  if (outcome.ending === "invalid") throw new Fault("validation", `${what}: ${outcome.reason}`);
  const { verdict, ratio, low, high, confidence, p, mde, count } = outcome;
  const judgement: PairJudgement = { verdict, ratio, low, high, confidence, p, mde, count };
  return { what, runs, clock: sides.clock, bareUs: least.A / 1000, libraryUs: least.B / 1000, judgement };
}

/** Runs that last SAMPLE_MS together; the least of a few readings, for a busy host only ever adds. */
async function runsOf(timed: Timed): Promise<number> {
  for (let runs = 1; ; ) {
    let ns = Number.POSITIVE_INFINITY;
    for (let reading = 0; reading < READINGS; reading++) ns = Math.min(ns, await timed(runs));
    if (ns >= SAMPLE_MS * 1e6) return runs;
    runs = Math.max(runs + 1, Math.min(2 * runs, Math.ceil((runs * SAMPLE_MS * 1e6) / Math.max(ns, 1))));
  }
}
