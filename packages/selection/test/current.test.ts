import { type Operation, planHash } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { currentEvidence, fold } from "../src/index.ts";
import { BIG, BOUNDS, quiet, scale, session, trial } from "./made.ts";

const plain = await scale.algorithms.plain!();
const measured = async (workgroup: number, us: number, epoch = 1) => {
  const config = { workgroup };
  const hash = await planHash(plain.plan({ n: 64 }, config, BIG));
  return trial(hash, us, { variant: `plain/workgroup=${workgroup}`, config, epoch });
};
const evidence = [session("01KBA0000000000000000000AA", [await measured(64, 30), await measured(128, 20)])];

/** The operation after somebody changed the text of the variants with 128 invocations. */
const edited: Operation = {
  ...scale,
  algorithms: {
    plain: async () => ({
      ...plain,
      plan: (problem, config, capabilities) => {
        const plan = plain.plan(problem, config, capabilities);
        if (config.workgroup !== 128) return plan;
        return { ...plan, modules: plan.modules.map((one) => ({ ...one, wgsl: `${one.wgsl} // better` })) };
      },
    }),
  },
};

describe("evidence that the code still stands for", () => {
  it("is all of it while nothing changed", async () => {
    expect(await currentEvidence(evidence, [scale], { scale: 1 })).toEqual({
      sessions: evidence,
      changed: 0,
    });
  });

  it("loses exactly the variants whose text changed, before anything is ranked", async () => {
    const { sessions, changed } = await currentEvidence(evidence, [edited], { scale: 1 });
    expect(changed).toBe(1);
    expect(fold(evidence, { bounds: BOUNDS })[0]!.entries[0]!.rows[0]!.config.workgroup).toBe(128);
    const rows = fold(sessions, { bounds: BOUNDS })[0]!.entries[0]!.rows;
    expect(rows.map(({ rank, config }) => [rank, config.workgroup])).toEqual([[1, 64]]);
  });

  it("counts a variant once, however often and in however many sessions it was measured", async () => {
    const again = session("01KBA0000000000000000000AB", [...evidence[0]!.trials, await measured(128, 21)]);
    expect((await currentEvidence([...evidence, again], [edited], {})).changed).toBe(1);
  });

  it("loses everything of another epoch, and what can no longer be planned", async () => {
    const { sessions, changed } = await currentEvidence(evidence, [scale], { scale: 2 });
    expect([sessions[0]!.trials, changed]).toEqual([[], 2]);
    const narrow: Operation = { ...scale, algorithms: {} };
    expect((await currentEvidence(evidence, [narrow], { scale: 1 })).changed).toBe(2);
  });

  it("keeps what was refused before it was planned, and operations that nobody named", async () => {
    const refused = session("01KBA0000000000000000000AC", [
      trial("", 1, { status: "refused", planHash: "", config: { workgroup: 128 } }),
    ]);
    expect((await currentEvidence([refused], [edited], { scale: 1 })).changed).toBe(0);
    expect((await currentEvidence(evidence, [], {})).changed).toBe(0);
  });
});

it("a session that went on with other code has that code's commit in its table", () => {
  const resumed = { kind: "resumed", at: "2026-11-30T06:00:00Z", toolVersion: "0.1.0" } as const;
  const events = [quiet, { ...resumed, commit: "newer", dirty: true }];
  const [one] = evidence;
  expect(fold([{ ...one!, events }], { bounds: BOUNDS })[0]!.commit).toBe("newer+dirty");
  expect(fold([{ ...one!, events: [quiet] }], { bounds: BOUNDS })[0]!.commit).toBe(
    "commit-01KBA0000000000000000000AA",
  );
});
