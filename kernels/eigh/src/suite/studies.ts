import type { Capabilities, StudyChoice, StudyColumn, StudyReference, StudyTable } from "@tunelab/contract";
import type { OneSidedConfig } from "../algorithms/one-sided/space.ts";
import { placed } from "../algorithms/scalar/plan.ts";
import type { EighProblem } from "../problem.ts";
import { lanesOf } from "../wgsl/lanes.ts";
import { eighProblem } from "./problems.ts";
import { crossover } from "./studies/crossover.ts";
import { FORMS } from "./studies/forms.ts";
import { M1_BACKENDS, M1_INNER, M1_MATRICES, M1_MODES, M1_THREADS } from "./studies/m1.ts";

type Column = StudyColumn<EighProblem>;

/** The document's rows: its orders and batches. */
const rowsOf = ({ rows }: StudyReference): EighProblem[] =>
  rows.map(({ problem }) => eighProblem(Number(problem.n), Number(problem.batch)));

const common = {
  dimensions: ["n", "batch"],
  statistic: "median",
  // The document's watchdog budget was 750 ms of one command buffer; a call here is split long before.
  budgetMs: 1_000,
} as const;

const THREADS = [32, 64, 128, 256, 512, 1024];
const MATRICES = [1, 2, 4, 8, 16];
/** Threads a matrix in the study of matrices a workgroup: 16 of them are 256, what every device has. */
const FEW_THREADS = 16;

/** What runs where no table and no rule is known. */
const untuned: Column = {
  name: "default",
  doc: "whole-matrix Jacobi as it is without tuning: about six groups of elements a thread",
  variant: () => ({ algorithm: "scalar", config: {} }),
};

const over = (others: readonly (string | number)[]): StudyTable["derived"] => [
  { kind: "ratio", name: "default over the best", of: untuned.name, over: others.map(String) },
];

/** A choice among columns of one setting each, which `auto` learns; `ordered` where the best moves one way as problems grow. */
const among = (
  columns: readonly (string | number)[],
  { ordered, parameters = [] }: Pick<StudyChoice, "ordered"> & Partial<StudyChoice>,
): { readonly chooses: StudyChoice } => ({
  chooses: {
    of: columns.map((name) => ({ name: String(name), columns: [String(name)] })),
    parameters,
    ordered,
  },
});

/** Threads that share a matrix in whole-matrix Jacobi. */
export const threads: StudyTable<EighProblem> = {
  ...common,
  id: "threads",
  title: "threads a matrix, whole-matrix Jacobi",
  doc: "One matrix a workgroup; what fits stays in workgroup memory, the rest in global memory. A round has n/2 turns to find and about n^2/2 groups of elements to turn.",
  rows: rowsOf(M1_THREADS),
  columns: [
    ...THREADS.map(
      (count): Column => ({
        name: String(count),
        doc: `${count} threads a matrix`,
        variant: (problem, { limits }) => ({
          algorithm: "scalar",
          config: placed(problem, { threads: count, matrices: 1 }, limits),
        }),
      }),
    ),
    untuned,
  ],
  derived: over(THREADS),
  ...among(THREADS, { ordered: true, parameters: ["threads", "matrices"] }),
  reference: M1_THREADS,
};

/** Matrices that share a workgroup. */
export const matrices: StudyTable<EighProblem> = {
  ...common,
  id: "matrices",
  title: "matrices a workgroup, whole-matrix Jacobi",
  doc: `${FEW_THREADS} threads a matrix; matrices of a workgroup wait for one another at its barriers.`,
  rows: rowsOf(M1_MATRICES),
  columns: [
    ...MATRICES.map(
      (count): Column => ({
        name: String(count),
        doc: `${count} ${count === 1 ? "matrix" : "matrices"} a workgroup`,
        variant: (problem, { limits }) => ({
          algorithm: "scalar",
          config: placed(problem, { threads: FEW_THREADS, matrices: count }, limits),
        }),
      }),
    ),
    untuned,
  ],
  derived: over(MATRICES),
  ...among(MATRICES, { ordered: true, parameters: ["matrices"] }),
  reference: M1_MATRICES,
};

/** One-sided Jacobi with columns moving one way or the other; undefined where no subgroup of the device holds a matrix. */
function oneSidedBy(
  exchange: OneSidedConfig["exchange"],
  { n }: EighProblem,
  { subgroup }: Capabilities,
): OneSidedConfig | undefined {
  const split = 1;
  const { lanes } = lanesOf(n, n, split);
  const [least, widest] = [subgroup?.minimum ?? 0, subgroup?.maximum ?? 0];
  if (exchange === "subgroup" && lanes > least) return undefined;
  const workgroup = Math.max(32, lanes, widest);
  return { workgroup, split, exchange, chunk: 4 };
}

const mode = (name: string, exchange: OneSidedConfig["exchange"], doc: string): Column => ({
  name,
  doc,
  variant: (problem, capabilities) => {
    const config = oneSidedBy(exchange, problem, capabilities);
    return config && { algorithm: "one-sided", config };
  },
});

/** A subgroup a matrix against threads that talk through workgroup memory. */
export const modes: StudyTable<EighProblem> = {
  ...common,
  id: "modes",
  title: "subgroup against workgroup mode",
  doc: "One-sided Jacobi with two columns a thread: they move by subgroup shuffles, at any width of at least n/2, or through workgroup memory with barriers. Everything else is the same.",
  rows: rowsOf(M1_MODES),
  columns: [
    mode("subgroup", "subgroup", "columns move by shuffles"),
    mode("workgroup", "memory", "columns move through workgroup memory"),
  ],
  derived: [{ kind: "faster", name: "faster", of: ["subgroup", "workgroup"] }],
  ...among(["subgroup", "workgroup"], { ordered: false, parameters: ["exchange"] }),
  reference: M1_MODES,
};

const BACKENDS = FORMS.map(({ name }) => name);

/** The forms against each other. */
export const backends: StudyTable<EighProblem> = {
  ...common,
  id: "backends",
  title: "whole-matrix, one-sided, block Jacobi and tridiagonal",
  doc: "Each as it is without tuning. The document knows the first and the third.",
  rows: rowsOf(M1_BACKENDS),
  columns: FORMS,
  derived: [{ kind: "faster", name: "faster", of: BACKENDS }],
  ...among(BACKENDS, { ordered: false }),
  reference: M1_BACKENDS,
};

const INNER = [1, 2, 3, 4];

/** Inner sweeps of block Jacobi, with the outer sweeps that it then takes. */
export const inner: StudyTable<EighProblem> = {
  ...common,
  id: "inner",
  title: "inner sweeps of block Jacobi",
  doc: "Sweeps over the columns of two blocks each time they meet; in parentheses the outer sweeps to convergence.",
  rows: rowsOf(M1_INNER),
  columns: INNER.map((count) => ({
    name: `inner=${count}`,
    doc: `${count} inner sweep${count === 1 ? "" : "s"}`,
    variant: () => ({ algorithm: "block", config: { inner: count } }),
  })),
  derived: [{ kind: "faster", name: "fastest", of: INNER.map((count) => `inner=${count}`) }],
  ...among(
    INNER.map((count) => `inner=${count}`),
    { ordered: true, parameters: ["inner"] },
  ),
  shows: "report.sweeps",
  reference: M1_INNER,
};

/** The five tables of the document, for any device, and where the CPU answers first. */
export const studies: readonly StudyTable<EighProblem>[] = [
  threads,
  matrices,
  modes,
  backends,
  inner,
  crossover,
];
