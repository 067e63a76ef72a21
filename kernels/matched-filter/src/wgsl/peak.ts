import { lines, type Text } from "@tunelab/variants";
import { THRESHOLD } from "../problem.ts";

/** How threads agree on the peak. `subgroup` is right at any subgroup width; `tree` needs no feature. */
export type Reduction = "subgroup" | "tree";

/** Sizes in bytes of the reduction's workgroup variables. */
export const reductionMemory = (reduction: Reduction, threads: number): readonly number[] =>
  reduction === "subgroup" ? [4, 4] : [4 * threads, 4 * threads];

export const reductionDeclarations = (reduction: Reduction, threads: number): string =>
  reduction === "subgroup"
    ? lines("var<workgroup> peakKey: atomic<u32>;", "var<workgroup> peakAt: atomic<u32>;")
    : lines(
        `var<workgroup> treeKey: array<u32, ${threads}>;`,
        `var<workgroup> treeAt: array<u32, ${threads}>;`,
      );

export const NO_PEAK_DECLARATION = "const NO_PEAK = 0xffffffffu;";

/** Writes the record of a pair without a peak. */
export const NO_PEAK_RECORD = "records[pair] = vec4u(NO_PEAK, 0u, 0u, 0u);";

/**
 * Workgroup memory starts undefined where zero-initialisation is off, and a kernel that loops reuses it: one thread resets it, and
 * a barrier must follow before `peakText`.
 */
export const reductionReset = (reduction: Reduction): string =>
  reduction === "subgroup"
    ? lines("if (t == 0u) {", "  atomicStore(&peakKey, 0u);", "  atomicStore(&peakAt, 0u);", "}")
    : "";

export interface PeakParts {
  readonly threads: number;
  readonly reduction: Reduction;
  /** Statements that set `at`, declared NO_PEAK, to the lowest index at which this thread's |z|^2 is `best`, and `z` to the value there unless `value` does. */
  readonly search: readonly Text[];
  /** Statements that set `z` to z[found], run by the thread that owns it; for values that are dearer to carry than to fetch. */
  readonly value?: readonly Text[];
  /** A peak under the problem's threshold is none. */
  readonly thresholded?: boolean;
}

/**
 * From `best` (this thread's largest |z|^2) to the record: needs `t`, `pair`, `best`; writes records[pair] once. Non-negative
 * floats order like their bits, so u32 maxima serve; indexes are compared complemented, so the largest is the lowest index.
 * A NaN compares false and becomes key 0, which no index claims. No lane or subgroup number is used: only the owner of the
 * winning index writes.
 */
export function peakText({ threads, reduction, search, value = [], thresholded }: PeakParts): string {
  const peak = (magnitude: string): string =>
    `records[pair] = vec4u(found, bitcast<u32>(z.x), bitcast<u32>(z.y), bitcast<u32>(${magnitude}));`;
  const judged = [
    "let magnitude = sqrt(dot(z, z));",
    `if (magnitude < ${THRESHOLD}) {`,
    `  ${NO_PEAK_RECORD}`,
    "} else {",
    `  ${peak("magnitude")}`,
    "}",
  ];
  const record = lines(
    "if (found == NO_PEAK) {",
    `  if (t == 0u) { ${NO_PEAK_RECORD} }`,
    "} else if (at == found) {",
    ...value.map((text) => indented([text])),
    indented(thresholded ? judged : [peak("sqrt(dot(z, z))")]),
    "}",
  );
  const head = lines(
    "let key = select(0u, bitcast<u32>(best), best >= 0.0f);",
    "var at = NO_PEAK;",
    "var z = vec2f();",
  );
  if (reduction === "subgroup") {
    return lines(
      head,
      "let top = subgroupMax(key);",
      "if (subgroupElect()) { atomicMax(&peakKey, top); }",
      "workgroupBarrier();",
      "if (key == atomicLoad(&peakKey)) {",
      indented(search),
      "  atomicMax(&peakAt, ~at);",
      "}",
      "workgroupBarrier();",
      "let found = ~atomicLoad(&peakAt);",
      record,
    );
  }
  const steps: string[] = [];
  for (let half = threads / 2; half >= 1; half /= 2) {
    steps.push(
      `if (t < ${half}u) {`,
      `  let otherKey = treeKey[t + ${half}u];`,
      `  let otherAt = treeAt[t + ${half}u];`,
      "  if (otherKey > treeKey[t] || (otherKey == treeKey[t] && otherAt < treeAt[t])) {",
      "    treeKey[t] = otherKey;",
      "    treeAt[t] = otherAt;",
      "  }",
      "}",
      "workgroupBarrier();",
    );
  }
  return lines(
    head,
    search,
    "treeKey[t] = key;",
    "treeAt[t] = at;",
    "workgroupBarrier();",
    steps,
    "let found = treeAt[0];",
    record,
  );
}

const indented = (parts: readonly Text[]): string =>
  lines(...parts)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
