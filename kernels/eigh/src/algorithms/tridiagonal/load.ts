import { block, formatU32, type Text, times } from "@tunelab/variants";
import { type EighProblem, STATUS } from "../../problem.ts";
import { magnitudeBits, NOT_FINITE, scaling } from "../../wgsl/numbers.ts";
import { strided } from "../../wgsl/strided.ts";
import { type Shape, stateAt } from "./shape.ts";

/** Loads and scales a matrix, zeros beyond it and all of one that is not finite, and begins its state. Expects `greatest`, an atomic of the workgroup. */
export function loadText(
  { n }: EighProblem,
  { quads, threads }: Shape,
  a: (row: string, column: string) => string,
): Text {
  const count = formatU32(n);
  return [
    "if (t == 0u) { atomicStore(&greatest, 0u); }",
    "workgroupBarrier();",
    "var largest = 0u;",
    strided("e", n * n, threads, [
      `let i = e / ${count};`,
      `let j = e % ${count};`,
      `if (j <= i) { largest = max(largest, ${magnitudeBits("matrices[item * extents.matrix + i * extents.row + j]")}); }`,
    ]),
    "atomicMax(&greatest, largest);",
    "workgroupBarrier();",
    "let peak = atomicLoad(&greatest);",
    `let finite = peak < ${NOT_FINITE};`,
    scaling("peak"),
    strided("e", 4 * quads * quads, threads, [
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
    ]),
    block(
      "if (t == 0u)",
      `${stateAt("peak")} = peak;`,
      `${stateAt("ending")} = select(${STATUS.nonFinite}u, 0u, finite);`,
      `${stateAt("sought")} = 0u;`,
      `${stateAt("swept")} = 0u;`,
    ),
  ];
}
