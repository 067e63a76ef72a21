import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { PortData } from "@tunelab/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { embeddedDriver } from "../../devices/src/embedded.ts";
import { POISON_WORD } from "../src/index.ts";
import { deltaInputs, LAYER, MATRICES, PAIRS, plantedLag, symmetric } from "./gpu/inputs.ts";

/** What the child found, by scenario; `child.ts` runs them all in a process of its own. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of another process, whose shape each test asserts
const found = new Map<string, any>();

/** The embedded software GPU comes for x64 Linux alone. */
const embedded = process.platform === "linux" && process.arch === "x64";

beforeAll(async () => {
  if (!embedded) return;
  const child = new URL("gpu/child.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx"), child],
    { env: { ...process.env, ...(await embeddedDriver()) }, maxBuffer: 64 * 2 ** 20, timeout: 25_000 },
  );
  for (const line of stdout.trim().split("\n")) {
    const { name, result } = JSON.parse(line);
    found.set(name, result);
  }
}, 30_000);

const result = (scenario: string) => {
  const value = found.get(scenario);
  expect(value?.failed, scenario).toBeUndefined();
  expect(value, scenario).toBeDefined();
  return value;
};

describe.runIf(embedded)("plans on the embedded software GPU", () => {
  it("a fused matched filter finds every planted peak, whole and in pieces, with the same bits", () => {
    const { fused } = result("matchedFilters");
    expect(fused).toMatchObject({ same: true, pieces: 4, converged: true });
    for (let pair = 0; pair < PAIRS.pairs; pair++) {
      const [d, template] = [pair % PAIRS.data, Math.floor(pair / PAIRS.data) % PAIRS.templates];
      if (template !== 0) continue;
      expect(fused.outputs.index[pair]).toBe(plantedLag(d, PAIRS.n));
      expect(fused.outputs.peak[pair * 4 + 2]).toBeCloseTo(PAIRS.n, 1);
    }
  });

  it("an indirect dispatch refines the survivors and no other, and the probe adds up over pieces", () => {
    const { hierarchical, fused } = result("matchedFilters");
    expect(hierarchical).toMatchObject({ same: true, pieces: 4 });
    const survivors = hierarchical.outputs.index.filter((index: number) => index !== 0xffffffff).length;
    expect(survivors).toBeGreaterThan(0);
    expect(survivors).toBeLessThan(PAIRS.pairs);
    for (let d = 0; d < PAIRS.data; d++) expect(hierarchical.outputs.index[d]).toBe(plantedLag(d, PAIRS.n));
    expect(hierarchical.probes).toEqual({ "found.survivors": survivors });
    expect(hierarchical.cutProbes).toEqual(hierarchical.probes);
    for (const [pair, index] of hierarchical.outputs.index.entries()) {
      if (index !== 0xffffffff) expect(index).toBe(fused.outputs.index[pair]);
    }
  });

  it.each(["scalar", "block"])("the %s algorithm diagonalises every matrix in a host-driven loop", (form) => {
    const { [form]: run } = result("eigenvalues");
    expect(run).toMatchObject({ same: true, pieces: 3, converged: true });
    expect(run.probes["report.unfinished"]).toBe(0);
    expect(run.probes["report.offNorm"]).toBeGreaterThan(0);
    expect(run.probes["report.offNorm"]).toBeLessThanOrEqual(1e-12);
    expect(run.probes["report.iterations"]).toBe(Math.max(...run.outputs.iterations));
    expect(largestResidual(run.outputs)).toBeLessThan(1e-5);
  });

  it("a loop that reaches its bound says that it did not converge", () => {
    expect(result("eigenvalues").stopped).toBe(false);
  });

  it("repeated steps run as often as they say, in order, each with its index: learning, cut over submissions, and encoded", () => {
    const { learnt, cut, encoded, pieces, submissions, converged } = result("repeated");
    const wanted = Array.from({ length: 192 }, (_, i) =>
      [0, 1, 2, 3, 4].reduce((y, pass) => 3 * y + pass, i),
    );
    expect(learnt).toEqual(wanted);
    expect(cut).toEqual(wanted);
    expect(encoded).toEqual(wanted);
    expect(pieces).toBe(3);
    // What restores y, then two repeats of three pieces, five passes each, every pass over the budget by itself.
    expect(submissions).toBe(31);
    expect(converged).toBe(true);
  });

  it("repeated steps with more passes than a submission has queries are timed over several", () => {
    const y = [4200, 4201, 4202, 4203];
    expect(result("manyPasses")).toEqual({ total: [y, 2100], stages: [y, 4200], learning: [y, 4200] });
  });

  it("state is carried from piece to piece with the same bits as in one", () => {
    expect(result("carriedState").blocked).toMatchObject({ same: true, pieces: 4 });
  });

  it("variants that promise the same bits keep them in intermediates too", () => {
    expect(result("carriedState").parity).toEqual([true, true]);
  });

  it("the recurrence agrees with float64", () => {
    const reference = deltaReference(deltaInputs(LAYER));
    const worst = Math.max(...reference.map((value, i) => Math.abs(value - result("carriedState").o[i])));
    expect(worst).toBeLessThan(1e-5);
  });

  it("group counts over 65,535 are folded and every index is visited once", () => {
    // [distinct hit counts..., indexes written wrong]; repeats start from the pristine copy, so two of them still hit once
    expect(result("foldedGroups")).toEqual({ 65535: [1, 0], 65536: [1, 0], 131073: [1, 0] });
  });

  it("repeats share one pass unless a restore stands between; stages have passes of their own", () => {
    expect(result("passTimes")).toMatchObject({
      none: [],
      oneForAll: ["total 0"],
      restored: ["total 0", "total 1"],
      stages: ["pre 0", "scan 0", "post 0", "pre 1", "scan 1", "post 1"],
      submissions: [1, 1, 1, 1],
      ordered: true,
    });
  });

  it("a kernel of unknown cost starts small and grows; from then on it runs by what it costs", () => {
    const { before, first, submissions, after, second } = result("gradualGrowth");
    expect(before).toEqual({ pieces: 1, itemsPerPiece: 4096, boundBy: "whole" });
    expect(first).toEqual([64, 512, 3520]);
    expect(submissions).toBe(3);
    expect(after).toEqual(before);
    expect(second).toEqual([4096]);
  });

  it("what a run leaves unwritten stays poisoned, and other inputs can be written", () => {
    expect(result("poisonAndWrite")).toEqual({
      first: [POISON_WORD, 2, POISON_WORD, 4],
      second: [8, POISON_WORD, POISON_WORD, POISON_WORD],
    });
  });

  it("a caller's inout buffer goes on from what it holds, by run and by encode", () => {
    expect(result("callersBuffers")).toEqual({ y: [26, 46, 66, 86], state: [13, 23, 33, 43] });
  });

  it("once-steps run once; copies and clears mean the piece's own range", () => {
    const { pieces, y, same } = result("onceCopyClear");
    expect(pieces).toEqual({ pieces: 2, itemsPerPiece: 64, boundBy: "time" });
    const expected = Array.from({ length: 70 }, (_, i) => i + (i % 64 === 1 ? 21 : i % 64 === 2 ? 31 : 0));
    expect(y).toEqual(expected);
    expect(same).toBe(true);
  });
});

/** max |A v - lambda v| over all eigenpairs. */
function largestResidual(outputs: Record<"values" | "vectors", readonly number[]>): number {
  const { n, matrices } = MATRICES;
  const a = symmetric(n, matrices);
  let worst = 0;
  for (let item = 0; item < matrices; item++) {
    const at = (row: number, column: number): number => (item * n + row) * n + column;
    for (let j = 0; j < n; j++) {
      for (let row = 0; row < n; row++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += a[at(row, k)]! * outputs.vectors[at(k, j)]!;
        worst = Math.max(worst, Math.abs(sum - outputs.values[item * n + j]! * outputs.vectors[at(row, j)]!));
      }
    }
  }
  return worst;
}

/** The layer's scan in float64, token by token, from raw inputs. */
function deltaReference(inputs: PortData): readonly number[] {
  const { heads, d, tokens } = LAYER;
  const channels = 3 * heads * d;
  const past = (t: number, channel: number): number =>
    t >= 0 ? inputs.qkv![t * channels + channel]! : inputs.history![(t + 3) * channels + channel]!;
  const state = Float64Array.from(inputs.state!);
  const out: number[] = [];
  for (let t = 0; t < tokens; t++) {
    const x = Array.from({ length: channels }, (_, c) => {
      let sum = 0;
      for (let tap = 0; tap < 4; tap++) sum += past(t - 3 + tap, c) * inputs.kernel![c * 4 + tap]!;
      return sum / (1 + Math.exp(-sum));
    });
    const row = (index: number, unit: boolean): number[] => {
      const part = x.slice(index * d, (index + 1) * d);
      const norm = unit ? Math.sqrt(part.reduce((sum, value) => sum + value * value, 1e-6)) : 1;
      return part.map((value) => value / norm);
    };
    for (let head = 0; head < heads; head++) {
      const [q, k, v] = [row(head, true), row(heads + head, true), row(2 * heads + head, false)];
      const decay = Math.exp(inputs.gates![(t * heads + head) * 2]!);
      const beta = inputs.gates![(t * heads + head) * 2 + 1]!;
      for (let column = 0; column < d; column++) {
        const at = (i: number): number => (head * d + i) * d + column;
        let recalled = 0;
        for (let i = 0; i < d; i++) {
          state[at(i)]! *= decay;
          recalled += state[at(i)]! * k[i]!;
        }
        let sum = 0;
        for (let i = 0; i < d; i++) {
          state[at(i)]! += k[i]! * beta * (v[column]! - recalled);
          sum += state[at(i)]! * q[i]!;
        }
        out.push(sum);
      }
    }
  }
  return out;
}
