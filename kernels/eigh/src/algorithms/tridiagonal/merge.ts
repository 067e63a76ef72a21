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
} from "@tunelab/variants";
import { strides } from "../../buffers.ts";
import { type EighProblem, STATUS } from "../../problem.ts";
import { bounded } from "../../wgsl/bounded.ts";
import { fourOf, fours, total } from "../../wgsl/fours.ts";
import { rootText } from "./secular.ts";
import { bandAt, stateAt, THROUGH, TYPES, workgroupBytes } from "./shape.ts";

/**
 * What is left out, of a matrix scaled to 1: eps of the largest pole, or of a quarter. A pole whose weight is less is an eigenvalue as it is; of two poles
 * that a rotation parts at such a cost one is.
 */
const LOST = "1.1920929e-7f";

/** Times that pieces of the band meet: pieces of 1, 2, 4, ... elements, two and two. */
export const levelsOf = (n: number): number => Math.max(1, Math.ceil(Math.log2(n)));

/** Elements of each line of a workgroup. */
const lineOf = (n: number, threads: number): number => Math.max(n, threads);

export const mergeBytes = (n: number, threads: number): number =>
  workgroupBytes(...Array.from({ length: 6 }, () => 4 * lineOf(n, threads)), 4 * threads, 4 * threads, 4, 4);

/** Workgroups of a matrix: each has `threads` columns, or as many as two pieces have. */
export const mergeGroups = (n: number, threads: number): number => Math.ceil(n / threads);

/** Address of the first or last components of the pieces' vectors, of the half that a level reads (0) or writes (1). */
const endsAt = (n: number, which: "firsts" | "lasts", written: 0 | 1): string =>
  `item * ${formatU32(4 * n)} + ((extents.iteration + ${written}u) % 2u) * ${formatU32(2 * n)} + ${formatU32(which === "firsts" ? 0 : n)}`;

/**
 * Divide and conquer (Cuppen 1981) from single elements up: two neighbouring pieces of the band with known eigenvalues and vectors meet, which is a diagonal and
 * a matrix of rank one. Small pieces share a workgroup, a thread a column. Of every two pieces: poles sorted; those that weigh nothing, or nothing more than a
 * neighbour, left out; roots of the secular equation; weights made afresh from the roots, so that vectors are orthogonal (Gu and Eisenstat 1995);
 * and the matrix `mix` that takes the vectors of the pieces to theirs. Of those only first and last components are kept here.
 */
export function mergeText(problem: EighProblem, threads: number, bindings: readonly Binding[]): string {
  const { n } = problem;
  const line = lineOf(n, threads);
  const shift = Math.log2(threads);
  /** Runs for every column i of the two pieces that a thread has. */
  const everyColumn = (...body: Text[]): Text =>
    bounded(
      "step",
      "rounds",
      Math.ceil(2 ** levelsOf(n) / threads),
      "let i = lane + (step << shift);",
      block("if (i < count)", ...body),
    );
  return lines(
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, {
      ...TYPES,
      state: "array<atomic<u32>>",
      turns: "array<vec4f>",
      mix: "array<f32>",
      pieces: "array<f32>",
    }),
    // Poles, their weights' roots and their columns: sorted; then those that are kept, with those that are not behind.
    ["sd", "sz", "kd", "kz"].map((name) => `var<workgroup> ${name}: array<f32, ${line}>;`),
    ["si", "ki"].map((name) => `var<workgroup> ${name}: array<u32, ${line}>;`),
    `var<workgroup> keeps: array<u32, ${threads}>;`,
    `var<workgroup> rotations: array<u32, ${threads}>;`,
    "var<workgroup> spent: atomic<u32>;",
    "var<workgroup> lost: atomic<u32>;",
    `@compute @workgroup_size(${threads})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) t: u32)`,
      `let task = ${linearGroup()};`,
      `let item = task / ${formatU32(mergeGroups(n, threads))};`,
      "if (item >= extents.items) { return; }",
      "let size = 2u << extents.iteration;",
      `let begin = (task % ${formatU32(mergeGroups(n, threads))}) * max(size, ${formatU32(threads)});`,
      `if (begin >= ${formatU32(n)}) { return; }`,
      `let shift = min(extents.iteration + 1u, ${shift}u);`,
      "let team = t >> shift;",
      "let lane = t - (team << shift);",
      "let rounds = size >> shift;",
      "let at = team << shift;",
      "let low = begin + team * size;",
      "let middle = low + size / 2u;",
      `let count = max(min(low + size, ${formatU32(n)}), low) - low;`,
      `let joined = middle < ${formatU32(n)};`,
      `if (t == 0u) { atomicStore(&spent, 0u); atomicStore(&lost, 0u); }`,
      "var beside = 0.0f;",
      `if (joined) { beside = band[${bandAt(n, "beside")} + middle - 1u]; }`,
      "let rho = 2.0f * abs(beside);",
      poles(n, everyColumn),
      "workgroupBarrier();",
      sort(n, everyColumn),
      "workgroupBarrier();",
      block("if (lane == 0u)", deflate(n)),
      "workgroupBarrier();",
      "storageBarrier();",
      "let kept = keeps[team];",
      "let turned = rotations[team];",
      "var steps = 0u;",
      everyColumn(
        block(
          "if (i < kept)",
          "let k = i;",
          rootText(n),
          "sd[at + i] = mu;",
          "si[at + i] = near;",
          "if (!found) { atomicStore(&lost, 1u); }",
        ),
      ),
      "atomicAdd(&spent, steps);",
      "workgroupBarrier();",
      everyColumn(
        block("if (i < kept)", weightText(n)),
        // Nobody asks for the weights that were: components that the new columns' ends are made of take their place.
        endText(n),
      ),
      "workgroupBarrier();",
      everyColumn(columnText(n)),
      block(
        "if (t == 0u)",
        `if (atomicLoad(&lost) > 0u && atomicLoad(&${stateAt("ending")}) == 0u) { atomicStore(&${stateAt("ending")}, ${STATUS.unconverged}u); }`,
        block(
          `if (size >= ${formatU32(n)})`,
          `atomicStore(&${stateAt("swept")}, atomicLoad(&spent));`,
          `if (atomicLoad(&${stateAt("ending")}) == 0u) { atomicStore(&${stateAt("ending")}, ${THROUGH}u); }`,
        ),
      ),
    ),
  );
}

/** Poles and weights' roots by column. Pieces of one element begin as what is left of the diagonal when all couplings are taken off it. */
function poles(n: number, everyColumn: (...body: Text[]) => Text): Text {
  return everyColumn(
    "let column = low + i;",
    `var d = band[${bandAt(n, "diagonal")} + column];`,
    "var firsts = 1.0f;",
    "var lasts = 1.0f;",
    block(
      "if (extents.iteration == 0u)",
      `if (column > 0u) { d -= abs(band[${bandAt(n, "beside")} + column - 1u]); }`,
      `if (column < ${formatU32(n - 1)}) { d -= abs(band[${bandAt(n, "beside")} + column]); }`,
    ),
    block(
      "if (extents.iteration > 0u)",
      `firsts = pieces[${endsAt(n, "firsts", 0)} + column];`,
      `lasts = pieces[${endsAt(n, "lasts", 0)} + column];`,
    ),
    "kd[at + i] = d;",
    `kz[at + i] = 0.70710678f * select(lasts, select(firsts, -firsts, beside < 0.0f), column >= middle);`,
  );
}

const sort = (n: number, everyColumn: (...body: Text[]) => Text): Text => [
  "var largest = 0.25f;",
  everyColumn(
    "let d = kd[at + i];",
    "var rank = 0u;",
    bounded(
      "j",
      "count",
      n,
      "let other = kd[at + j];",
      "largest = max(largest, abs(other));",
      "if (other < d || (other == d && j < i)) { rank += 1u; }",
    ),
    "sd[at + rank] = d;",
    "sz[at + rank] = kz[at + i];",
    "si[at + rank] = i;",
  ),
];

const keep = lines("kd[at + kept] = d;", "kz[at + kept] = z;", "ki[at + kept] = column;", "kept += 1u;");

/** One thread of two pieces leaves poles out, in ascending order: kept ones first, the others from the end. */
const deflate = (n: number): Text => [
  `let nothing = ${LOST} * largest;`,
  "var kept = 0u;",
  "var left = count;",
  "var turned = 0u;",
  "var held = false;",
  // The pole that waits for its neighbour.
  "var d = 0.0f;",
  "var z = 0.0f;",
  "var column = 0u;",
  bounded(
    "j",
    "count",
    n,
    "let dHere = sd[at + j];",
    "let zHere = sz[at + j];",
    "let here = si[at + j];",
    "let light = rho * abs(zHere) <= nothing;",
    block("if (light)", "left -= 1u;", "kd[at + left] = dHere;", "ki[at + left] = here;"),
    block(
      "if (!light)",
      "var dNext = dHere;",
      "var zNext = zHere;",
      // The rotation's cosine and sine are zHere and -z over the root of this: most neighbours need neither.
      "let squares = z * z + zHere * zHere;",
      "let merges = held && abs((dHere - d) * (z * zHere)) <= nothing * squares;",
      block(
        "if (merges)",
        "let length = sqrt(squares);",
        "let cosine = zHere / length;",
        "let sine = -z / length;",
        "left -= 1u;",
        "kd[at + left] = d * cosine * cosine + dHere * sine * sine;",
        "ki[at + left] = column;",
        `turns[item * ${formatU32(n)} + low + turned] = vec4f(cosine, sine, f32(column), f32(here));`,
        "turned += 1u;",
        "dNext = d * sine * sine + dHere * cosine * cosine;",
        "zNext = length;",
      ),
      block("if (held && !merges)", keep),
      "held = true;",
      "d = dNext;",
      "z = zNext;",
      "column = here;",
    ),
  ),
  block("if (held)", keep),
  "keeps[team] = kept;",
  "rotations[team] = turned;",
];

/** The weight of pole i that has exactly the roots that were found (Loewner 1934), up to a factor that all share; every ratio is at most 1. */
const weightText = (n: number): string =>
  lines(
    "let d = kd[at + i];",
    "var products = vec4f(1.0f);",
    fours(
      "0u",
      "kept",
      n,
      `let origins = ${fourOf((spot) => `kd[at + si[at + ${spot}]]`)};`,
      `let roots = (origins - d) + ${fourOf((spot) => `sd[at + ${spot}]`)};`,
      // The last root has no pole after it.
      "let after = select(min(spots + 1u, vec4u(kept - 1u)), spots, spots < vec4u(i));",
      `let poles = ${fourOf((spot) => `kd[at + ${spot.replace("spots", "after")}]`)};`,
      "let ratios = select(roots / (poles - d), roots, spots == vec4u(kept - 1u));",
      "products *= select(vec4f(1.0f), ratios, whole);",
    ),
    "let size = sqrt(abs((products.x * products.y) * (products.z * products.w)));",
    "sz[at + i] = select(size, -size, kz[at + i] < 0.0f);",
  );

/** Component of the vectors that column i brings to its union: the first one from the piece before, the last one from the piece after. */
const endText = (n: number): Text => [
  "var old = 1.0f;",
  block(
    "if (extents.iteration > 0u)",
    "let column = low + i;",
    `if (column < middle) { old = pieces[${endsAt(n, "firsts", 0)} + column]; }`,
    `if (column >= middle) { old = pieces[${endsAt(n, "lasts", 0)} + column]; }`,
  ),
  "kz[at + i] = old;",
];

/** Column i of `mix`, with the rotations of the poles left out, and what it makes of first and last components. */
function columnText(n: number): Text {
  const count = formatU32(n);
  const element = (row: string): string => `mix[base + (${row}) * ${count}]`;
  /** Sums what rows from `from` on and before `to` bring: memory is only read here, four rows at once. */
  const end = (into: string, from: string, to: string): Text => [
    `var ${into}Fours = vec4f();`,
    fours(
      from,
      to,
      n,
      `${into}Fours += select(vec4f(), ${fourOf((spot) => `kz[at + ${spot}]`)} * ${fourOf(element)}, whole);`,
    ),
    `let ${into} = ${total(`${into}Fours`)};`,
  ];
  return [
    `let base = item * ${formatU32(n * n)} + low * ${count} + low + i;`,
    "let alone = i >= kept;",
    "var value = kd[at + i];",
    block(
      "if (!alone)",
      "let origin = kd[at + si[at + i]];",
      "let mu = sd[at + i];",
      "value = origin + mu;",
      // Its length first, so that each element is written once.
      "var squares = vec4f();",
      fours(
        "0u",
        "kept",
        n,
        `let x = select(vec4f(), ${fourOf((spot) => `sz[at + ${spot}]`)} / ((${fourOf((spot) => `kd[at + ${spot}]`)} - origin) - mu), whole);`,
        "squares += x * x;",
      ),
      `let length = ${total("squares")};`,
      "var inverse = inverseSqrt(length);",
      "inverse *= 1.5f - 0.5f * length * inverse * inverse;",
      fours(
        "0u",
        "kept",
        n,
        `let x = inverse * (${fourOf((spot) => `sz[at + ${spot}]`)} / ((${fourOf((spot) => `kd[at + ${spot}]`)} - origin) - mu));`,
        // Spots past the last write it again.
        [..."xyzw"].map((part) => `${element(`ki[at + spots.${part}]`)} = x.${part};`),
      ),
      bounded("o", "count - kept", n, `${element("ki[at + kept + o]")} = 0.0f;`),
    ),
    block("if (alone)", bounded("j", "count", n, `${element("ki[at + j]")} = select(0.0f, 1.0f, j == i);`)),
    bounded(
      "o",
      "turned",
      n,
      `let turn = turns[item * ${count} + low + turned - 1u - o];`,
      `let x = ${element("u32(turn.z)")};`,
      `let y = ${element("u32(turn.w)")};`,
      `${element("u32(turn.z)")} = turn.x * x - turn.y * y;`,
      `${element("u32(turn.w)")} = turn.y * x + turn.x * y;`,
    ),
    "let before = min(size / 2u, count);",
    end("firsts", "0u", "before"),
    // A piece without a neighbour is the last one of the band: no other asks for its last components.
    end("lasts", "before", "count"),
    `pieces[${endsAt(n, "firsts", 1)} + low + i] = firsts;`,
    `pieces[${endsAt(n, "lasts", 1)} + low + i] = lasts;`,
    `band[${bandAt(n, "diagonal")} + low + i] = value;`,
  ];
}
