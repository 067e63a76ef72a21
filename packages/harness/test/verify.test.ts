import { Fault } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { CaseCache } from "../src/cases.ts";
import { type Known, type Opened, verify as verifyOpened, witness } from "../src/opened.ts";
import { failureOf, verifyCases } from "../src/verify.ts";
import { sameBits } from "../src/words.ts";
import { fakeCase, fakeInstance, PORTS } from "./fake-instance.ts";
import { toySuite } from "./toy.ts";

const LOOK = { operation: "double", ports: PORTS, sample: 4 };
const NO_PROBES = { probes: {} };
const ACCURACY = { bound: 1e-6, measure: "relative error" };
const cases = [1, 5, 9].map((seed) => fakeCase(seed));
const verify = (instance = fakeInstance(cases[0]!.inputs), given = cases) =>
  verifyCases(
    instance,
    given.map((one) => () => one),
    LOOK,
    ACCURACY,
  );

describe("verification", () => {
  it("poisons, runs and reads for every seed, with its own inputs", async () => {
    const instance = fakeInstance(cases[0]!.inputs);
    const { verdict, failure, seeds } = await verify(instance);
    expect(failure).toBeUndefined();
    expect(seeds).toEqual([1, 5, 9]);
    expect(verdict).toMatchObject({ matched: 12, total: 12, sampled: 12, maxError: 0 });
    const round = ["poison", "run", "read"];
    expect(instance.log).toEqual([...round, "write", ...round, "write", ...round]);
  });

  it("is not fooled by an input on which a wrong variant happens to be right", async () => {
    // Adds the first seed's values instead of doubling: right on seed 1 only.
    const lucky = fakeInstance(cases[0]!.inputs, (x, out) => out.set(x.map((v, i) => v + [1, 2, 3, 4][i]!)));
    const { failure, seeds } = await verify(lucky);
    expect(failure).toMatchObject({ status: "wrong", reason: "seed 5: 0/4 right" });
    expect(seeds).toEqual([1, 5]);
  });

  it("finds words that were never written, even where the oracle looks away", async () => {
    const lenient = [fakeCase(1, () => ({ matched: 4 }))];
    const half = fakeInstance(lenient[0]!.inputs, (x, out) => out.set([2 * x[0]!, 2 * x[1]!]));
    const { failure, verdict } = await verify(half, lenient);
    expect(failure?.status).toBe("wrong");
    expect(verdict).toMatchObject({ matched: 3, detail: "2 of 4 words of port out were never written" });
  });

  it("takes NaN errors for infinite ones", async () => {
    const { failure, verdict } = await verify(undefined, [fakeCase(1, () => ({ maxError: Number.NaN }))]);
    expect(verdict.maxError).toBe(Number.POSITIVE_INFINITY);
    expect(failure).toMatchObject({ status: "inaccurate" });
  });

  it("blames a suite that throws, not the variant", async () => {
    const broken = fakeCase(1, () => {
      throw new Error("no float64 here");
    });
    const failure = await verify(undefined, [broken]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Fault);
    expect(failure).toMatchObject({ kind: "data", message: "the suite of double failed: no float64 here" });
  });
});

describe("what the last timed submission left", () => {
  /** A trial of one seed whose instance writes `spoilt` over its outputs in the second run, and how often its oracle was asked. */
  async function witnessed(spoilt?: readonly number[]) {
    let asked = 0;
    const one = fakeCase(1, () => {
      asked += 1;
      return {};
    });
    const instance = fakeInstance(one.inputs, (x, out, run) =>
      out.set(run > 0 && spoilt ? spoilt : x.map((v) => 2 * v)),
    );
    const suite = { operation: { name: "double", ports: () => PORTS, accuracy: ACCURACY } };
    const request = { problem: {}, oracleSample: 4 };
    const bench = { context: { onPhase: () => {} } };
    const subject = { plan: { batch: { items: 4 } } };
    const opened = { bench, suite, request, subject, cases: [() => one], instance } as unknown as Opened;
    const known = { status: "ok" } as unknown as Known;
    const timeable = {
      sample: () => instance.run(),
      get last() {
        return NO_PROBES;
      },
    };
    const right = await verifyOpened(opened, known);
    const stands = await witness(opened, known, timeable as never, 1, right);
    return { stands, asked, known, right };
  }

  it("is not judged again when it is word by word what was right before", async () => {
    const { stands, asked, known, right } = await witnessed();
    expect(right).toEqual({ out: Float32Array.of(2, 4, 6, 8) });
    expect({ stands, asked, status: known.status }).toEqual({ stands: true, asked: 1, status: "ok" });
  });

  it("is judged when a single word differs, bit by bit", async () => {
    const spoilt = await witnessed([2, 4, 6, 8.5]);
    expect(spoilt).toMatchObject({ stands: false, asked: 2 });
    expect(spoilt.known).toMatchObject({ status: "wrong", reason: "after 1 timed repeats: 3/4 right" });
    // Words that are other bits of the same number, such as -0, are other words.
    expect(sameBits({ out: Float32Array.of(0) }, { out: Float32Array.of(-0) })).toBe(false);
    expect(sameBits({ out: Float32Array.of(Number.NaN) }, { out: Float32Array.of(Number.NaN) })).toBe(true);
    expect(sameBits({ out: Float32Array.of(1, 2) }, { out: Float32Array.of(1) })).toBe(false);
    expect(sameBits({ a: Float32Array.of(1) }, { b: Float32Array.of(1) })).toBe(false);
  });
});

describe("a verdict", () => {
  const verdict = { matched: 5, total: 5, sampled: 5, maxError: 1e-7, nearTies: 2 };

  it("is no failure when all are right within the bound", () => {
    expect(failureOf(verdict, ACCURACY)).toBeUndefined();
  });

  it("over nothing proves nothing", () => {
    expect(failureOf({ ...verdict, matched: 0, total: 0 }, ACCURACY)).toMatchObject({ status: "wrong" });
  });

  it("that is right but over the bound is inaccurate, with both numbers", () => {
    expect(failureOf({ ...verdict, maxError: 3e-6 }, ACCURACY)).toEqual({
      status: "inaccurate",
      reason: "relative error 3.00e-6 is over the bound 0.000001",
    });
  });
});

describe("inputs and oracles", () => {
  it("are computed once for a problem and seed, and dropped with the problem", () => {
    const suite = toySuite();
    const cache = new CaseCache();
    const [small, large] = [{ n: 4 }, { n: 8 }];
    const first = cache.get(suite, small, 1);
    expect(cache.get(suite, { ...small }, 1)).toBe(first);
    cache.get(suite, small, 2);
    expect(suite.counts).toMatchObject({ inputs: 2, oracles: 2 });
    cache.get(suite, large, 1);
    expect(cache.get(suite, small, 1)).not.toBe(first);
    expect(suite.counts.inputs).toBe(4);
  });

  it("of many seeds do not pile up: the oldest goes", () => {
    const suite = toySuite();
    const cache = new CaseCache();
    for (let seed = 0; seed < 20; seed += 1) cache.get(suite, { n: 4 }, seed);
    cache.get(suite, { n: 4 }, 19);
    expect(suite.counts.inputs).toBe(20);
    cache.get(suite, { n: 4 }, 0);
    expect(suite.counts.inputs).toBe(21);
  });
});
