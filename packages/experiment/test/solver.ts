import {
  type Algorithm,
  type Config,
  DEFAULT_CAPABILITIES,
  type MeasureRequest,
  type Operation,
  type Plan,
  type Problem,
  planHash,
  type SessionEvent,
  type SessionEvidence,
  type SessionSink,
  type StudyResult,
  type StudyTable,
  type Suite,
  type Trial,
  type TrialOutcome,
} from "@tunelab/contract";
import type { Bench } from "@tunelab/devices/protocol";
import { studyGrid } from "@tunelab/report";
import { studyPlanOf, studyResult } from "@tunelab/selection";
import { planStudy, runStudyTable, studySubject, type TakenOver, takeOver } from "../src/index.ts";
import { evidence, named } from "./made.ts";

/** A batched solver in the shape of an eigensolver's tables: two algorithms, settings that a study forces. */
const algorithm = (name: string, parameter: string, values: readonly number[]): Algorithm => ({
  name,
  space: () => ({ parameters: [{ name: parameter, values, doc: "" }], constraints: [] }),
  defaultConfig: () => ({ [parameter]: values[0]! }),
  resources: () => ({
    workgroupBytes: 0,
    invocations: 1,
    scratchBytesPerItem: 0,
    storageBuffers: 1,
    features: [],
  }),
  plan: (problem, config) => ({ name, problem, config }) as unknown as Plan,
  cost: ({ n, batch }) => ({
    flops: Number(n) ** 3 * Number(batch),
    requestedBytes: 1,
    compulsoryBytes: 1,
    workgroupBytes: 0,
  }),
});

export const THREADS = [32, 64, 128, 256, 512, 1024];

const operation: Operation = {
  name: "solve",
  doc: "",
  dimensions: ["n", "batch"].map((name) => ({
    name,
    role: name === "n" ? "shape" : "extent",
    distance: { kind: "exact" },
    doc: name,
  })),
  accuracy: { bound: 10, measure: "residual" },
  refuse: ({ n }) => (Number(n) > 0 ? undefined : `solve: n is ${n}`),
  ports: () => [],
  algorithms: {
    scalar: async () => algorithm("scalar", "threads", THREADS),
    block: async () => algorithm("block", "inner", [1, 2, 3, 4]),
  },
};

export const suite: Suite = {
  operation,
  epoch: 1,
  inputs: () => ({}),
  oracle: () => ({
    check: () => ({ matched: 1, total: 1, sampled: 1, maxError: 0, nearTies: 0 }),
  }),
  work: ({ n, batch }) => ({ flops: Number(n) ** 3 * Number(batch), bytes: 1, items: Number(batch) }),
  workloads: { quick: [], standard: [], full: [] },
};

export const study = (more: Partial<StudyTable> = {}): StudyTable => ({
  id: "backends",
  title: "scalar against block",
  doc: "Whole-matrix against block Jacobi.",
  rows: [
    { n: 96, batch: 64 },
    { n: 256, batch: 1 },
  ],
  dimensions: ["n", "batch"],
  columns: [
    { name: "scalar", doc: "whole matrix", variant: () => ({ algorithm: "scalar", config: {} }) },
    { name: "block", doc: "block pairs", variant: () => ({ algorithm: "block", config: { inner: 1 } }) },
  ],
  derived: [{ kind: "faster", name: "faster", of: ["scalar", "block"] }],
  statistic: "median",
  budgetMs: 2_000,
  ...more,
});

/** Milliseconds of a request, or what else became of it. */
export type Answer = (request: MeasureRequest) => number | Partial<TrialOutcome>;

/** A device that answers by script. */
export function bench(answer: Answer): { readonly bench: Bench; readonly asked: MeasureRequest[] } {
  const asked: MeasureRequest[] = [];
  const measure = async (request: MeasureRequest): Promise<TrialOutcome> => {
    asked.push(request);
    const found = answer(request);
    const { operation: name, algorithm: which, problem, config, isDefault, grade, seeds } = request;
    const loaded = await operation.algorithms[which]!();
    const about = {
      operation: name,
      algorithm: which,
      problem,
      config,
      isDefault,
      grade,
      seeds,
      variant: `${which}/${Object.entries(config).map(([key, value]) => `${key}=${value}`)}`,
      planHash: await planHash(loaded.plan(problem, config, DEFAULT_CAPABILITIES)),
      epoch: suite.epoch,
      work: suite.work(problem),
    };
    if (typeof found !== "number") return { ...about, status: "crashed", ...found };
    return { ...about, status: "ok", ...timed(found) };
  };
  const noise = async () => ({ kernel: "fma", samplesNs: [1], cv: 0, gateReachable: true });
  const trip = async () => ({ roundTripMs: 1, msPerByte: 1e-3 });
  return { bench: { measure, noise, trip } as unknown as Bench, asked };
}

/** Five samples of so many ms around their median, and a verdict that holds. */
export const timed = (ms: number): Pick<Trial, "timing" | "verdict"> => ({
  timing: {
    clock: "gpu",
    tickNs: 1,
    repeats: 1,
    samplesNs: [1, 0.99, 1.03, 0.995, 1.01].map((factor) => Math.round(factor * ms * 1e6)),
    rejected: {},
  },
  verdict: { matched: 4, total: 4, sampled: 4, maxError: 1.5, nearTies: 0 },
});

/** Measures a study by script; gives its session as it would be read back, and whether it was whole. */
export async function measured(
  table: StudyTable,
  answer: Answer,
  more: {
    readonly signal?: AbortSignal;
    readonly id?: string;
    /** A session to go on from, and the suite's epoch and the commit of now. */
    readonly from?: SessionEvidence;
    readonly epoch?: number;
    readonly commit?: string;
  } = {},
): Promise<{
  evidence: SessionEvidence;
  asked: readonly MeasureRequest[];
  whole: boolean;
  taken: TakenOver | undefined;
}> {
  const { header } = evidence([named()], () => 1, 1, more.id);
  const subject = await studySubject(operation);
  const trials: Trial[] = [];
  const events: SessionEvent[] = [];
  const sink = {
    session: header.id,
    trial: async (trial: Trial) => void trials.push(trial),
    event: async (event: SessionEvent) => void events.push(event),
  } as unknown as SessionSink;
  const device = bench(answer);
  let ms = 0;
  const context = {
    suite: { ...suite, epoch: more.epoch ?? suite.epoch },
    study: table,
    subject,
    plan: planStudy(table, subject, DEFAULT_CAPABILITIES),
    capabilities: DEFAULT_CAPABILITIES,
  };
  const taken = more.from && (await takeOver(more.from, context, more.commit ?? header.commit));
  const whole = await runStudyTable(device.bench, sink, {
    ...context,
    ...(taken ? { taken } : {}),
    clock: { now: () => (ms += 2), timestamp: () => "2026-11-30T05:00:00Z" },
    ...(more.signal ? { signal: more.signal } : {}),
  });
  return { evidence: { header, events, trials }, asked: device.asked, whole, taken };
}

/** The number that a column's name ends with: `t=128` gives 128. */
export const numberIn = (config: Config, parameter: string): number => Number(config[parameter]);

export const at = (n: number, batch: number): Problem => ({ n, batch });

/** What a study over made-up times comes to. */
export const resultOf = async (...words: Parameters<typeof measured>): Promise<StudyResult> => {
  const { evidence } = await measured(...words);
  return studyResult(evidence, studyPlanOf(evidence)!);
};

/** The cells of its table as they are printed. */
export const texts = (result: StudyResult): readonly (readonly string[])[] => studyGrid(result).rows;
