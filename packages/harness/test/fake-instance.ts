import type { Port, PortData, Verdict } from "@tunelab/contract";
import { type Instance, POISON_WORD, type Run } from "@tunelab/executor";
import type { Case } from "../src/cases.ts";

/** An instance that doubles `x` into `out` in plain code, logs what is asked of it, and can be made to misbehave. */
export interface FakeInstance extends Instance {
  readonly log: string[];
}

export const PORTS: readonly Port[] = [
  { name: "x", dtype: "f32", shape: [4], role: "in", doc: "" },
  { name: "out", dtype: "f32", shape: [4], role: "out", doc: "" },
];

export function fakeInstance(
  first: PortData,
  compute: (x: Float32Array, out: Float32Array, run: number) => void = (x, out) =>
    out.set(x.map((v) => 2 * v)),
): FakeInstance {
  const log: string[] = [];
  let x = first.x as Float32Array;
  const out = new Float32Array(4);
  let runs = 0;
  return {
    log,
    cut: { pieces: 1, itemsPerPiece: 1, boundBy: "whole" },
    write: (ports) => {
      log.push("write");
      x = ports.x as Float32Array;
    },
    poison: () => {
      log.push("poison");
      new Uint32Array(out.buffer).fill(POISON_WORD);
    },
    run: async (): Promise<Run> => {
      log.push("run");
      compute(x, out, runs++);
      return { passes: [], wallMs: 1, submissions: 1, probes: {}, converged: true };
    },
    read: async () => {
      log.push("read");
      return { out: out.slice() };
    },
    recut: () => {},
    encode: () => {},
    dispose: () => {},
  };
}

export function fakeCase(seed: number, judge?: (outputs: PortData) => Partial<Verdict>): Case {
  const x = Float32Array.from([seed, seed + 1, seed + 2, seed + 3]);
  return {
    seed,
    inputs: { x },
    oracle: {
      check: (outputs) => {
        const matched = x.filter((value, i) => outputs.out![i] === 2 * value).length;
        return { matched, total: 4, sampled: 4, maxError: 0, nearTies: 0, ...judge?.(outputs) };
      },
    },
  };
}
