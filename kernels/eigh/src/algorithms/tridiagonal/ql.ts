import type { Binding } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  formatU32,
  GROUP_BUILTINS,
  linearGroup,
  lines,
  type Text,
  times,
} from "@tunelab/variants";
import { strides } from "../../buffers.ts";
import { type EighProblem, MOST_SWEEPS, STATUS } from "../../problem.ts";
import { strided } from "../../wgsl/strided.ts";
import { where } from "../../wgsl/where.ts";
import { bandAt, stateAt, THROUGH, TYPES, workgroupBytes } from "./shape.ts";
import type { TridiagonalConfig } from "./space.ts";

/**
 * An element beside the diagonal of a matrix scaled to 1 is nothing at half of float32's unit roundoff times the larger of its neighbours, or of a quarter: what
 * that does to an eigenvalue is under eps of the norm.
 */
const LOST = "2.9802322e-8f";
/** Squares of what a rotation annihilates under which it is nothing: 1e-15 of a matrix scaled to 1. Above, squares are normal numbers to eps. */
const NOTHING = "1.0e-30f";

/** Sweeps of a dispatch where the host loops: it looks whether a matrix goes on after each. */
export const sweepsADispatch = (n: number): number => (n <= 64 ? Number.POSITIVE_INFINITY : 64);

/** Dispatches after which every matrix has ended one way or the other. */
export const mostDispatches = (n: number): number => Math.ceil((n * MOST_SWEEPS) / sweepsADispatch(n));

/** Whether the vectors lie in workgroup memory while they are turned. */
const inside = ({ vectors }: EighProblem, { memory }: Pick<TridiagonalConfig, "memory">): boolean =>
  memory === "workgroup" && vectors === "yes";

export const qlBytes = (
  problem: EighProblem,
  config: Pick<TridiagonalConfig, "sweeps" | "memory" | "matrices">,
): number => {
  const { n } = problem;
  const { sweeps, matrices } = config;
  const basis = inside(problem, config) ? 4 * n * n : 0;
  const each = [4 * n, 4 * n, basis, 8 * sweeps * n, 4 * sweeps, 4 * sweeps, 4];
  return workgroupBytes(...each.map((bytes) => matrices * bytes), matrices > 1 ? 4 : 0);
};

/** Threads of a matrix: where several share a workgroup no more than it has rows, so that their rotations are found side by side in a subgroup. */
const lanesOf = (
  n: number,
  { threads, matrices }: Pick<TridiagonalConfig, "threads" | "matrices">,
): number => (matrices === 1 ? threads : Math.min(threads, 2 ** Math.ceil(Math.log2(n))));

export const qlThreads = (n: number, config: Pick<TridiagonalConfig, "threads" | "matrices">): number =>
  config.matrices * lanesOf(n, config);

/** Elements of a workgroup's arrays by their index in the matrix's own part, and how a matrix stands. */
function partsOf(n: number, { matrices, sweeps }: TridiagonalConfig) {
  const own = (name: string, size: number) => (index: string) =>
    matrices === 1 ? `${name}[${index}]` : `${name}[slot * ${formatU32(size)} + ${index}]`;
  return {
    d: own("d", n),
    e: own("e", n),
    v: own("v", n * n),
    rotation: own("rotations", sweeps * n),
    start: own("starts", sweeps),
    end: own("ends", sweeps),
    ending: matrices === 1 ? "ending" : "endings[slot]",
  };
}
type Parts = ReturnType<typeof partsOf>;

/**
 * Implicit QL with Wilkinson's shift (Bowdler, Martin, Reinsch and Wilkinson 1968) on a band that lies in workgroup memory. One thread runs `sweeps` sweeps and leaves their
 * rotations; then all threads, each with rows of the vectors, apply those in one pass over the columns: sweep s turns columns k + s and
 * k + s + 1 when sweep 0 turns k and k + 1. Rotations keep columns orthogonal whatever the eigenvalues are.
 */
export function qlText(
  problem: EighProblem,
  config: TridiagonalConfig,
  bindings: readonly Binding[],
): string {
  const { n } = problem;
  const { sweeps, matrices } = config;
  const vectors = problem.vectors === "yes";
  const resumes = Number.isFinite(sweepsADispatch(n));
  const batches = Math.ceil(Math.min(sweepsADispatch(n), n * MOST_SWEEPS) / sweeps);
  const lanes = lanesOf(n, config);
  const parts = partsOf(n, config);
  const { d, e, v, ending } = parts;
  const shared = matrices > 1;
  const reverse = `(${formatU32(n - 1)} - j)`;
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, TYPES),
    `var<workgroup> d: array<f32, ${matrices * n}>;`,
    `var<workgroup> e: array<f32, ${matrices * n}>;`,
    inside(problem, config) && `var<workgroup> v: array<f32, ${matrices * n * n}>;`,
    `var<workgroup> rotations: array<vec2f, ${matrices * sweeps * n}>;`,
    // Sweep s turns columns k and k + 1 for k from ends[s] - 1 down to starts[s].
    `var<workgroup> starts: array<u32, ${matrices * sweeps}>;`,
    `var<workgroup> ends: array<u32, ${matrices * sweeps}>;`,
    shared
      ? [`var<workgroup> endings: array<u32, ${matrices}>;`, "var<workgroup> going: u32;"]
      : "var<workgroup> ending: u32;",
    `@compute @workgroup_size(${matrices * lanes})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) ${shared ? "thread" : "t"}: u32)`,
      shared
        ? [
            `let begin = ${linearGroup()} * ${formatU32(matrices)};`,
            "if (begin >= extents.items) { return; }",
            `let slot = thread / ${formatU32(lanes)};`,
            `let t = thread % ${formatU32(lanes)};`,
            // Threads without a matrix wait with the others at barriers.
            "let live = begin + slot < extents.items;",
            "let item = min(begin + slot, extents.items - 1u);",
          ]
        : [`let item = ${linearGroup()};`, "if (item >= extents.items) { return; }"],
      where(
        shared ? "live" : "",
        strided("j", n, lanes, [
          `${d("j")} = band[${bandAt(n, "diagonal")} + ${reverse}];`,
          n > 1 &&
            `if (j < ${formatU32(n - 1)}) { ${e("j")} = band[${bandAt(n, "beside")} + (${formatU32(Math.max(0, n - 2))} - j)]; }`,
        ]),
        inside(problem, config) && strided("o", n * n, lanes, [`${v("o")} = ${vectorAt(n, "o")};`]),
      ),
      `var sought = ${stateAt("sought")};`,
      `var swept = ${stateAt("swept")};`,
      `if (t == 0u) { ${ending} = ${shared ? `select(${THROUGH}u, ${stateAt("ending")}, live)` : stateAt("ending")}; }`,
      block(
        `for (var batch = 0u; batch < ${formatU32(batches)}; batch += 1u)`,
        shared
          ? [
              "workgroupBarrier();",
              block(
                "if (thread == 0u)",
                "var any = 0u;",
                `for (var o = 0u; o < ${formatU32(matrices)}; o += 1u) { any = max(any, select(0u, 1u, endings[o] == 0u)); }`,
                "going = any;",
              ),
              "let more = workgroupUniformLoad(&going);",
              "if (more == 0u) { break; }",
            ]
          : ["let over = workgroupUniformLoad(&ending);", "if (over > 0u) { break; }"],
        block(
          "if (t == 0u)",
          times(sweeps, (s) => [`${parts.start(`${s}`)} = 0u;`, `${parts.end(`${s}`)} = 0u;`]),
          where(
            shared ? `${ending} == 0u` : "",
            block(`for (var s = 0u; s < ${formatU32(sweeps)}; s += 1u)`, sweepText(n, parts)),
          ),
        ),
        "workgroupBarrier();",
        vectors && applyText(n, lanes, config, parts, inside(problem, config)),
        // The band is one thread's: others wait for the ends of its next sweeps at the uniform load.
      ),
      "workgroupBarrier();",
      where(
        shared ? "live" : "",
        strided("j", n, lanes, [
          `band[${bandAt(n, "diagonal")} + ${reverse}] = ${d("j")};`,
          resumes &&
            `if (j < ${formatU32(n - 1)}) { band[${bandAt(n, "beside")} + (${formatU32(n - 2)} - j)] = ${e("j")}; }`,
        ]),
        inside(problem, config) && strided("o", n * n, lanes, [`${vectorAt(n, "o")} = ${v("o")};`]),
        block(
          "if (t == 0u)",
          `${stateAt("sought")} = sought;`,
          `${stateAt("swept")} = swept;`,
          `${stateAt("ending")} = ${resumes ? ending : `select(${ending}, ${STATUS.unconverged}u, ${ending} == 0u)`};`,
        ),
      ),
    ),
  );
}

/** Element o of the vectors, columns in reverse order as the band is: it is graded from large to small, and QL finds small eigenvalues first. */
const vectorAt = (n: number, o: string): string =>
  `basis[item * ${formatU32(n * n)} + (${formatU32(n - 1)} - ${o} / ${formatU32(n)}) * ${formatU32(n)} + ${o} % ${formatU32(n)}]`;

const nothing = ({ d, e }: Parts, k: string): string =>
  `abs(${e(k)}) <= ${LOST} * max(0.5f, max(abs(${d(k)}), abs(${d(`${k} + 1u`)})))`;

/** One sweep s of the thread that has the band, or, where all eigenvalues are found, none. */
function sweepText(n: number, parts: Parts): Text {
  const { d, e, rotation, start, end, ending } = parts;
  const last = formatU32(n - 1);
  return [
    block(
      `for (var o = 0u; o < ${last}; o += 1u)`,
      `if (sought >= ${last}) { break; }`,
      `if (!(${nothing(parts, "sought")})) { break; }`,
      `${e("sought")} = 0.0f;`,
      "sought += 1u;",
    ),
    `if (sought >= ${last}) { ${ending} = ${THROUGH}u; break; }`,
    `if (swept >= ${formatU32(n * MOST_SWEEPS)}) { ${ending} = ${STATUS.unconverged}u; break; }`,
    "swept += 1u;",
    // The block of the band from `sought` to `end`, whose elements beside the diagonal are all something.
    "var end = sought + 1u;",
    block(
      `for (var o = 0u; o < ${last}; o += 1u)`,
      `if (end >= ${last}) { break; }`,
      `if (${nothing(parts, "end")}) { break; }`,
      "end += 1u;",
    ),
    `let beside = ${e("sought")};`,
    `let lean = (${d("sought + 1u")} - ${d("sought")}) / (2.0f * beside);`,
    "let root = sqrt(lean * lean + 1.0f);",
    `var g = ${d("end")} - ${d("sought")} + beside / (lean + select(root, -root, lean < 0.0f));`,
    "var sine = 1.0f;",
    "var cosine = 1.0f;",
    "var moved = 0.0f;",
    "var low = end;",
    block(
      `for (var down = 0u; down < ${last}; down += 1u)`,
      "let o = end - down;",
      "if (o <= sought) { break; }",
      "let k = o - 1u;",
      `let f = sine * ${e("k")};`,
      `let b = cosine * ${e("k")};`,
      "let squares = f * f + g * g;",
      // Both are nothing: the band falls apart here.
      block(`if (squares < ${NOTHING})`, `${e("o")} = 0.0f;`, "break;"),
      "let inverse = inverseSqrt(squares);",
      `${e("o")} = squares * inverse;`,
      "sine = f * inverse;",
      "cosine = g * inverse;",
      // The roots of some devices are a few units off: sine^2 + cosine^2 must be 1 to rounding, or sweeps make columns longer.
      "let trim = 1.0f - 0.5f * fma(sine, sine, fma(cosine, cosine, -1.0f));",
      "sine *= trim;",
      "cosine *= trim;",
      `let right = ${d("o")} - moved;`,
      `let turn = (${d("k")} - right) * sine + 2.0f * cosine * b;`,
      "moved = sine * turn;",
      `${d("o")} = right + moved;`,
      "g = cosine * turn - b;",
      `${rotation(`s * ${formatU32(n)} + k`)} = vec2f(cosine, sine);`,
      "low = k;",
    ),
    `${d("low")} -= moved;`,
    `if (low == sought) { ${e("low")} = g; }`,
    `${e("end")} = 0.0f;`,
    `${start("s")} = low;`,
    `${end("s")} = end;`,
  ];
}

/** All sweeps' rotations on the rows of each thread, in one pass: registers x0, x1, ... are columns k to k + sweeps. */
function applyText(
  n: number,
  lanes: number,
  { sweeps }: TridiagonalConfig,
  { v, rotation, start, end }: Parts,
  inMemory: boolean,
): Text {
  const count = formatU32(n);
  const at = (k: string): string =>
    inMemory ? v(`(${k}) * ${count} + i`) : `basis[base - (${k}) * ${count}]`;
  return [
    `var least = ${formatU32(n)};`,
    "var to = 0u;",
    times(sweeps, (s) => [
      `let start${s} = ${start(`${s}`)};`,
      `let end${s} = ${end(`${s}`)};`,
      `if (start${s} < end${s}) { least = min(least, start${s}); to = max(to, end${s}); }`,
    ]),
    block(
      "if (least < to)",
      strided("i", n, lanes, [
        !inMemory && `let base = item * ${formatU32(n * n)} + ${formatU32((n - 1) * n)} + i;`,
        times(sweeps, (s) => `var x${s + 1} = ${s === 0 ? at("to") : "0.0f"};`),
        `var ahead = ${at("to - 1u")};`,
        block(
          // Constant bounds and ways out, here and in a sweep: of a bound that it cannot name Tint proves no end, and counts the rounds.
          `for (var o = 0u; o < ${formatU32(n + sweeps - 1)}; o += 1u)`,
          `if (o >= to - least${sweeps > 1 ? ` + ${sweeps - 1}u` : ""}) { break; }`,
          // Column k - sweeps + 1 comes in; counted like this, none is negative.
          `let k = to + ${formatU32(sweeps - 1)} - 1u - o;`,
          "var x0 = ahead;",
          // The next column is on its way while this one is turned.
          `if (k > least + ${formatU32(sweeps - 1)}) { ahead = ${at(`k - ${formatU32(sweeps)}`)}; }`,
          times(sweeps, (s) => {
            const column = s === sweeps - 1 ? "k" : `k - ${formatU32(sweeps - 1 - s)}`;
            const [x, y] = [`x${s}`, `x${s + 1}`];
            return block(
              `if (${s === sweeps - 1 ? "" : `k >= ${formatU32(sweeps - 1 - s)} && `}${column} >= start${s} && ${column} < end${s})`,
              `let by = ${rotation(`${formatU32(s * n)} + ${column}`)};`,
              `let x = ${x};`,
              `${x} = by.x * x - by.y * ${y};`,
              `${y} = by.y * x + by.x * ${y};`,
            );
          }),
          `if (k < to) { ${at("k + 1u")} = x${sweeps}; }`,
          Array.from({ length: sweeps }, (_, s) => `x${sweeps - s} = x${sweeps - s - 1};`),
        ),
        `${at("least")} = x${sweeps};`,
      ]),
    ),
  ];
}
