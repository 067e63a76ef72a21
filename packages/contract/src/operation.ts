import type { Capabilities, Resources } from "./capabilities.ts";
import type { Metric } from "./metric.ts";
import type { Dtype, Plan } from "./plan.ts";
import type { Reference } from "./reference.ts";
import type { StudyTable } from "./study-table.ts";

/** A problem names a value for each of the operation's dimensions, e.g. { n: 4096, data: 64, templates: 512, pairs: 32768 }. */
export type Problem = Readonly<Record<string, number | string>>;

/** A parameter's value. */
export type Value = number | string | boolean;

/** One choice for every parameter of a space. */
export type Config = Readonly<Record<string, Value>>;

export interface Dimension {
  readonly name: string;
  /** `shape` specialises the text; `extent` travels in the uniform; `trait` describes the data (a survivor rate). */
  readonly role: "shape" | "extent" | "trait";
  /** How far apart two values are when a table borrows its nearest row. */
  readonly distance:
    | { readonly kind: "exact" }
    | { readonly kind: "log"; readonly weight: number }
    | { readonly kind: "class" }
    /** Names without a ratio that hardly change the time: `weight` apart when they differ. */
    | { readonly kind: "nominal"; readonly weight: number };
  readonly doc: string;
  /** Value assumed when a call or a command line does not give one. */
  readonly default?: number | string;
  /** A problem may leave it out, and so do command lines: it then means the default, and its key does not name it. */
  readonly optional?: true;
}

export interface Port {
  readonly name: string;
  readonly dtype: Dtype;
  /** Elements in each dimension, slowest first; a complex number is a last dimension of 2. */
  readonly shape: readonly number[];
  readonly role: "in" | "out" | "inout" | "intermediate";
  readonly doc: string;
}

/** f32, u32 and i32. */
const ELEMENT_BYTES = 4;

/** Bytes of a port's contents. */
export const portBytes = ({ shape }: Pick<Port, "shape">): number =>
  shape.reduce((product, extent) => product * extent, ELEMENT_BYTES);

export interface Parameter {
  readonly name: string;
  readonly values: readonly Value[];
  readonly unit?: string;
  readonly doc: string;
  /**
   * For a parameter added to an algorithm that was published without it: the value that ids and configurations written before it
   * mean. Ids at this value leave the parameter out, so that a published variant keeps its id. One of `values`.
   */
  readonly absent?: Value;
}

export interface Constraint<C extends Config = Config> {
  readonly name: string;
  readonly doc: string;
  /** The parameters it reads: it is checked as soon as they are all chosen, so that whole branches are never visited. */
  readonly parameters: readonly string[];
  holds(config: C): boolean;
}

export interface Space<C extends Config = Config> {
  readonly parameters: readonly Parameter[];
  readonly constraints: readonly Constraint<C>[];
}

export interface Cost {
  readonly flops: number;
  /** Bytes that the variant asks of global memory, and the least that any implementation must move. */
  readonly requestedBytes: number;
  readonly compulsoryBytes: number;
  /** Bytes exchanged through workgroup memory, read and written. */
  readonly workgroupBytes: number;
}

/** How to compute an operation: shipped, pure, no third-party import. */
export interface Algorithm<P extends Problem = Problem, C extends Config = Config> {
  readonly name: string;
  space(problem: P): Space<C>;
  /** The baseline that every speed-up is quoted against: what a careful author would write without tuning. Fits `capabilities`. */
  defaultConfig(problem: P, capabilities: Capabilities): C;
  resources(problem: P, config: C): Resources;
  /** Pure; never sees a vendor name. */
  plan(problem: P, config: C, capabilities: Capabilities): Plan;
  cost(problem: P, config: C): Cost;
  /** Variants of one class promise the same bits. */
  parityClass?(problem: P, config: C): string;
}

/** What is computed: shipped. */
export interface Operation<P extends Problem = Problem> {
  readonly name: string;
  readonly doc: string;
  readonly dimensions: readonly Dimension[];
  /** One line naming what is wrong with a problem, or undefined. */
  refuse(problem: Problem): string | undefined;
  ports(problem: P): readonly Port[];
  readonly algorithms: Readonly<Record<string, () => Promise<Algorithm<P>>>>;
  /**
   * Whether an algorithm has variants for a problem, known without loading it; all have unless given. A page that asks for a peak does
   * not download what only thresholds need.
   */
  answers?(algorithm: string, problem: P): boolean;
  /** Largest error (in the suite's measure) with which a variant may enter a table. */
  readonly accuracy: { readonly bound: number; readonly measure: string };
}

/** Contents of ports, by port name. */
export type PortData = Readonly<Record<string, Float32Array | Uint32Array | Int32Array>>;

/** A correctness verdict over one run's outputs. */
export interface Verdict {
  /** Items whose answer is right (planted answer or residual), near ties among them, of all items; right means all. */
  readonly matched: number;
  readonly total: number;
  /** Items that were compared in full with the float64 oracle. */
  readonly sampled: number;
  /** Largest error over the sampled items, in the operation's measure; NaN counts as Infinity. */
  readonly maxError: number;
  /** Items decided by less than 1e-6 in float64, counted apart and not as mismatches. */
  readonly nearTies: number;
  /** The first mismatch in words, when there is one. */
  readonly detail?: string;
}

/** Checks outputs against planted answers for every item and the float64 oracle for a sample; holds its cache. */
export interface Oracle {
  check(outputs: PortData, sample: { readonly count: number; readonly seed: number }): Verdict;
  /** Computes now what `check` would compute on its first call: a host does it before its turn on the device comes. */
  prepare?(sample: { readonly count: number; readonly seed: number }): void;
}

/** What the laboratory needs of an operation and the library does not. */
export interface Suite<P extends Problem = Problem> {
  readonly operation: Operation<P>;
  /** Raised when old measurements stop being comparable. */
  readonly epoch: number;
  /** Contents of every in and inout port, the same for the same seed. */
  inputs(problem: P, seed: number): PortData;
  oracle(problem: P, inputs: PortData): Oracle;
  /** The inputs of a seed with every index pointing at one slice, where there is an index buffer: `oracle` judges them too. */
  collapse?(problem: P, seed: number): PortData;
  /** FLOPs and bytes quoted in public, by the formula in KERNELS (5 n log2 n + 6 n a pair, ...). */
  work(problem: P): { readonly flops: number; readonly bytes: number; readonly items: number };
  readonly workloads: Readonly<Record<WorkloadName, readonly P[]>>;
  /** Figures of its own beside the time. */
  readonly metrics?: readonly Metric[];
  /** Published tables with fixed rows and columns. */
  readonly studies?: readonly StudyTable<P>[];
  /** What others measured of the operation, for its page. */
  readonly references?: readonly Reference[];
}

export const WORKLOAD_NAMES = ["quick", "standard", "full"] as const;
export type WorkloadName = (typeof WORKLOAD_NAMES)[number];
