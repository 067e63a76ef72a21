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
import { range } from "../../codelets.ts";
import { exchangeWords } from "../../exchange.ts";
import { inputPosition, outputPosition, positionText, type Shape } from "../../passes.ts";
import { memoryExchanges } from "../../shuffle.ts";
import { registers, stageDeclaration, transformText } from "../../transform.ts";
import type { TransformOptions } from "../../transform-options.ts";
import { exchangeFor, shapeFor, shuffleNeeds } from "../../transform-space.ts";
import { TWIDDLE_TABLE, tableType } from "../../twiddles.ts";
import { type OneWorkgroupConfig, widthFor } from "./space.ts";

/**
 * The kernel: thread t of transform `side` in the workgroup loads its points, transforms and stores them. Where transforms share a
 * workgroup, those past the end of the batch repeat the last item, because every thread must reach every barrier, and store nothing.
 */
export function oneWorkgroupText(
  n: number,
  config: OneWorkgroupConfig,
  options: TransformOptions,
  bindings: readonly Binding[],
): string {
  const { transforms, workgroup, loads } = config;
  const shape = shapeFor(n, config, widthFor(config));
  const exchange = exchangeFor(config);
  const shared = transforms > 1;
  const words = exchangeWords(shape, exchange);
  const points = loads === "vector" ? `array<array<vec4f, ${n / 2}>>` : `array<array<vec2f, ${n}>>`;
  const { text } = transformText(shape, options, shared ? { stageIndex: (slot) => `base + ${slot}` } : {});
  const stores = storeText(shape, loads, "item");
  return lines(
    shuffleNeeds(config).features.map((feature) => `enable ${feature};`),
    extentsStruct(),
    bindingDeclarations(bindings, {
      input: points,
      output: points,
      [TWIDDLE_TABLE]: tableType(shape, options),
    }),
    stageDeclaration(shape, exchange, transforms),
    `@compute @workgroup_size(${workgroup * transforms})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) ${shared ? "lane" : "t"}: u32)`,
      shared
        ? [
            `let first = ${linearGroup()} * ${formatU32(transforms)};`,
            "if (first >= extents.items) { return; }",
            `let side = lane / ${formatU32(workgroup)};`,
            `let t = lane % ${formatU32(workgroup)};`,
            memoryExchanges(shape) > 0 && `let base = side * ${formatU32(words)};`,
            "let item = first + side;",
            "let source = min(item, extents.items - 1u);",
          ]
        : [`let item = ${linearGroup()};`, "if (item >= extents.items) { return; }"],
      loadText(shape, loads, shared ? "source" : "item"),
      text,
      shared ? block("if (item < extents.items)", stores) : stores,
    ),
  );
}

const at = (offset: number): string => (offset ? `t + ${formatU32(offset)}` : "t");

/** Every register from `input[item]`. */
function loadText(shape: Shape, loads: OneWorkgroupConfig["loads"], item: string): Text[] {
  const first = shape.passes[0]!;
  const names = registers(shape);
  const position = (r: number): number => inputPosition(shape, first, 0, r);
  if (loads === "scalar") return names.map((x, r) => `var ${x} = input[${item}][${at(position(r))}];`);
  return pairs(shape, first.radix).flatMap(([a, b]) => [
    `let v${a} = input[${item}][${at(position(a) / 2)}];`,
    `var x${a} = v${a}.xy;`,
    `var x${b} = v${a}.zw;`,
  ]);
}

/** Every register to `output[item]`. */
function storeText(shape: Shape, loads: OneWorkgroupConfig["loads"], item: string): Text[] {
  const last = shape.passes.at(-1)!;
  const position = (r: number): number => outputPosition(shape, last, 0, r);
  if (loads === "scalar") {
    return registers(shape).map(
      (x, r) => `output[${item}][${positionText(shape, last, "output", r)}] = ${x};`,
    );
  }
  return pairs(shape, last.radix).map(
    ([a, b]) => `output[${item}][${at(position(a) / 2)}] = vec4f(x${a}, x${b});`,
  );
}

/** Registers that hold neighbouring positions of a pass of width 2: equal points of an even butterfly and the next. */
function pairs(shape: Shape, radix: number): (readonly [number, number])[] {
  return range(shape.points)
    .filter((r) => Math.floor(r / radix) % 2 === 0)
    .map((r) => [r, r + radix] as const);
}
