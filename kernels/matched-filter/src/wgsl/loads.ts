import type { Constraint, Parameter } from "@tunelab/contract";
import {
  carriedBy,
  inputPosition,
  paired,
  positionText,
  range,
  type Shape,
  shapeOf,
  type TransformConfig,
} from "@tunelab/kernel-fft";
import { formatU32, type Text } from "@tunelab/variants";

/**
 * How spectra are read: complex numbers one by one, or neighbouring pairs of them. A storage load costs an NVIDIA GPU three
 * instructions of address and bounds beside it, whatever its width.
 */
export type Loads = "scalar" | "vector";

export const loadsParameter: Parameter = {
  name: "loads",
  values: ["scalar", "vector"],
  doc: "spectra and templates by complex numbers (vec2f) or by neighbouring pairs of them (vec4f), two neighbouring butterflies a thread",
  absent: "scalar",
};

type Loading = TransformConfig & { readonly loads?: Loads };

export const loadsConstraint = (n: number): Constraint<Loading> => ({
  name: "vectors-need-two-butterflies",
  doc: "a vec4f feeds two neighbouring butterflies of one thread: 2 radix <= n / workgroup",
  parameters: ["radix", "workgroup", "loads"],
  holds: ({ radix, workgroup, loads }) => loads !== "vector" || 2 * radix <= n / workgroup,
});

/** How a configuration's threads hold the transform. */
export function loadingShape(n: number, config: Loading): Shape {
  const shape = shapeOf(n, config.radix, config.workgroup);
  return carriedBy(config, config.loads === "vector" ? paired(shape) : shape);
}

/** WGSL type of a spectrum of n points. */
export const spectrumType = (n: number, loads: Loads = "scalar"): string =>
  loads === "vector" ? `array<vec4f, ${n / 2}>` : `array<vec2f, ${n}>`;

/**
 * Statements that set every register's point of the first pass from the spectrum `from`: `target(r)` is what to assign to. Registers
 * that are not `wanted` (the other of a pair neither) are left alone.
 */
export function loadText(
  shape: Shape,
  loads: Loads | undefined,
  from: string,
  target: (register: number) => string,
  temporary: string,
  wanted: (register: number) => boolean = () => true,
): Text[] {
  const first = shape.passes[0]!;
  const every = range(shape.points).filter(wanted);
  if (loads !== "vector") {
    return every.map((r) => `${target(r)} = ${from}[${positionText(shape, first, "input", r)}];`);
  }
  // Registers r and r + radix of an even butterfly and the next hold positions 2 i and 2 i + 1, i = t + a constant.
  return every
    .filter((r) => Math.floor(r / first.radix) % 2 === 0)
    .flatMap((r) => {
      const half = inputPosition(shape, first, 0, r) / 2;
      const index = half ? `t + ${formatU32(half)}` : "t";
      return [
        `let ${temporary}${r} = ${from}[${index}];`,
        `${target(r)} = ${temporary}${r}.xy;`,
        `${target(r + first.radix)} = ${temporary}${r}.zw;`,
      ];
    });
}
