import { block, formatU32, GROUP_BUILTINS, type Text, times } from "@tunelab/variants";
import { strided } from "../../wgsl/strided.ts";
import { where } from "../../wgsl/where.ts";
import { bandAt, type Shape, workgroupBytes } from "./shape.ts";
import type { TridiagonalConfig } from "./space.ts";

/**
 * What is left of a column below its first element counts as nothing where its squares sum to less: 1e-12 of a matrix scaled to 1 is far under eps, and squares
 * above are normal numbers to eps.
 */
const NOTHING = "1.0e-24f";

/** Most vec4f of the matrix that a thread asks for before it needs them. */
const MOST_AHEAD = 16;

/** What the texts of a column's reflection depend on. */
export interface Columns {
  readonly shape: Shape;
  readonly reduction: TridiagonalConfig["reduction"];
  /** Workgroups that share a matrix; each has every `groups`-th four rows of a team's. */
  readonly groups: number;
  /** Four elements of a row, as text. */
  readonly a: (row: string, column: string) => string;
  /** Whether the matrix lies in global memory, far enough away to ask for elements before barriers and sums that they do not wait for. */
  readonly far: boolean;
}

/** Teams of all of a matrix's workgroups, and groups of four rows of each. */
const rowsOf = ({ shape: { quads, parts }, groups }: Columns) => ({
  teams: parts * groups,
  steps: Math.ceil(quads / (parts * groups)),
});

/** Whether a thread's share of the matrix is little enough to be asked for at once. */
const asksAhead = (columns: Columns): boolean =>
  columns.far && columns.shape.columnSteps === 1 && 4 * rowsOf(columns).steps <= MOST_AHEAD;

/** Whether a thread has at most one quad of the column's row, and that quad is asked for ahead. */
const rowAhead = ({ far, shape: { quads, threads } }: Columns): boolean => far && threads >= quads;

/** Four elements of a row of a matrix in global memory. */
export const rowsAt =
  ({ quads }: Shape): Columns["a"] =>
  (row, column) =>
    `rows[item * ${formatU32(4 * quads * quads)} + (${row}) * ${formatU32(quads)} + ${column}]`;

/** Workgroup memory of a column's pass: its vectors, the teams' parts of the product and a number a thread. */
export const columnMemory = ({ quads, parts, threads }: Shape): Text => [
  ["vs", "ws", "xs"].map((name) => `var<workgroup> ${name}: array<vec4f, ${quads}>;`),
  `var<workgroup> sums: array<vec4f, ${parts * quads}>;`,
  `var<workgroup> line: array<f32, ${threads}>;`,
];

/** Bytes of `columnMemory` and of what else a pass declares. */
export const columnBytes = ({ quads, parts, threads }: Shape, ...others: readonly number[]): number =>
  workgroupBytes(...[16 * quads, 16 * quads, 16 * quads, 16 * parts * quads, 4 * threads], ...others);

/** The entry point of a column's pass. */
export const columnMain = ({ threads }: Shape, subgroups: boolean, ...body: readonly Text[]): Text => [
  // Loops are the same for all threads; that their bounds are is not known to the compiler.
  subgroups && "@diagnostic(off, subgroup_uniformity)",
  `@compute @workgroup_size(${threads})`,
  block(
    `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32${
      subgroups ? ", @builtin(subgroup_invocation_id) id: u32, @builtin(subgroup_size) width: u32" : ""
    })`,
    ...body,
  ),
];

/** Declares `into`, the sum of `count` terms, over the workgroup after a barrier, each thread for itself or each subgroup for itself: no barrier more. */
export function summed(
  into: string,
  count: number,
  term: (index: string) => string,
  { shape: { threads }, reduction }: Pick<Columns, "shape" | "reduction">,
): Text {
  if (reduction === "workgroup") {
    return [
      `var ${into} = 0.0f;`,
      block(`for (var o = 0u; o < ${formatU32(count)}; o += 1u)`, `${into} += ${term("o")};`),
    ];
  }
  // Lanes of a subgroup take every width-th term, whatever the width: a workgroup is no narrower than its own lanes.
  const most = Math.ceil(count / Math.min(4, threads));
  return [
    `var ${into}Lane = 0.0f;`,
    block(
      `for (var o = 0u; o < ${formatU32(most)}; o += 1u)`,
      "let at = o * width + id;",
      `if (at >= ${formatU32(count)}) { break; }`,
      // The remainder changes nothing but what Tint knows of the index.
      `let known = at % ${formatU32(count)};`,
      `${into}Lane += ${term("known")};`,
    ),
    `let ${into} = subgroupAdd(${into}Lane);`,
  ];
}

/** Runs for every quad of a row that a thread has and that the column has not left behind. */
export const everyQuad = ({ quads, across, columnSteps }: Shape, ...body: readonly Text[]): Text =>
  block(
    `for (var step = 0u; step < ${formatU32(columnSteps)}; step += 1u)`,
    `let at = place + step * ${formatU32(across)};`,
    block(
      `if (at >= quad${quads % across === 0 ? "" : ` && at < ${formatU32(quads)}`})`,
      `let c = ${quads % across === 0 ? "at" : `min(at, ${formatU32(quads - 1)})`};`,
      ...body,
    ),
  );

/** Four elements of the reflection's vector, from xs and its first element. */
export const reflector = (q: string): string => `xs[${q}] + select(vec4f(), top, ${q} == quad)`;

/** Where column k begins: its first place below the diagonal, and the quad of that. Declares `first` and `quad`. */
export const placeText = ({ shape: { quads } }: Columns): Text => [
  "let first = k + 1u;",
  `let quad = min(first / 4u, ${formatU32(quads - 1)});`,
];

/**
 * Asks for what a column reads of the matrix before anything that waits: `rowText` and `passText` find it in registers. On a discrete GPU each of these would be a way
 * to the second cache and back, one after the other. Where a matrix has several workgroups each thread alone writes what it asks for here, and nobody row k.
 */
export const aheadText = (columns: Columns): Text => {
  const { shape, a } = columns;
  return [
    rowAhead(columns) && [
      "var rowAhead = vec4f();",
      where(
        shape.threads === shape.quads ? "" : `t < ${formatU32(shape.quads)}`,
        `rowAhead = ${a("k", shape.threads === shape.quads ? "t" : `min(t, ${formatU32(shape.quads - 1)})`)};`,
      ),
    ],
    asksAhead(columns) && [
      times(rowsOf(columns).steps, (up) => FOUR.map((e) => `var ahead${up}${e} = vec4f();`)),
      everyQuad(
        shape,
        times(rowsOf(columns).steps, (up) =>
          block(
            `if (${within(columns, formatU32(up))})`,
            rowsText(
              columns,
              formatU32(up),
              FOUR.map((e) => `ahead${up}${e} = ${a(rowAt(e), "c")};`),
            ),
          ),
        ),
      ),
    ],
  ];
};

const FOUR = [0, 1, 2, 3] as const;
const rowAt = (e: number): string => (e === 0 ? "4u * r" : `4u * r + ${e}u`);

/** Whether step `up` of a thread, from its last rows up, is still at the column's. */
const within = (columns: Columns, up: string): string => {
  const { teams, steps } = rowsOf(columns);
  return `${up} < ${formatU32(steps)} - quad / ${formatU32(teams)}`;
};

/** Runs `body` for the four rows from 4 r on that a thread has in step `up`. */
const rowsText = (columns: Columns, up: string, ...body: readonly Text[]): Text => {
  const { shape, groups } = columns;
  const { quads } = shape;
  const { teams, steps } = rowsOf(columns);
  return [
    `let below = ${groups === 1 ? "team" : `team * ${formatU32(groups)} + own`} + (${formatU32(steps - 1)} - ${up}) * ${formatU32(teams)};`,
    where(
      quads % teams === 0 ? "" : `below < ${formatU32(quads)}`,
      `let r = ${quads % teams === 0 ? "below" : `min(below, ${formatU32(quads - 1)})`};`,
      ...body,
    ),
  ];
};

/**
 * Row k, which is column k, as the pending update leaves it: its diagonal element (stored where `stores` holds), `beside`, the one next to it, and in xs what lies
 * beyond. Then a barrier.
 */
export const rowText = (columns: Columns, stores: string): Text => {
  const { n, quads, threads } = columns.shape;
  return [
    `let vHere = ${component("vs", "k")};`,
    `let wHere = ${component("ws", "k")};`,
    strided("c", quads, threads, [
      `let x = ${rowAhead(columns) ? "rowAhead" : columns.a("k", "c")} - vHere * ws[c] - wHere * vs[c];`,
      "xs[c] = select(vec4f(), x, vec4u(4u * c, 4u * c + 1u, 4u * c + 2u, 4u * c + 3u) > vec4u(first));",
      `if (${stores}c == k / 4u) { band[${bandAt(n, "diagonal")} + k] = ${chosen("x", "(k % 4u)")}; }`,
      `if (c == min(first / 4u, ${formatU32(quads - 1)})) { beside = ${chosen("x", "(first % 4u)")}; }`,
    ]),
    "workgroupBarrier();",
  ];
};

/** The reflection H = 1 - factor v v^T with v = xs + (v0 at the first place) that takes the column to (end, 0, ...). */
export const reflectionText = (columns: Columns): Text => {
  const { n, quads } = columns.shape;
  return [
    summed("beyond", quads, (q) => `dot(xs[${q}], xs[${q}])`, columns),
    `let alpha = select(0.0f, beside, first < ${formatU32(n)});`,
    `let turns = beyond > ${NOTHING};`,
    "let length = sqrt(alpha * alpha + beyond);",
    "let end = select(alpha, select(-length, length, alpha < 0.0f), turns);",
    "let v0 = alpha - end;",
    "let factor = select(0.0f, 2.0f / (v0 * v0 + beyond), turns);",
    `let top = ${oneHot("(first % 4u)", "v0")};`,
  ];
};

/**
 * One pass over what is left of the matrix: the pending update, and sums of each team's rows times the new vector, in `sums`. Where a matrix has one
 * workgroup, `along` is the thread's part of v^T A v.
 */
export function passText(columns: Columns): Text {
  const { shape, groups, a } = columns;
  const { steps } = rowsOf(columns);
  const ahead = asksAhead(columns);
  // Row k is read by all of a matrix's workgroups: none may update it, though it is in the same four rows as the next.
  const kept = (e: number, store: string): string =>
    groups === 1 ? store : `if (${rowAt(e)} > k) { ${store} }`;
  const rows = (up: string, four: (e: number) => string): Text =>
    rowsText(
      columns,
      up,
      "let vr = vs[r];",
      "let wr = ws[r];",
      `let nr = ${reflector("r")};`,
      FOUR.map((e) => `let a${e} = ${four(e)} - vr.${"xyzw"[e]} * w - wr.${"xyzw"[e]} * v;`),
      FOUR.map((e) => kept(e, `${a(rowAt(e), "c")} = a${e};`)),
      FOUR.map((e) => `sum += nr.${"xyzw"[e]} * a${e};`),
    );
  return [
    groups === 1 && "var along = 0.0f;",
    everyQuad(
      shape,
      "let v = vs[c];",
      "let w = ws[c];",
      "var sum = vec4f();",
      ahead
        ? times(steps, (up) =>
            block(
              `if (${within(columns, formatU32(up))})`,
              rows(formatU32(up), (e) => `ahead${up}${e}`),
            ),
          )
        : block(
            // From the last rows up to the column's: from a first step that is no constant on, Tint would know no range of r.
            `for (var up = 0u; up < ${formatU32(steps)}; up += 1u)`,
            `if (!(${within(columns, "up")})) { break; }`,
            rows("up", (e) => a(rowAt(e), "c")),
          ),
      `sums[team * ${formatU32(shape.quads)} + c] = sum;`,
      groups === 1 && `along += dot(sum, ${reflector("c")});`,
    ),
  ];
}

/** A component of a vec4f, the one that `part` (0 to 3) says. */
const chosen = (vector: string, part: string): string =>
  `select(select(${vector}.x, ${vector}.y, ${part} == 1u), select(${vector}.z, ${vector}.w, ${part} == 3u), ${part} > 1u)`;
const component = (array: string, index: string): string =>
  chosen(`${array}[${index} / 4u]`, `(${index} % 4u)`);
const oneHot = (part: string, value: string): string =>
  `vec4f(${[0, 1, 2, 3].map((e) => `select(0.0f, ${value}, ${part} == ${e}u)`).join(", ")})`;
