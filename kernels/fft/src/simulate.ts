import { codelet, fusedCodelet, range, type Sign } from "./codelets.ts";
import { type Complex, evaluate } from "./complex.ts";
import { type ExchangeOptions, layoutOf, readPlace, writePlace } from "./exchange.ts";
import { butterflyOf, inputPosition, outputPosition, type Pass, registerOf, type Shape } from "./passes.ts";
import { swapped } from "./shuffle.ts";
import { type Butterfly, factorsOf, factorValue } from "./twiddles.ts";

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
  butterfly: Butterfly = "split",
): Complex[] {
  const threads = range(shape.threads);
  const every = range(shape.points);
  let held = threads.map((t) => every.map((r) => input[inputPosition(shape, shape.passes[0]!, t, r)]!));
  for (const [index, pass] of shape.passes.entries()) {
    held = threads.map((t) => {
      const mine = [...held[t]!];
      for (const b of range(shape.points / pass.radix)) {
        const own = range(pass.radix).map((m) => registerOf(pass, b, m));
        const k = butterflyOf(shape, pass, t, b) % pass.before;
        const points = own.map((r) => mine[r]!);
        for (const [m, value] of compute(pass, points, k, sign, butterfly, round).entries()) {
          mine[own[m]!] = value;
        }
      }
      return mine;
    });
    const next = shape.passes[index + 1];
    if (!next) continue;
    if (next.handover) {
      held = swapped(held, next.handover);
      continue;
    }
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

/** One butterfly with twiddle index k, as `butterfly` computes it. */
function compute(
  pass: Pass,
  points: readonly Complex[],
  k: number,
  sign: Sign,
  butterfly: Butterfly,
  round: (x: number) => number,
): Complex[] {
  const twiddled = pass.before > 1;
  const factors = twiddled
    ? factorsOf(pass, { butterfly, sign, twiddles: "table" }).map((factor): Complex => {
        const [c, s] = factorValue(factor, k, sign);
        return [round(c), round(s)];
      })
    : [];
  if (butterfly !== "split") {
    const factored = butterfly === "fused" ? "twiddled" : "merged";
    return evaluate(
      fusedCodelet(pass.radix, sign, twiddled ? factored : "points"),
      [...points, ...factors],
      round,
    );
  }
  const turned = points.map(([re, im], m): Complex => {
    const factor = m ? factors[m - 1] : undefined;
    if (!factor) return [re, im];
    const [c, s] = factor;
    return [round(re * c - im * s), round(re * s + im * c)];
  });
  return evaluate(codelet(pass.radix, sign), turned, round);
}
