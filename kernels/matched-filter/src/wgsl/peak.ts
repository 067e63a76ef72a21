import { block, lines, type Text } from "@tunelab/variants";
import { THRESHOLD } from "../problem.ts";

/** How threads agree on the peak. `subgroup` is right at any subgroup width; `tree` needs no feature. */
export type Reduction = "subgroup" | "tree";

/** Sizes in bytes of the reduction's workgroup variables, for `transforms` side by side. */
export const reductionMemory = (reduction: Reduction, threads: number, transforms = 1): readonly number[] =>
  reduction === "subgroup"
    ? [4 * transforms, 4 * transforms]
    : [4 * threads * transforms, 4 * threads * transforms];

export function reductionDeclarations(reduction: Reduction, threads: number, transforms = 1): string {
  if (reduction === "subgroup") {
    const type = transforms > 1 ? `array<atomic<u32>, ${transforms}>` : "atomic<u32>";
    return lines(`var<workgroup> peakKey: ${type};`, `var<workgroup> peakAt: ${type};`);
  }
  return lines(
    `var<workgroup> treeKey: array<u32, ${threads * transforms}>;`,
    `var<workgroup> treeAt: array<u32, ${threads * transforms}>;`,
  );
}

/** A balanced tree of max(): the depth is what a thread waits for. */
export function maximum(values: readonly string[]): string {
  if (values.length === 1) return values[0]!;
  const half = values.length / 2;
  return `max(${maximum(values.slice(0, half))}, ${maximum(values.slice(half))})`;
}

export const NO_PEAK_DECLARATION = "const NO_PEAK = 0xffffffffu;";

/** Writes the record of a pair without a peak. */
export const NO_PEAK_RECORD = "records[pair] = vec4u(NO_PEAK, 0u, 0u, 0u);";

/**
 * Workgroup memory starts undefined where zero-initialisation is off, and a kernel that loops reuses it: one thread resets it, and
 * a barrier must follow before `peakText`.
 */
export function reductionReset(reduction: Reduction, transforms = 1, thread = "t"): string {
  if (reduction !== "subgroup") return "";
  const own = transforms > 1 ? "[side]" : "";
  return lines(
    `if (${thread} == 0u) {`,
    `  atomicStore(&peakKey${own}, 0u);`,
    `  atomicStore(&peakAt${own}, 0u);`,
    "}",
  );
}

export interface PeakParts {
  readonly threads: number;
  readonly reduction: Reduction;
  /** Statements that set `at`, declared NO_PEAK, to the lowest index at which this thread's |z|^2 is `best`, and `z` to the value there unless `value` does. */
  readonly search: readonly Text[];
  /** Statements that set `z` to z[found], run by the thread that owns it; for values that are dearer to carry than to fetch. */
  readonly value?: readonly Text[];
  /** A peak under the problem's threshold is none. */
  readonly thresholded?: boolean;
  /** Name of a thread's number among them, where it is not `t`. */
  readonly thread?: string;
  /** Statements that write what was found, `found` and `z` (its owner runs them), and that there is none; the pair's record unless given. */
  readonly written?: { readonly peak: string; readonly none: string };
  /** Transforms side by side, each of `threads`: the text then also needs `side` and `lane`, and a pair past the last has no record. */
  readonly transforms?: number;
}

/**
 * From `best` (this thread's largest |z|^2) to the record: needs `t`, `pair`, `best`; writes records[pair] once (or what is `written`). Non-negative
 * floats order like their bits, so u32 maxima serve; indexes are compared complemented, so the largest is the lowest index.
 * A NaN compares false and becomes key 0, which no index claims. No lane or subgroup number is used: only the owner of the
 * winning index writes. Where a subgroup holds threads of several transforms, whatever its width, each brings its own maximum.
 */
export function peakText(parts: PeakParts): string {
  const { threads, reduction, search, value = [], thresholded, transforms = 1, thread = "t" } = parts;
  const own = transforms > 1 ? "[side]" : "";
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
  const written = lines(
    "if (found == NO_PEAK) {",
    `  if (${thread} == 0u) { ${parts.written?.none ?? NO_PEAK_RECORD} }`,
    "} else if (at == found) {",
    ...value.map((text) => indented([text])),
    indented(parts.written ? [parts.written.peak] : thresholded ? judged : [peak("sqrt(dot(z, z))")]),
    "}",
  );
  const record = transforms > 1 ? block("if (pair < extents.items)", written) : written;
  const head = lines(
    "let key = select(0u, bitcast<u32>(best), best >= 0.0f);",
    "var at = NO_PEAK;",
    "var z = vec2f();",
  );
  if (reduction === "subgroup") {
    return lines(
      head,
      "let top = subgroupMax(key);",
      transforms === 1
        ? "if (subgroupElect()) { atomicMax(&peakKey, top); }"
        : [
            "let alone = subgroupMin(side) == subgroupMax(side);",
            "let elected = subgroupElect();",
            "if (!alone || elected) { atomicMax(&peakKey[side], select(key, top, alone)); }",
          ],
      "workgroupBarrier();",
      `if (key == atomicLoad(&peakKey${own})) {`,
      indented(search),
      `  atomicMax(&peakAt${own}, ~at);`,
      "}",
      "workgroupBarrier();",
      `let found = ~atomicLoad(&peakAt${own});`,
      record,
    );
  }
  const i = transforms > 1 ? "lane" : thread;
  const steps: string[] = [];
  for (let half = threads / 2; half >= 1; half /= 2) {
    steps.push(
      `if (${thread} < ${half}u) {`,
      `  let otherKey = treeKey[${i} + ${half}u];`,
      `  let otherAt = treeAt[${i} + ${half}u];`,
      `  if (otherKey > treeKey[${i}] || (otherKey == treeKey[${i}] && otherAt < treeAt[${i}])) {`,
      `    treeKey[${i}] = otherKey;`,
      `    treeAt[${i}] = otherAt;`,
      "  }",
      "}",
      "workgroupBarrier();",
    );
  }
  return lines(
    head,
    search,
    `treeKey[${i}] = key;`,
    `treeAt[${i}] = at;`,
    "workgroupBarrier();",
    steps,
    transforms > 1 ? `let found = treeAt[side * ${threads}u];` : "let found = treeAt[0];",
    record,
  );
}

const indented = (parts: readonly Text[]): string =>
  lines(...parts)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
