import { type PairOutcome, type PairRequest, type SideReport, UNKNOWN_PAIR } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import type { Attended } from "../src/attend.ts";
import { lostSide, pairThrough } from "../src/pair.ts";

const side = { source: {}, algorithm: "only", config: {} };
const request: PairRequest = {
  ...{
    operation: "double",
    problem: {},
    sides: { base: side, candidate: side },
    executor: "shared",
    seeds: [1],
  },
  ...{ oracleSample: 1, straddle: true, timing: { kind: "none" }, force: false, control: false },
};
const report = (status: SideReport["status"], more: Partial<SideReport> = {}): SideReport => ({
  ...{ status, variant: "only", planHash: "0123", seeds: [] },
  ...more,
});
const answer = (sides: PairOutcome["sides"]): Attended<PairOutcome> => ({
  answer: { ...UNKNOWN_PAIR, sides },
});
const death = (guilty: "base" | "candidate" | undefined): Attended<PairOutcome> => ({
  failure: { kind: "deadline", phase: "verify", milliseconds: 2_000 },
  subject: undefined,
  guilty: guilty && { side: guilty, subject: { variant: "only", planHash: "0123" } },
});

/** Answers in turn, and keeps which side each request was for. */
function hosts(...answers: readonly Attended<PairOutcome>[]) {
  const asked: (string | undefined)[] = [];
  const ask = async ({ only }: PairRequest): Promise<Attended<PairOutcome>> => {
    asked.push(only);
    return answers[asked.length - 1]!;
  };
  return { asked, ask };
}

describe("a pair over hosts that may die", () => {
  it("is asked for once when both sides report", async () => {
    const { asked, ask } = hosts(answer({ base: report("ok"), candidate: report("wrong") }));
    const { sides } = await pairThrough(request, ask);
    expect(sides).toMatchObject({ base: { status: "ok" }, candidate: { status: "wrong" } });
    expect(asked).toEqual([undefined]);
  });

  it("names the side that took the host with it and asks for the other alone", async () => {
    const { asked, ask } = hosts(death("candidate"), answer({ base: report("ok") }));
    const { sides } = await pairThrough(request, ask);
    expect(sides.candidate).toMatchObject({ status: "hung", planHash: "0123" });
    expect(sides.candidate?.reason).toMatch(/no answer in phase verify after 2 s/);
    expect(sides.base).toMatchObject({ status: "ok" });
    expect(asked).toEqual([undefined, "base"]);
  });

  it("ends when both sides kill their hosts", async () => {
    const { asked, ask } = hosts(death("base"), death("candidate"));
    const { sides } = await pairThrough(request, ask);
    expect([sides.base?.status, sides.candidate?.status]).toEqual(["hung", "hung"]);
    expect(asked).toEqual([undefined, "candidate"]);
  });

  it("does not hold a lost device against the side that had no turn", async () => {
    const lost = answer({ base: report("device-lost") });
    expect(lostSide("answer" in lost ? lost.answer : UNKNOWN_PAIR)).toBe("base");
    const { asked, ask } = hosts(lost, answer({ candidate: report("ok") }));
    const { sides } = await pairThrough(request, ask);
    expect([sides.base?.status, sides.candidate?.status]).toEqual(["device-lost", "ok"]);
    expect(asked).toEqual([undefined, "candidate"]);
  });

  it("asks for no other side than the one that was wanted", async () => {
    const { asked, ask } = hosts(death("base"));
    const { sides } = await pairThrough({ ...request, only: "base" }, ask);
    expect(Object.keys(sides)).toEqual(["base"]);
    expect(asked).toEqual(["base"]);
  });

  it("blames the machine when a host fails before either side's code ran", async () => {
    const { ask } = hosts(death(undefined));
    await expect(pairThrough(request, ask)).rejects.toThrow(/before either side of double ran/);
  });
});
