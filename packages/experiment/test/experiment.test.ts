import type { TrialOutcome } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import {
  checkDefinition,
  completed,
  experimentFiles,
  overviewText,
  parseResult,
  runSlots,
  runsOf,
  schedule,
  serialiseResult,
  withRun,
} from "../src/index.ts";
import { evidence, experiment, NAME, named, operation, run } from "./made.ts";

const arm = (name: string, config = {}, algorithm = "plain") => ({ name, algorithm, config });

describe("a definition", () => {
  const WRONG: readonly (readonly [string, Parameters<typeof experiment>[0], RegExp])[] = [
    ["no question", { question: " " }, /has no question/],
    ["no claim", { claims: [] }, /claims nothing/],
    [
      "an unknown arm",
      { claims: [{ ...experiment().claims[0]!, of: "huge" }] },
      /huge, which is no arm: there is narrow, wide/,
    ],
    ["no ratio", { claims: [{ ...experiment().claims[0]!, predicted: 0 }] }, /predicts 0, which is no ratio/],
    [
      "no difference and no band",
      { claims: [{ ...experiment().claims[0]!, predicted: 1 }] },
      /say within which fraction/,
    ],
    ["an empty band", { claims: [{ ...experiment().claims[0]!, within: 0 }] }, /allows 0/],
    [
      "one arm",
      { arms: () => [arm("narrow")], claims: [{ ...experiment().claims[0]!, over: "narrow" }] },
      /compares nothing/,
    ],
    ["two arms of a name", { arms: () => [arm("narrow"), arm("narrow")] }, /two arms are named narrow/],
    [
      "an unknown algorithm",
      { arms: () => [arm("narrow", {}, "magic")] },
      /no algorithm "magic": it has plain/,
    ],
    ["an unknown value", { arms: () => [arm("narrow", { width: 3 })] }, /arm narrow: width cannot be 3/],
    ["a bad problem", { problems: { software: { n: 0 }, hardware: { n: 1 } } }, /scale: n is 0/],
  ];
  it.each(WRONG)("with %s is refused in one line that names it", async (_what, more, says) => {
    const failure = await completed(named(more), operation)
      .then((whole) => checkDefinition(whole, operation))
      .then(
        () => undefined,
        (error: Error) => error,
      );
    expect(failure?.message).toMatch(says);
    expect(failure?.message).toContain(NAME);
    expect(failure?.message.split("\n")).toHaveLength(1);
  });

  it("in a folder of another name is refused, and a right one passes", async () => {
    await expect(checkDefinition({ ...named(), name: "width" }, operation)).rejects.toThrow("yyyy-mm-dd");
    await checkDefinition(named(), operation);
  });

  it("takes the default of each parameter that an arm does not name", async () => {
    const whole = await completed(named({ arms: () => [arm("narrow", { width: 2 })] }), operation);
    expect(whole.experiment.arms({ n: 8 }, "software")[0]!.config).toEqual({ width: 2, pad: 8 });
  });
});

describe("a schedule", () => {
  it("measures every arm once a round, forwards and backwards in turn, and proves it first", () => {
    const slots = schedule([named()], "hardware", 3);
    expect(slots.map(({ arm: { name }, round }) => `${round} ${name}`)).toEqual([
      "0 narrow",
      "0 wide",
      "1 wide",
      "1 narrow",
      "2 narrow",
      "2 wide",
    ]);
    expect(slots.map(({ request }) => request.seeds.length)).toEqual([3, 3, 1, 1, 1, 1]);
    expect(slots[0]!.request).toMatchObject({ operation: "scale", problem: { n: 4096 }, grade: "screened" });
    expect(schedule([named()], "software", 1)[0]!.request.problem).toEqual({ n: 8 });
  });
});

describe("a session's runs", () => {
  const two = [named(), { name: "2026-11-30-other", experiment: experiment() }];

  it("hold every arm's time round by round, in the definition's order, for each experiment", () => {
    const runs = runsOf(
      evidence(two, (name, round) => (name === "wide" ? 10 : 20) + round),
      two,
    );
    expect([...runs.keys()]).toEqual([NAME, "2026-11-30-other"]);
    const { arms, rounds, device } = runs.get(NAME)!;
    expect([rounds, device]).toEqual([8, "NVIDIA H200"]);
    expect(arms.map(({ name }) => name)).toEqual(["narrow", "wide"]);
    expect(arms[1]!.timesUs).toEqual([10, 11, 12, 13, 14, 15, 16, 17]);
    expect(arms[0]!).toMatchObject({ error: 4e-7, matched: 4, total: 4, items: 4096, status: "ok" });
  });

  it("end with the last whole round, and an experiment without one has none", () => {
    const all = evidence(two, () => 10);
    const cut = { ...all, trials: all.trials.slice(0, 5) };
    const runs = runsOf(cut, two);
    expect([...runs.keys()]).toEqual([NAME]);
    expect(runs.get(NAME)!.rounds).toBe(2);
  });

  it("hold trials older than a parameter, which mean the value that ids without it mean", () => {
    const measured = evidence([named()], () => 10);
    const later = (implied: number, chosen: number) =>
      named({
        arms: () => [
          ...experiment()
            .arms({}, "software")
            .map((one) => ({
              ...one,
              config: { ...one.config, newer: chosen },
              implied: { newer: implied },
            })),
        ],
      });
    expect([...runsOf(measured, [later(0, 0)]).keys()]).toEqual([NAME]);
    expect(() => runsOf(measured, [later(0, 1)])).toThrow(/its definition changed since; run it again/);
  });

  it("refuse trials of a definition that has changed since, or of an experiment that is not here", () => {
    const measured = evidence([named()], () => 10);
    const changed = named({
      arms: () => [arm("narrow", { width: 2, pad: 0 }), arm("wide", { width: 4, pad: 0 })],
    });
    expect(() => runsOf(measured, [changed])).toThrow(/its definition changed since; run it again/);
    expect(() => runsOf(measured, [])).toThrow(`ran an experiment ${NAME}, which is not here`);
    const tuned = {
      ...measured,
      header: { ...measured.header, command: { ...measured.header.command, workload: "quick" } },
    };
    expect(() => runsOf(tuned, [named()])).toThrow("ran no experiments");
  });

  it("keep the failure of an arm that failed in any round", () => {
    const measured = evidence([named()], () => 10);
    const trials = measured.trials.map((trial) => {
      if (trial.sequence !== 1) return trial;
      const { timing: _, ...rest } = trial;
      return { ...rest, status: "inaccurate" as const, reason: "errs by 1e-3" };
    });
    const wide = runsOf({ ...measured, trials }, [named()]).get(NAME)!.arms[1]!;
    expect(wide).toMatchObject({ status: "inaccurate", reason: "errs by 1e-3" });
    expect(wide.timesUs).toEqual([null, 10, 10, 10, 10, 10, 10, 10]);
  });
});

describe("a result", () => {
  it("has one run a device and profile: a newer replaces an older, never the other way", () => {
    const first = run({ narrow: [1], wide: [1] });
    const newer = { ...first, session: "01M8NK35J90W05MHZT83MKSP67", rounds: 9 };
    const native = { ...first, profile: "native" as const };
    let result = withRun(undefined, NAME, first);
    result = withRun(withRun(result, NAME, newer), NAME, native);
    expect(result.runs.map(({ profile, rounds }) => [profile, rounds])).toEqual([
      ["native", 8],
      ["portable", 9],
    ]);
    expect(withRun(result, NAME, first).runs[1]!.rounds).toBe(9);
    const cut = { ...newer, session: "01M8NR35J90W05MHZT83MKSP67", rounds: 2 };
    expect(withRun(result, NAME, cut).runs[1]!.rounds).toBe(9); // an interrupted run replaces no whole one
    expect(parseResult(serialiseResult(result), "result.json")).toEqual(result);
  });

  it("that is no JSON, of a newer schema or of another shape is refused with its path", () => {
    expect(() => parseResult("{", "x/result.json")).toThrow("x/result.json is not JSON");
    expect(() => parseResult('{"schema": 3}', "x/result.json")).toThrow(
      "newer tunelab (schema 3, this one reads 2)",
    );
    expect(() => parseResult('{"schema": 1, "experiment": "a", "runs": [{}]}', "x/result.json")).toThrow(
      /x\/result.json is no experiment's result: runs.0/,
    );
  });
});

describe("an experiment's page", () => {
  it("has question, hypothesis, prediction, figures with intervals, verdict and picture; the same bytes again", async () => {
    const result = withRun(
      undefined,
      NAME,
      runsOf(
        evidence([named()], (name) => (name === "wide" ? 10 : 19)),
        [named()],
      ).get(NAME)!,
    );
    const files = await experimentFiles(named(), result);
    expect([...files.keys()]).toEqual(["README.md", "nvidia-h200-tint-vulkan-portable.svg"]);
    const page = files.get("README.md")!;
    for (const words of [
      "# Does width pay?",
      "Half the time.",
      "| narrow takes twice wide | 2.00x | 1.90x | 1.90x to 1.90x | kept |",
    ])
      expect(page).toContain(words);
    expect(page).toContain("![time of each arm, round by round](nvidia-h200-tint-vulkan-portable.svg)");
    expect(files.get("nvidia-h200-tint-vulkan-portable.svg")).toContain("time of one run");
    expect([...(await experimentFiles(named(), result))]).toEqual([...files]);
  });

  it("says that a few rounds bound nothing", async () => {
    const few = withRun(undefined, NAME, run({ narrow: [19, 19], wide: [10, 10] }));
    const page = (await experimentFiles(named(), few)).get("README.md")!;
    expect(page).toContain("| 1.90x | too few rounds for an interval | ");
    expect(page).not.toContain("unbounded");
  });

  it("says when nothing was measured, and draws nothing where no round gave a time", async () => {
    expect((await experimentFiles(named(), undefined)).get("README.md")).toContain("Not measured yet.");
    const none = withRun(undefined, NAME, run({ narrow: [null], wide: [null] }));
    const files = await experimentFiles(named(), none);
    expect([...files.keys()]).toEqual(["README.md"]);
    expect(files.get("README.md")).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("stands on the page of all beside what every device measured, with a dash where none did", () => {
    const measured = runsOf(
      evidence([named()], (name) => (name === "wide" ? 10 : 19)),
      [named()],
    ).get(NAME)!;
    const page = overviewText([
      { named: named(), result: withRun(undefined, NAME, measured) },
      { named: { ...named(), name: "2026-12-01-again" }, result: undefined },
    ]);
    expect(page).toContain(`## [Does width pay?](${NAME}/README.md)`);
    expect(page).toContain("| claim | predicted | theirs | NVIDIA H200, portable |");
    expect(page).toContain("| narrow takes twice wide | 2.00x | -- | 1.90x, kept |");
    expect(page.slice(page.indexOf("2026-12-01-again"))).toContain(
      "| narrow takes twice wide | 2.00x | -- | -- |",
    );
  });

  it("sets a device's name as text, whatever it says", async () => {
    const device = "GPU | <script>\n# x";
    const page = (
      await experimentFiles(named(), withRun(undefined, NAME, run({ narrow: [1], wide: [2] }, { device })))
    ).get("README.md")!;
    expect(page).not.toContain("<script");
    expect(page.match(/^# /gm)).toHaveLength(1);
  });
});

describe("a run", () => {
  const bench = (measure: () => Promise<TrialOutcome>) => ({
    measure,
    noise: async () => ({ kernel: "fma", samplesNs: [1], cv: 0, gateReachable: true }),
  });
  const sinkOf = (kept: unknown[]) => ({
    session: "01M8NJP7H4341XK7RTPXBHPT83",
    trial: async (trial: { id: string }) => void kept.push(trial.id.split(".")[1]),
    event: async (event: { kind: string }) => void kept.push(event.kind),
    close: async () => {},
  });
  const clock = { now: () => 0, timestamp: () => "2026-11-30T05:00:00Z" };

  it("makes each trial durable under its slot's number; an interruption is recorded and keeps them", async () => {
    const slots = schedule([named()], "software", 2);
    const kept: unknown[] = [];
    const controller = new AbortController();
    let measured = 0;
    const outcome = async (): Promise<TrialOutcome> => {
      if (++measured === 3) controller.abort();
      return { status: "ok" } as TrialOutcome;
    };
    const whole = await runSlots(bench(outcome) as never, sinkOf(kept) as never, {
      slots,
      clock,
      signal: controller.signal,
    });
    expect(whole).toBe(false);
    expect(kept).toEqual(["noise", "0", "1", "2", "interrupted"]);

    const all: unknown[] = [];
    const lefts: unknown[] = [];
    const progress = ({ leftMs }: { readonly leftMs?: number }): void => void lefts.push(typeof leftMs);
    expect(await runSlots(bench(outcome) as never, sinkOf(all) as never, { slots, clock, progress })).toBe(
      true,
    );
    expect(lefts).toEqual(["undefined", "number", "number", "number"]);
    expect(all).toEqual(["noise", "0", "1", "2", "3", "finished"]);
  });

  it("says of each experiment that it is measured before the next begins, and not of one that was cut short", async () => {
    const slots = schedule([named(), { ...named(), name: "2026-11-30-other" }], "software", 1);
    const kept: unknown[] = [];
    const outcome = async (): Promise<TrialOutcome> => ({ status: "ok" }) as TrialOutcome;
    const ended = async (name: string): Promise<void> => void kept.push(name);
    const options = { slots, clock, ended };
    expect(await runSlots(bench(outcome) as never, sinkOf(kept) as never, options)).toBe(true);
    expect(kept).toEqual(["noise", "0", "1", NAME, "2", "3", "2026-11-30-other", "finished"]);
    kept.length = 0;
    const controller = new AbortController();
    const { signal } = controller;
    const stopping = async (): Promise<TrialOutcome> => {
      if (kept.includes("1")) controller.abort();
      return { status: "ok" } as TrialOutcome;
    };
    expect(await runSlots(bench(stopping) as never, sinkOf(kept) as never, { ...options, signal })).toBe(
      false,
    );
    expect(kept).toEqual(["noise", "0", "1", NAME, "2", "interrupted"]);
  });
});
