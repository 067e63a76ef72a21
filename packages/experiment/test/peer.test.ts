import type { SessionEvidence, SessionSink, TrialOutcome } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import {
  CORE_CEILING,
  checkDefinition,
  completed,
  type Experiment,
  experimentFiles,
  HOST_ALGORITHM,
  judgeClaim,
  needsCeilings,
  parseResult,
  runSlots,
  runsOf,
  schedule,
  serialiseResult,
  standingOf,
  withRun,
} from "../src/index.ts";
import { evidence, experiment, NAME, named, operation, run } from "./made.ts";

const core = {
  ...{ name: "core", algorithm: HOST_ALGORITHM, peer: "fft.js", config: {}, problem: { n: 2 } },
} as const;
const wide = { name: "wide", algorithm: "plain", config: { width: 4, pad: 0 } };
const CLAIM = { text: "half of the core's share", figure: "share", of: "wide", over: "core", predicted: 0.5 };
const WITH_CORE: Partial<Experiment> = { arms: () => [wide, core], claims: [CLAIM as never] };

/** A session in which the device's multiply-adds are 1000 and the core's 10 FLOP/s, or more in a later round. */
function measured(us: (arm: string, round: number) => number): SessionEvidence {
  const made = evidence([named(WITH_CORE)], us);
  return {
    ...made,
    events: [
      ...made.events,
      { kind: "ceilings", at: "2026-11-30T05:00:00Z", ceilings: { fmaFlopsPerSecond: 1000 } },
    ],
    trials: made.trials.map((trial) =>
      trial.algorithm === HOST_ALGORITHM
        ? {
            ...trial,
            variant: "host/fft.js",
            planHash: "",
            metrics: { [CORE_CEILING]: trial.sequence < 4 ? 9 : 10 },
            work: { flops: 2, bytes: 1, items: 2 },
          }
        : { ...trial, work: { flops: 100, bytes: 1, items: 8 } },
    ),
  };
}

describe("an arm that is a peer's", () => {
  it("is a definition like another, without parameters and under the CPU's algorithm", async () => {
    const check = async (arm: object): Promise<void> => {
      const whole = await completed(
        named({ ...WITH_CORE, arms: () => [wide, arm as typeof core] }),
        operation,
      );
      expect(whole.experiment.arms({ n: 8 }, "software")[1]).toEqual(arm);
      await checkDefinition(whole, operation);
    };
    await check(core);
    await expect(check({ ...core, config: { width: 1 } })).rejects.toThrow(
      "arm core: a peer has no parameters",
    );
    await expect(check({ ...core, algorithm: "plain" })).rejects.toThrow(
      "arm core: a peer's algorithm is host",
    );
    await expect(check({ ...core, problem: { n: 0 } })).rejects.toThrow("arm core: scale: n is 0");
  });

  it("is measured on the CPU in its turn, after the device's multiply-adds", async () => {
    const slots = schedule([named(WITH_CORE)], "hardware", 2);
    const said: string[] = [];
    const outcome = (by: string): TrialOutcome => ({ variant: by }) as TrialOutcome;
    const sink: SessionSink = {
      session: "01M8NJP7H4341XK7RTPXBHPT83",
      trial: async ({ variant }) => void said.push(variant),
      event: async ({ kind }) => void said.push(kind),
      close: async () => {},
    };
    const bench = {
      noise: async () => ({}),
      ceilings: async (kinds: readonly string[]) => said.push(`${kinds}`),
      measure: async () => outcome("device"),
    };
    const clock = { now: () => 0, timestamp: () => "" };
    const options = {
      ...{ slots, clock, ceilings: needsCeilings(named(WITH_CORE).experiment) },
      peer: async (program: string, { problem }: { problem: object }) =>
        outcome(`${program} ${JSON.stringify(problem)}`),
    };
    await runSlots(bench as never, sink, options);
    const peer = 'fft.js {"n":2}';
    const trials = ["device", peer, peer, "device"];
    expect(said).toEqual(["noise", "fma", "ceilings", ...trials, "finished"]);
    const { peer: _, ...without } = options;
    await expect(runSlots(bench as never, sink, without)).rejects.toThrow("arm core: no peers");
  });

  it("keeps its core's best ceiling and the machine's CPU, and its variant tells whether it is the one asked for", async () => {
    const one = runsOf(
      measured(() => 1e6),
      [named(WITH_CORE)],
    ).get(NAME)!;
    expect(one.cpu).toBe("EPYC");
    expect(one.arms.map(({ flops, ceilingFlopsPerSecond }) => [flops, ceilingFlopsPerSecond])).toEqual([
      [100, 1000],
      [2, 10],
    ]);
    const result = withRun(undefined, NAME, one);
    expect(parseResult(serialiseResult(result), "result.json")).toEqual(result);
    const standing = (program: string) =>
      standingOf(named({ ...WITH_CORE, arms: () => [wide, { ...core, peer: program }] }), one, {
        operation,
        epoch: 1,
      });
    expect((await standing("fft.js")).mismatches).toEqual([]);
    expect((await standing("fftw")).mismatches).toEqual([
      "arm core measured host/fft.js, and the definition has host/fftw",
    ]);
  });
});

describe("a claim about shares", () => {
  it("compares FLOP/s over each one's own ceiling, round by round", () => {
    // 100 FLOPs in 1 s of 1000 FLOP/s are a tenth; 2 in 1 s of 10 are a fifth.
    const one = runsOf(
      measured((_, round) => 1e6 * (1 + round / 100)),
      [named(WITH_CORE)],
    ).get(NAME)!;
    const judged = judgeClaim(CLAIM as never, one);
    expect(judged.ratio).toBeCloseTo(0.5, 6);
    expect(judged.verdict).toBe("kept");
    const slower = runsOf(
      measured((arm) => (arm === "wide" ? 4e6 : 1e6)),
      [named(WITH_CORE)],
    ).get(NAME)!;
    expect(judgeClaim(CLAIM as never, slower).ratio).toBeCloseTo(0.125, 6);
  });

  it("is on the page with rates and ceilings, and other experiments' pages have no such columns", async () => {
    const page = async (result: ReturnType<typeof runsOf>, of = WITH_CORE): Promise<string> =>
      (await experimentFiles(named(of), withRun(undefined, NAME, result.get(NAME)!))).get("README.md")!;
    const text = await page(
      runsOf(
        measured(() => 1e6),
        [named(WITH_CORE)],
      ),
    );
    expect(text).toContain("Peers on one core of EPYC.");
    expect(text).toMatch(/\| core \| `host\/fft.js` \|.*\| 2.00 FLOP\/s \| 10.0 FLOP\/s \| 20.0% \|/);
    expect(text).toMatch(/\| wide \|.*\| 100 FLOP\/s \| 1.00 kFLOP\/s \| 10.0% \|/);
    const plain = await page(
      runsOf(
        evidence([named()], () => 5),
        [named()],
      ),
      {},
    );
    expect(plain).not.toMatch(/share|Peers/);
  });

  it("is not measured where a ceiling is missing", () => {
    const one = run({ narrow: [1, 1], wide: [1, 1] });
    const claim = { ...experiment().claims[0]!, figure: "share" } as const;
    expect(judgeClaim(claim, one)).toMatchObject({
      verdict: "not measured",
      why: "narrow has no measured ceiling",
    });
  });
});
