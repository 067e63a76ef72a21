import { codelet, range, type Sign } from "./codelets.ts";
import { type Complex, evaluate } from "./complex.ts";
import { type ExchangeOptions, layoutOf, readPlace, writePlace } from "./exchange.ts";
import { inputPosition, outputPosition, registerOf, type Shape, twiddleTurn } from "./passes.ts";

/**
 * Runs a whole workgroup on the CPU by the same index functions that the WGSL is printed from: registers of every thread,
 * exchanges through a staging array chunk by chunk. Shape [n] in, natural order out, unnormalised.
 * @throws Error when a reader finds a slot that nobody wrote in its chunk, or two writers share one.
 */
export function simulate(
  shape: Shape,
  exchange: ExchangeOptions,
  sign: Sign,
  input: readonly Complex[],
  round: (x: number) => number = (x) => x,
): Complex[] {
  const threads = range(shape.threads);
  const every = range(shape.points);
  let held = threads.map((t) => every.map((r) => input[inputPosition(shape, shape.passes[0]!, t, r)]!));
  for (const [index, pass] of shape.passes.entries()) {
    const code = codelet(pass.radix, sign);
    held = threads.map((t) => {
      const mine = [...held[t]!];
      for (const b of range(shape.points / pass.radix)) {
        const inputs = range(pass.radix).map((m): Complex => {
          const [re, im] = mine[registerOf(pass, b, m)]!;
          const { k, of } = twiddleTurn(shape, pass, t, b, m);
          const angle = (sign * 2 * Math.PI * k) / of;
          const [c, s] = [round(Math.cos(angle)), round(Math.sin(angle))];
          return k === 0 ? [re, im] : [round(re * c - im * s), round(re * s + im * c)];
        });
        for (const [m, value] of evaluate(code, inputs, round).entries())
          mine[registerOf(pass, b, m)] = value;
      }
      return mine;
    });
    const next = shape.passes[index + 1];
    if (!next) continue;
    const layout = layoutOf(shape, pass, next, exchange);
    const received = threads.map(() => new Array<Complex>(shape.points));
    for (const chunk of range(layout.chunks)) {
      const stage = new Map<number, Complex>();
      for (const t of threads) {
        for (const r of every) {
          const place = writePlace(layout, t, r);
          if (place.chunk !== chunk) continue;
          if (stage.has(place.slot)) throw new Error(`two writers of slot ${place.slot} in chunk ${chunk}`);
          stage.set(place.slot, held[t]![r]!);
        }
      }
      for (const t of threads) {
        for (const r of every) {
          const place = readPlace(layout, t, r);
          if (place.chunk !== chunk) continue;
          const value = stage.get(place.slot);
          if (!value) throw new Error(`nobody wrote slot ${place.slot} in chunk ${chunk}`);
          received[t]![r] = value;
        }
      }
    }
    held = received;
  }
  const last = shape.passes.at(-1)!;
  const output = new Array<Complex>(shape.n);
  for (const t of threads) for (const r of every) output[outputPosition(shape, last, t, r)] = held[t]![r]!;
  return output;
}
