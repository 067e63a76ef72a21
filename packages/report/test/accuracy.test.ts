import type { SessionEvidence, TuningTable } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { accuracySection, decidingParameter, type Erring, erringOf } from "../src/accuracy.ts";
import { Page } from "../src/page.ts";

const ACCURACY = { accuracy: { bound: 2e-6, measure: "relative error" } };

const erring = (config: Erring["config"], error: number, n = 64, algorithm = "fused"): Erring => ({
  ...{ key: `n=${n}`, problem: { n }, algorithm, config, error },
});

/** Twiddles decide, and radix 8 happens to have been tried with sines most of the time. */
const MIXED: readonly Erring[] = [
  erring({ radix: 4, twiddles: "table" }, 1e-7),
  erring({ radix: 4, twiddles: "table" }, 1.5e-7, 256),
  erring({ radix: 4, twiddles: "direct" }, 2e-4),
  erring({ radix: 8, twiddles: "direct" }, 1e-4),
  erring({ radix: 8, twiddles: "direct" }, 3e-4, 256),
  erring({ radix: 8, twiddles: "table" }, 2e-7, 256),
];

describe("the parameter that decides how exact a variant is", () => {
  it("is the one that explains the errors, and not one that came with it", () => {
    expect(decidingParameter(MIXED)).toBe("twiddles");
    // Padding 32 was tried once, with sines: it explains more than twiddles do, and decides nothing.
    const padded = MIXED.map((one, at) => ({
      ...one,
      config: { ...one.config, padding: at === 4 ? 32 : 0 },
    }));
    const worse = padded.map((one, at) => (at === 4 ? { ...one, error: 0.1 } : one));
    expect(decidingParameter(worse)).toBe("twiddles");
    expect(
      decidingParameter(worse.filter(({ config }) => config.twiddles === "table" || config.padding === 32)),
    ).toBeUndefined();
  });

  it("is none where errors are alike, or where there is one value, or one trial of each", () => {
    expect(decidingParameter(MIXED.filter(({ config }) => config.twiddles === "table"))).toBeUndefined();
    expect(decidingParameter([])).toBeUndefined();
    expect(decidingParameter(MIXED.slice(0, 1))).toBeUndefined();
    expect(
      decidingParameter([MIXED[0]!, { ...MIXED[2]!, config: { radix: 8, twiddles: "direct" } }]),
    ).toBeUndefined();
  });
});

describe("the section on it", () => {
  const textOf = (all: readonly Erring[]): string => {
    const page = new Page("x");
    accuracySection(page, all, ACCURACY as never);
    return page.markdown();
  };

  it("has the largest error of each value, problem by problem, with the bound", () => {
    const text = textOf(MIXED);
    expect(text).toContain("a table takes what keeps to 0.000002");
    expect(text).toContain("| algorithm | value | trials | n=64 | n=256 |");
    expect(text).toContain("| `fused` | `twiddles=direct` | 3 | 2.0e-4 | 3.0e-4 |");
    expect(text).toContain("| `fused` | `twiddles=table` | 3 | 1.0e-7 | 2.0e-7 |");
  });

  it("is not there where nothing decides", () => {
    expect(textOf(MIXED.slice(0, 1))).not.toContain("How exact");
  });
});

describe("the trials behind it", () => {
  const identity = { device: "gpu", compiler: "tint", backend: "vulkan", description: "gpu", vendor: "v" };
  const table = {
    ...{ operation: "toy", epoch: 1, sessions: ["A"], profile: "portable", device: { identity } },
  } as unknown as TuningTable;
  const trial = (more: object) => ({
    ...{ operation: "toy", epoch: 1, problem: { n: 64 }, algorithm: "fused", config: { a: 1 } },
    ...{ status: "ok", verdict: { matched: 4, total: 4, maxError: 1e-7 }, ...more },
  });
  const session = (id: string, trials: readonly object[], profile = "portable") =>
    ({ header: { id, profile, device: { identity } }, trials }) as unknown as SessionEvidence;
  const errorsOf = (...evidence: readonly SessionEvidence[]): readonly number[] =>
    erringOf(table, evidence, ({ config }) => config).map(({ error }) => error);

  it("are the inaccurate ones too, and none that is wrong, unverified, of another operation, epoch, session or profile", () => {
    const inaccurate = trial({ status: "inaccurate", verdict: { matched: 4, total: 4, maxError: 1e-4 } });
    const others = [
      trial({ verdict: { matched: 3, total: 4, maxError: 1 } }),
      trial({ verdict: undefined }),
      trial({ verdict: { matched: 4, total: 4, maxError: Number.POSITIVE_INFINITY } }),
      trial({ operation: "other" }),
      trial({ epoch: 2 }),
    ];
    expect(errorsOf(session("A", [trial({}), inaccurate, ...others]))).toEqual([1e-7, 1e-4]);
    expect(errorsOf(session("B", [trial({})]), session("A", [trial({})], "native"))).toEqual([]);
  });
});
