/**
 * Straight-line complex arithmetic as data: a codelet is built once as a list of operations, printed as WGSL over named
 * vec2f values, and evaluated in JavaScript, so that every codelet is tested against a float64 DFT without a GPU.
 */
export type Operation =
  | { readonly kind: "add" | "sub"; readonly a: number; readonly b: number }
  /** Times +i or -i: free but for a swap and a sign. */
  | { readonly kind: "rotate"; readonly a: number; readonly sign: 1 | -1 }
  /** Times the constant re + i im. */
  | { readonly kind: "scale"; readonly a: number; readonly re: number; readonly im: number }
  /** a + w b: two fused multiply-adds a part. */
  | { readonly kind: "add-product"; readonly a: number; readonly w: number; readonly b: number }
  /** a + (re + i im) b. */
  | {
      readonly kind: "add-scaled";
      readonly a: number;
      readonly b: number;
      readonly re: number;
      readonly im: number;
    }
  /** w a. */
  | { readonly kind: "product"; readonly a: number; readonly w: number }
  /** a conj(h). */
  | { readonly kind: "correlate"; readonly a: number; readonly h: number }
  /** a + b conj(h). */
  | { readonly kind: "add-correlate"; readonly a: number; readonly b: number; readonly h: number }
  /** 2 a - b: the difference of a butterfly from its sum b, one fused multiply-add a part. */
  | { readonly kind: "mirror"; readonly a: number; readonly b: number };

export interface Codelet {
  /** Values 0 .. inputs-1 are the inputs; operation k defines value inputs + k. */
  readonly inputs: number;
  readonly operations: readonly Operation[];
  /** Value of each output. */
  readonly outputs: readonly number[];
}

/** A complex number [re, im]. */
export type Complex = readonly [number, number];

/** Records operations in order. */
export class Builder {
  readonly inputs: number;
  readonly operations: Operation[] = [];

  constructor(inputs: number) {
    this.inputs = inputs;
  }

  add(a: number, b: number): number {
    return this.#push({ kind: "add", a, b });
  }

  sub(a: number, b: number): number {
    return this.#push({ kind: "sub", a, b });
  }

  rotate(a: number, sign: 1 | -1): number {
    return this.#push({ kind: "rotate", a, sign });
  }

  /** Times exp(sign 2 pi i k / n); eighths of a turn that are multiples of a quarter cost no multiplication. */
  twiddle(a: number, k: number, n: number, sign: 1 | -1): number {
    const turn = ((k % n) + n) % n;
    if (turn === 0) return a;
    if (turn * 4 === n) return this.rotate(a, sign);
    if (turn * 4 === 3 * n) return this.rotate(a, sign === 1 ? -1 : 1);
    const angle = (sign * 2 * Math.PI * turn) / n;
    return this.#push({ kind: "scale", a, re: Math.cos(angle), im: Math.sin(angle) });
  }

  product(a: number, w: number): number {
    return this.#push({ kind: "product", a, w });
  }

  addProduct(a: number, w: number, b: number): number {
    return this.#push({ kind: "add-product", a, w, b });
  }

  addScaled(a: number, b: number, re: number, im: number): number {
    return this.#push({ kind: "add-scaled", a, b, re, im });
  }

  correlate(a: number, h: number): number {
    return this.#push({ kind: "correlate", a, h });
  }

  addCorrelate(a: number, b: number, h: number): number {
    return this.#push({ kind: "add-correlate", a, b, h });
  }

  mirror(a: number, b: number): number {
    return this.#push({ kind: "mirror", a, b });
  }

  finish(outputs: readonly number[]): Codelet {
    return { inputs: this.inputs, operations: this.operations, outputs };
  }

  #push(operation: Operation): number {
    this.operations.push(operation);
    return this.inputs + this.operations.length - 1;
  }
}

/** Real instructions of each operation on a machine with fused multiply-add, where a swap and a sign are free. */
const INSTRUCTIONS: Readonly<Record<Operation["kind"], number>> = {
  add: 2,
  sub: 2,
  rotate: 0,
  scale: 4,
  product: 4,
  "add-product": 4,
  "add-scaled": 4,
  correlate: 4,
  "add-correlate": 4,
  mirror: 2,
};

/** Real instructions of a codelet. */
export function instructionsOf(codelet: Codelet): number {
  return codelet.operations.reduce((sum, { kind }) => sum + INSTRUCTIONS[kind], 0);
}

/** Runs a codelet; `round` is applied to every real result (Math.fround imitates the GPU, identity gives float64). */
export function evaluate(
  codelet: Codelet,
  inputs: readonly Complex[],
  round: (x: number) => number = (x) => x,
): Complex[] {
  const values: Complex[] = [...inputs];
  // A fused multiply-add rounds once: the product of two float32 is exact in float64.
  const plus = (a: Complex, [wr, wi]: Complex, [br, bi]: Complex): Complex => [
    round(round(a[0] + wr * br) - wi * bi),
    round(round(a[1] + wr * bi) + wi * br),
  ];
  for (const operation of codelet.operations) {
    const [re, im] = values[operation.a]!;
    switch (operation.kind) {
      case "add":
      case "sub": {
        const sign = operation.kind === "add" ? 1 : -1;
        const [bre, bim] = values[operation.b]!;
        values.push([round(re + sign * bre), round(im + sign * bim)]);
        break;
      }
      case "rotate":
        values.push([-operation.sign * im, operation.sign * re]);
        break;
      case "scale": {
        const [c, s] = [round(operation.re), round(operation.im)];
        values.push([round(re * c - im * s), round(re * s + im * c)]);
        break;
      }
      case "product":
        values.push(plus([0, 0], values[operation.w]!, [re, im]));
        break;
      case "add-product":
        values.push(plus([re, im], values[operation.w]!, values[operation.b]!));
        break;
      case "add-scaled":
        values.push(plus([re, im], [round(operation.re), round(operation.im)], values[operation.b]!));
        break;
      case "correlate":
      case "add-correlate": {
        const [hre, him] = values[operation.h]!;
        const sum = operation.kind === "correlate" ? ([0, 0] as const) : ([re, im] as const);
        const factor = operation.kind === "correlate" ? ([re, im] as const) : values[operation.b]!;
        values.push(plus(sum, [hre, -him], factor));
        break;
      }
      case "mirror": {
        const [bre, bim] = values[operation.b]!;
        values.push([round(2 * re - bre), round(2 * im - bim)]);
        break;
      }
    }
  }
  return codelet.outputs.map((output) => values[output]!);
}
