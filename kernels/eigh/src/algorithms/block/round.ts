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
import type { EighProblem } from "../../problem.ts";
import { dots, elements, registers, sum, turnColumns, within } from "../../wgsl/columns.ts";
import { players } from "../../wgsl/pairs.ts";
import { talkOf } from "../../wgsl/talk.ts";
import { type BlockConfig, blocksOf, lanesFor } from "./space.ts";
import { STATE, stateAt, TYPES, throughText } from "./state.ts";

/**
 * One round of the blocks' tournament: the columns of every two blocks that meet are loaded whole, turned against one another in `inner` sweeps of the
 * odd-even order, and stored. A sweep leaves columns in reverse order; they are stored where they came from.
 */
export function roundText(problem: EighProblem, config: BlockConfig, bindings: readonly Binding[]): string {
  const { n } = problem;
  const shape = lanesFor(n, config);
  const { lanes, playing, quads, split } = shape;
  const blocks = blocksOf(n, config.block);
  const talk = talkOf(shape, config);
  const [size, perMatrix] = [formatU32(config.block), formatU32(blocks.pairs)];
  const columns = ["x", "y"] as const;
  const places = { x: "2u * pair", y: "2u * pair + 1u" } as const;
  const last = formatU32(2 * config.block - 1);
  /** Column of the matrix at a place of the line: the first block's, then the second's. */
  const column = (place: string): string =>
    `select((q * ${size}) + ${place} - ${size}, (p * ${size}) + ${place}, ${place} < ${size})`;
  const move = (name: "x" | "y", index: string, text: (element: string, at: string) => string): Text =>
    block(
      `if (going && ${index} < ${formatU32(n)} && pair < ${formatU32(playing)})`,
      `let start${name} = item * ${formatU32(n * n)} + ${index} * ${formatU32(n)};`,
      elements(shape, name).map((one) => within(n, one, split, text(one.name, `start${name} + ${one.at}`))),
    );
  return lines(
    talk.enables,
    extentsStruct(strides(problem)),
    bindingDeclarations(bindings, TYPES),
    talk.declarations,
    config.exchange === "subgroup" && "@diagnostic(off, subgroup_uniformity)",
    `@compute @workgroup_size(${config.workgroup})`,
    block(
      `fn main(${GROUP_BUILTINS}, ${talk.builtins})`,
      talk.begin,
      `let task = ${linearGroup()} * ${formatU32(config.workgroup / lanes)} + slot;`,
      `let item = task / ${perMatrix};`,
      `let k = task % ${perMatrix};`,
      `let round = extents.iteration % ${formatU32(blocks.rounds)};`,
      `let sweep = extents.iteration / ${formatU32(blocks.rounds)};`,
      "var going = item < extents.items;",
      block(
        "if (going)",
        `going = atomicLoad(&state[${stateAt("item", STATE.ending)}]) == 0u;`,
        block("if (sweep > 0u)", throughText("item", "(sweep - 1u)"), "going = going && !through;"),
      ),
      players("k", "", blocks),
      columns.map((name) => [
        `let j${name} = ${column(`(${places[name]})`)};`,
        registers(quads, name).map((register) => `var ${register} = vec4f();`),
        move(name, `j${name}`, (element, at) => `${element} = basis[${at}];`),
      ]),
      `var xx = ${dots(quads, "x", "x")};`,
      `var yy = ${dots(quads, "y", "y")};`,
      "var both = 0.0f;",
      "var most = 0.0f;",
      "var largest = 0.0f;",
      talk.reducePair(sum("xx"), sum("yy")),
      block(
        `for (var turn = 0u; turn < ${formatU32(playing * config.inner)}; turn += 1u)`,
        turnColumns(quads, "x", "y", "going", talk),
        talk.shift("right", registers(quads, "x"), "xx"),
        // The last thread holds the two ends of the line, which do not meet.
        turnColumns(quads, "y", "x", `going && pair < ${formatU32(playing - 1)}`, talk),
        talk.shift("left", registers(quads, "x"), "xx"),
      ),
      columns.map((name) => {
        const place = config.inner % 2 === 0 ? `(${places[name]})` : `(${last} - (${places[name]}))`;
        return [
          `let to${name} = ${column(place)};`,
          move(name, `to${name}`, (element, at) => `basis[${at}] = ${element};`),
        ];
      }),
      talk.reduce({ name: "most", by: "max", type: "f32" }, { name: "largest", by: "max", type: "f32" }),
      block(
        "if (going && lane == 0u)",
        `let mark = ${stateAt("item", STATE.marks)} + 2u * sweep;`,
        "atomicMax(&state[mark], bitcast<u32>(most));",
        "atomicMax(&state[mark + 1u], bitcast<u32>(largest));",
      ),
    ),
  );
}
