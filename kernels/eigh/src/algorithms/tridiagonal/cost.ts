import type { Cost } from "@tunelab/contract";
import { compulsoryBytes, type EighProblem, FLOAT_BYTES } from "../../problem.ts";
import { levelsOf } from "./merge.ts";
import { TILE } from "./multiply.ts";
import type { TridiagonalConfig } from "./space.ts";

/** Evaluations of the secular equation a root, by measurement 4 to 5, and one for its weight and one for its vector. */
const EVALUATIONS = 7;
/** Sweeps of QL an eigenvalue, by measurement, each over half of the band. */
const SWEEPS = 1.7;

/** Operations and bytes of one matrix once it is tridiagonal. */
function solving({ n, vectors }: EighProblem, { memory, solver, sweeps }: TridiagonalConfig) {
  const wanted = vectors === "yes" ? 1 : 0;
  if (solver === "ql") {
    const rotations = (SWEEPS * n ** 2) / 2;
    const passed = (wanted * rotations * n * FLOAT_BYTES * 2) / sweeps;
    return {
      flops: rotations * (20 + 6 * n * wanted),
      globalBytes: memory === "global" ? passed : 0,
      workgroupBytes: memory === "workgroup" ? passed : 0,
    };
  }
  let [flops, globalBytes, workgroupBytes] = [0, 0, 0];
  for (let level = 1; level <= levelsOf(n); level++) {
    const size = Math.min(2 ** level, n);
    flops += EVALUATIONS * 6 * n * size + wanted * 2 * n * n * Math.max(size, TILE);
    workgroupBytes += EVALUATIONS * 2 * FLOAT_BYTES * n * size;
    // mix is written, turned and read; each tile of the product reads its rows and columns.
    globalBytes += FLOAT_BYTES * (4 * n * size + (wanted * 2 * n * n * Math.max(size, TILE)) / TILE);
  }
  return { flops, globalBytes, workgroupBytes };
}

export function tridiagonalCost(problem: EighProblem, config: TridiagonalConfig): Cost {
  const { n, batch, vectors } = problem;
  const solved = solving(problem, config);
  // Every element left is read and written once a column.
  const reduced = (n ** 3 / 3) * FLOAT_BYTES * 2;
  const inside = config.memory === "workgroup";
  const formed = vectors === "yes" ? 1 : 0;
  const compulsory = batch * compulsoryBytes(problem);
  const parts = config.groups > 1 ? n * n * FLOAT_BYTES * 2 * config.groups : 0;
  return {
    flops: batch * ((4 / 3) * n ** 3 * (1 + formed) + solved.flops),
    requestedBytes:
      compulsory +
      batch * ((inside ? 0 : reduced) + parts + formed * (n ** 3 / 2) * FLOAT_BYTES + solved.globalBytes),
    compulsoryBytes: compulsory,
    workgroupBytes: batch * ((inside ? reduced : 0) + solved.workgroupBytes),
  };
}
