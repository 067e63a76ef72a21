import { block, formatU32, type Text, times } from "@tunelab/variants";
import { type EighProblem, STATUS } from "../../problem.ts";
import { magnitudeBits, NOT_FINITE, scaling } from "../../wgsl/numbers.ts";
import { shared, strided } from "../../wgsl/strided.ts";
import { type Shape, stateAt } from "./shape.ts";

/** Address of a quad of a matrix that is being reduced. */
type Address = (row: string, column: string) => string;

/** Loads and scales a matrix, zeros beyond it and all of one that is not finite, and begins its state. Expects `greatest`, an atomic of the workgroup. */
export function loadText(problem: EighProblem, shape: Shape, a: Address): Text {
  const { quads, threads } = shape;
  return [
    greatestText(strided("e", problem.n ** 2, threads, largerText(problem))),
    "let peak = atomicLoad(&greatest);",
    scaledText(strided("e", 4 * quads * quads, threads, quadText(problem, shape, a))),
    block("if (t == 0u)", `${stateAt("peak")} = peak;`, beginText),
  ];
}

/** The largest magnitude of a matrix by workgroups `own` of `groups`, each with its share, over what others found in `state`, zeros before. */
export function peakText(problem: EighProblem, { threads }: Shape, groups: number): Text {
  return [
    greatestText(shared("e", problem.n ** 2, groups, threads, largerText(problem))),
    `if (t == 0u) { atomicMax(&${stateAt("peak")}, atomicLoad(&greatest)); }`,
  ];
}

/** What `loadText` does once the largest magnitude is known, by workgroups `own` of `groups`. */
export function sharesText(problem: EighProblem, shape: Shape, groups: number, a: Address): Text {
  const { quads, threads } = shape;
  return [
    `let peak = ${stateAt("peak")};`,
    scaledText(shared("e", 4 * quads * quads, groups, threads, quadText(problem, shape, a))),
    block("if (t == 0u && own == 0u)", beginText),
  ];
}

/** `greatest` is what the passes of all threads find with `largest`. */
const greatestText = (passes: Text): Text => [
  "if (t == 0u) { atomicStore(&greatest, 0u); }",
  "workgroupBarrier();",
  "var largest = 0u;",
  passes,
  "atomicMax(&greatest, largest);",
  "workgroupBarrier();",
];

const largerText = ({ n }: EighProblem): Text => [
  `let i = e / ${formatU32(n)};`,
  `let j = e % ${formatU32(n)};`,
  `if (j <= i) { largest = max(largest, ${magnitudeBits("matrices[item * extents.matrix + i * extents.row + j]")}); }`,
];

/** The passes know whether the matrix is `finite`, and by what to scale it `down`. */
const scaledText = (passes: Text): Text => [`let finite = peak < ${NOT_FINITE};`, scaling("peak"), passes];

const quadText = ({ n }: EighProblem, { quads }: Shape, a: Address): Text => {
  const count = formatU32(n);
  return [
    `let i = e / ${formatU32(quads)};`,
    `let j = e % ${formatU32(quads)};`,
    "var four = vec4f();",
    block(
      n % 4 === 0 ? "if (finite)" : `if (finite && i < ${count})`,
      times(4, (c) => {
        const at = c === 0 ? "4u * j" : `4u * j + ${c}u`;
        const element = `four.${"xyzw"[c]} = matrices[item * extents.matrix + max(i, ${at}) * extents.row + min(i, ${at})];`;
        return n % 4 === 0 ? element : `if (${at} < ${count}) { ${element} }`;
      }),
    ),
    `${a("i", "j")} = four * down;`,
  ];
};

const beginText: Text = [
  `${stateAt("ending")} = select(${STATUS.nonFinite}u, 0u, finite);`,
  `${stateAt("sought")} = 0u;`,
  `${stateAt("swept")} = 0u;`,
];
