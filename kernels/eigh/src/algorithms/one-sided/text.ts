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
import { PORT_TYPES, strides } from "../../buffers.ts";
import { type EighProblem, MOST_SWEEPS, STATUS } from "../../problem.ts";
import { DONE, dots, elements, registers, sum, turnColumns, within } from "../../wgsl/columns.ts";
import { countEnding } from "../../wgsl/endings.ts";
import type { Lanes } from "../../wgsl/lanes.ts";
import { magnitudeBits, NAN_BITS, NOT_FINITE, scaling } from "../../wgsl/numbers.ts";
import { LEAST, SHARE } from "../../wgsl/shift.ts";
import { type Talk, talkOf } from "../../wgsl/talk.ts";
import { lanesFor, type OneSidedConfig } from "./space.ts";

/** Stands for the eigenvalue of a column of zeros: it sorts behind all of a matrix scaled to 1. */
const BEHIND = "3.0e38f";

/**
 * One-sided Jacobi (Hestenes 1958) on A shifted to be positive definite: turns make the columns of G = A + shift orthogonal; their lengths are then the
 * eigenvalues of G and their directions the eigenvectors, so that no vectors are gathered. A thread holds two columns in registers. Rounds follow
 * the odd-even order (Luk and Park 1989): turn both columns and exchange their places, pass one to the neighbour, turn, pass it back; in as many rounds
 * as there are columns every two of them meet.
 */
export function oneSidedText(
  problem: EighProblem,
  config: OneSidedConfig,
  bindings: readonly Binding[],
): string {
  const { n } = problem;
  const shape = lanesFor(n, config.split);
  const { lanes, playing, quads } = shape;
  const talk = talkOf(shape, config);
  return lines(
    talk.enables,
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, PORT_TYPES),
    talk.declarations,
    // Whether a subgroup meets is seen to by the text: it leaves loops together.
    config.exchange === "subgroup" && "@diagnostic(off, subgroup_uniformity)",
    `@compute @workgroup_size(${config.workgroup})`,
    block(
      `fn main(${GROUP_BUILTINS}, ${talk.builtins})`,
      talk.begin,
      `let item = ${linearGroup()} * ${formatU32(config.workgroup / lanes)} + slot;`,
      "let present = item < extents.items;",
      load(shape),
      prepare(shape, talk),
      "var done = !present || !finite;",
      "var sweeps = 0u;",
      "var xx = 0.0f;",
      "var yy = 0.0f;",
      "var both = 0.0f;",
      block(
        `for (var sweep = 0u; sweep < ${MOST_SWEEPS}u; sweep += 1u)`,
        // Squared lengths are kept up to date through a sweep and made afresh before the next.
        `xx = ${dots(quads, "x", "x")};`,
        `yy = ${dots(quads, "y", "y")};`,
        talk.reducePair(sum("xx"), sum("yy")),
        "var most = 0.0f;",
        "var largest = 0.0f;",
        block(
          `for (var round = 0u; round < ${formatU32(playing)}; round += 1u)`,
          turnColumns(quads, "x", "y", "!done", talk),
          playing > 1 && [
            talk.shift("right", registers(quads, "x"), "xx"),
            // The last thread holds the two ends of the line, which do not meet.
            turnColumns(quads, "y", "x", `!done && pair < ${formatU32(playing - 1)}`, talk),
            talk.shift("left", registers(quads, "x"), "xx"),
          ],
        ),
        talk.reduce({ name: "most", by: "max", type: "f32" }, { name: "largest", by: "max", type: "f32" }),
        block(
          "if (!done)",
          "sweeps += 1u;",
          // What a sweep leaves is what it met times its largest turn: small turns converge quadratically.
          `done = most * largest * largest <= ${DONE};`,
        ),
        talk.leaveWhenAllDone,
      ),
      finish(problem, shape, talk),
    ),
  );
}

/** Columns of a thread and the index of each. */
const COLUMNS = [
  ["x", "jx"],
  ["y", "jy"],
] as const;

/** Loads columns 2 pair and 2 pair + 1 of the symmetric matrix whose lower triangle is given; elements beyond it are zero. */
function load(shape: Lanes): Text {
  const { rows: n, split } = shape;
  return [
    "let jx = 2u * pair;",
    "let jy = 2u * pair + 1u;",
    "let start = item * extents.matrix;",
    COLUMNS.map(([column, j]) => [
      registers(shape.quads, column).map((name) => `var ${name} = vec4f();`),
      block(
        `if (present && ${j} < ${formatU32(n)})`,
        elements(shape, column).map((one) =>
          within(
            n,
            one,
            split,
            `${one.name} = matrices[start + max(${one.at}, ${j}) * extents.row + min(${one.at}, ${j})];`,
          ),
        ),
      ),
    ]),
  ];
}

/** Scales by the largest element, bounds the spectrum, and shifts it to be positive: `finite`, `up` and `shift` stay. */
function prepare(shape: Lanes, talk: Talk): Text {
  const { rows: n, quads } = shape;
  const all = COLUMNS.flatMap(([column]) => elements(shape, column));
  const here = (j: string): string => `${j} < ${formatU32(n)}`;
  return [
    "var peak = 0u;",
    all.map(({ name }) => `peak = max(peak, ${magnitudeBits(name)});`),
    talk.reduce({ name: "peak", by: "max", type: "u32" }),
    `let finite = peak < ${NOT_FINITE};`,
    scaling("peak"),
    COLUMNS.map(([column]) => registers(quads, column).map((name) => `${name} *= down;`)),
    // Of each column the diagonal element and the sum of magnitudes.
    COLUMNS.map(([column, j]) => [
      `var d${column} = 0.0f;`,
      `var r${column} = 0.0f;`,
      elements(shape, column).map(({ name, at }) => [
        `r${column} += abs(${name});`,
        `if (${at} == ${j}) { d${column} = ${name}; }`,
      ]),
    ]),
    talk.reducePair(sum("dx"), sum("dy"), sum("rx"), sum("ry")),
    "var trace = select(0.0f, dx + dy, row == 0u);",
    talk.reduce(sum("trace")),
    `let mean = trace / ${n}.0f;`,
    // All eigenvalues lie within Gershgorin's discs, and within the Frobenius norm of A - mean of the mean.
    `var squares = ${dots(quads, "x", "x")} + ${dots(quads, "y", "y")};`,
    "var low = mean;",
    "var high = mean;",
    COLUMNS.map(([column, j]) =>
      block(
        `if (${here(j)})`,
        `let radius = r${column} - abs(d${column});`,
        `low = min(low, d${column} - radius);`,
        `high = max(high, d${column} + radius);`,
        block(
          "if (row == 0u)",
          // The diagonal's part by its distance to the mean.
          `squares += (d${column} - mean) * (d${column} - mean) - d${column} * d${column};`,
        ),
      ),
    ),
    talk.reduce(
      sum("squares"),
      { name: "low", by: "min", type: "f32" },
      { name: "high", by: "max", type: "f32" },
    ),
    "let reach = sqrt(max(squares, 0.0f));",
    "low = max(low, mean - reach);",
    "high = min(high, mean + reach);",
    `let shift = low - max(${SHARE} * (high - low), ${LEAST});`,
    COLUMNS.map(([column, j]) =>
      elements(shape, column).map((one) =>
        within(n, one, shape.split, `if (${one.at} == ${j}) { ${one.name} -= shift; }`),
      ),
    ),
  ];
}

/** Lengths and directions of the columns, in ascending order. */
function finish(problem: EighProblem, shape: Lanes, talk: Talk): Text {
  const { rows: n, quads, split } = shape;
  const count = formatU32(n);
  return [
    COLUMNS.map(([column]) => `${column}${column} = ${dots(quads, column, column)};`),
    talk.reducePair(sum("xx"), sum("yy")),
    COLUMNS.map(([column]) => [
      `let length${column} = sqrt(${column}${column});`,
      `let value${column} = select(length${column} + shift, ${BEHIND}, length${column} == 0.0f);`,
    ]),
    "let values2 = vec2f(valuex, valuey);",
    "var placex = 0u;",
    "var placey = 0u;",
    talk.everyPair("values2", [
      "if (other.x < valuex || (other.x == valuex && o < pair)) { placex += 1u; }",
      "if (other.y < valuex || (other.y == valuex && o < pair)) { placex += 1u; }",
      "if (other.x < valuey || (other.x == valuey && o <= pair)) { placey += 1u; }",
      "if (other.y < valuey || (other.y == valuey && o < pair)) { placey += 1u; }",
    ]),
    COLUMNS.map(([column, j]) => [
      // Comparisons with NaN hold for none: those matrices keep their order.
      `let spot${column} = select(${j}, place${column}, finite);`,
      block(
        `if (present && pair < ${formatU32(Math.ceil(n / 2))} && spot${column} < ${count})`,
        block(
          "if (row == 0u)",
          `values[item * ${count} + spot${column}] = select(${NAN_BITS}, bitcast<u32>(value${column} * up), finite);`,
        ),
        problem.vectors === "yes" && [
          `let start${column} = item * ${formatU32(n * n)} + spot${column};`,
          `let unit${column} = 1.0f / length${column};`,
          elements(shape, column).map((one) =>
            within(
              n,
              one,
              split,
              `vectors[start${column} + ${one.at} * ${count}] = select(${NAN_BITS}, bitcast<u32>(${one.name} * unit${column}), finite);`,
            ),
          ),
        ],
      ),
    ]),
    block(
      "if (present && lane == 0u)",
      `let ending = select(select(${STATUS.unconverged}u, ${STATUS.converged}u, done), ${STATUS.nonFinite}u, !finite);`,
      "status[item] = vec2u(ending, sweeps);",
      countEnding("ending"),
    ),
    talk.reportSweeps,
  ];
}
