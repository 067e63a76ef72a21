import { DEFAULT_CAPABILITIES, planHash } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import {
  type ExperimentRun,
  experimentFiles,
  parseResult,
  type RunStanding,
  serialiseResult,
  standingOf,
  withoutRun,
  withRun,
} from "../src/index.ts";
import { NAME, named, operation, plain, run } from "./made.ts";

const NEWER = "01M8NK35J90W05MHZT83MKSP67";

/** A run of the made definition, as the code plans it. */
async function measured(more: Partial<ExperimentRun> = {}): Promise<ExperimentRun> {
  const hash = await planHash(plain.plan({ n: 4096 }, { width: 1, pad: 0 }, DEFAULT_CAPABILITIES));
  const made = run(
    { narrow: [20, 20, 20, 20, 20, 20], wide: [10, 10, 10, 10, 10, 10] },
    { epoch: 1, ...more },
  );
  const widths: Readonly<Record<string, number>> = { narrow: 1, wide: 4 };
  return {
    ...made,
    arms: made.arms.map((arm) => ({
      ...arm,
      planHash: hash,
      variant: `plain/width=${widths[arm.name]},pad=0`,
    })),
  };
}
const context = { operation, epoch: 1, capabilities: DEFAULT_CAPABILITIES };
const none: RunStanding = { mismatches: [], stale: [] };

describe("a run", () => {
  it("stands while its arms are the definition's and its plans are what the code plans", async () => {
    expect(await standingOf(named(), await measured(), context)).toEqual(none);
  });

  it("whose kernel plans otherwise now, or whose suite has another epoch, is stale; without capabilities nobody can say", async () => {
    const old = await measured();
    const changed = {
      ...old,
      arms: old.arms.map((arm) => ({ ...arm, planHash: arm.name === "wide" ? "old" : arm.planHash })),
    };
    expect(await standingOf(named(), changed, context)).toEqual({
      mismatches: [],
      stale: ["the kernels of wide have changed since"],
    });
    expect(await standingOf(named(), changed, { operation, epoch: 1 })).toEqual(none);
    expect((await standingOf(named(), old, { ...context, epoch: 2 })).stale).toEqual([
      "measured at epoch 1, and the suite is at 2",
    ]);
  });

  it("of another variant, problem or set of arms no longer matches its definition", async () => {
    const one = await measured();
    const other = (change: Partial<ExperimentRun["arms"][number]>) => ({
      ...one,
      arms: one.arms.map((arm) => (arm.name === "wide" ? { ...arm, ...change } : arm)),
    });
    const mismatch = async (changed: ExperimentRun) =>
      (await standingOf(named(), changed, context)).mismatches;
    expect(await mismatch(other({ variant: "plain/width=2,pad=0" }))).toEqual([
      "arm wide measured plain/width=2,pad=0, and the definition has plain/width=4,pad=0",
    ]);
    expect(await mismatch(other({ variant: "plain/colour=2" }))).toHaveLength(1);
    expect(await mismatch(other({ problem: { n: 8 } }))).toEqual([
      'arm wide measured {"n":8}, and the definition has {"n":4096}',
    ]);
    expect(await mismatch({ ...one, arms: one.arms.slice(0, 1) })).toEqual([
      "it has the arms narrow, and the definition narrow, wide",
    ]);
    // The same variant with its parameters in another order is the same.
    expect(await mismatch(other({ variant: "plain/pad=0,width=4" }))).toEqual([]);
    // An id that is older than a parameter says nothing of it: the plan does.
    expect(await mismatch(other({ variant: "plain/width=4" }))).toEqual([]);
    expect(await mismatch(other({ variant: "" }))).toHaveLength(1);
  });

  it("says on its page that it is stale or answers another question", async () => {
    const result = withRun(undefined, NAME, await measured());
    const standing = {
      mismatches: ["arm wide measured <b>"],
      stale: ["the kernels of wide have changed since"],
    };
    const files = await experimentFiles(named(), result, new Map([[result.runs[0]!.session, standing]]));
    const page = files.get("README.md")!;
    expect(page).toContain(
      "**Not what the definition asks for:** arm wide measured &lt;b&gt;; run it again.",
    );
    expect(page).toContain("**Stale:** the kernels of wide have changed since; run it again.");
    expect(page).toContain("| kept | not what the definition asks for |");
  });
});

describe("a run that no longer counts", () => {
  it("stays, struck through with the reason: superseded by a newer one, or retracted", async () => {
    const first = await measured();
    const superseded = withRun(withRun(undefined, NAME, first), NAME, await measured({ session: NEWER }));
    expect(superseded.withdrawn).toEqual([{ reason: `superseded by session ${NEWER}`, run: first }]);
    const gone = withoutRun(superseded, NEWER, "the fan | had stopped");
    expect([gone.runs.length, gone.withdrawn!.length]).toEqual([0, 2]);
    expect(parseResult(serialiseResult(gone), "result.json")).toEqual(gone);
    const page = (await experimentFiles(named(), gone)).get("README.md")!;
    expect(page).toMatch(new RegExp(`\\| ~~NVIDIA H200~~ .*~~superseded by session ${NEWER}~~`));
    expect(page).toContain("~~retracted: the fan \\| had stopped~~");
    expect(page).toContain("Not measured yet.");
  });

  it("does not come back when its journal is taken in again; one of no session, or without a reason, is refused", async () => {
    const first = await measured();
    const gone = withoutRun(withRun(undefined, NAME, first), first.session, "wrong card");
    expect(withRun(gone, NAME, first)).toBe(gone);
    expect(() => withoutRun(gone, first.session, "again")).toThrow(/has no run of session .*: it has none/);
    expect(() => withoutRun(withRun(undefined, NAME, first), first.session, " ")).toThrow("needs a reason");
  });

  it("leaves what the document itself reports beside the prediction, as theirs", async () => {
    const claims = [
      { ...named().experiment.claims[0]!, theirs: { ratio: 2.71, device: "Radeon 8060S" } },
      { ...named().experiment.claims[0]!, text: "another" },
    ];
    const page = (await experimentFiles(named({ claims }), withRun(undefined, NAME, await measured()))).get(
      "README.md",
    )!;
    expect(page).toContain("| claim | figure | predicted | theirs, in the document |");
    expect(page).toContain(
      "| narrow takes twice wide | time of narrow over wide | 2.00x | 2.71x (Radeon 8060S) |",
    );
    expect(page).toContain("| another | time of narrow over wide | 2.00x | -- |");
    expect(page).toContain(
      "| narrow takes twice wide | 2.00x | 2.71x (Radeon 8060S) | 2.00x | 2.00x to 2.00x | kept |",
    );
  });
});
