import type { MeasureRequest, SessionEvidence, StudyColumn, StudyTable } from "@tunelab/contract";
import { studyPage } from "@tunelab/report";
import { foldStudies, studyPlanOf, studyResult, takenOverOf } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { at, measured, study, texts, timed } from "./solver.ts";

const LATER = "01M8NK35J90W05MHZT83MKSP67";
const LAST = "01M8NMASMDQX6XWY47NVKRJAWF";
const ROWS = [at(32, 1), at(96, 64), at(256, 1)];
const table = (more: Partial<StudyTable> = {}): StudyTable => study({ rows: ROWS, budgetMs: 1e9, ...more });

/** A session that ended after so many cells, all of so many ms. */
async function cutAfter(cells: number, one = table(), ms = 5): Promise<SessionEvidence> {
  const controller = new AbortController();
  let count = 0;
  const answer = (): number => {
    if (++count === cells) controller.abort();
    return ms;
  };
  return (await measured(one, answer, { signal: controller.signal })).evidence;
}

const named = (asked: readonly MeasureRequest[]): readonly string[] =>
  asked.map(({ algorithm, problem }) => `${problem.n} ${algorithm}`);

const msOf = (evidence: SessionEvidence): readonly (readonly (number | undefined)[])[] =>
  studyResult(evidence, studyPlanOf(evidence)!).rows.map(({ cells }) =>
    cells.map(({ us }) => us && us / 1e3),
  );

describe("a study that goes on from a session that was cut off", () => {
  it("measures no row again that is whole there, and a row that is not as a whole", async () => {
    const from = await cutAfter(3);
    const { evidence, asked, taken, whole } = await measured(table(), () => 3, { from, id: LATER });
    expect(named(asked)).toEqual(["96 scalar", "96 block", "256 scalar", "256 block"]);
    expect(msOf(evidence)).toEqual([
      [5, 5],
      [3, 3],
      [3, 3],
    ]);
    expect([whole, taken!.again, taken!.changed]).toEqual([true, ["n=96,batch=64"], []]);
  });

  it("holds every cell under its own name, with the session, commit and id of those it took over, and replaces the older one whole", async () => {
    const from = await cutAfter(3);
    const { evidence } = await measured(table(), () => 3, { from, id: LATER });
    expect(evidence.trials.map(({ id }) => id).sort()).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => `${LATER}.${n}`),
    );
    const { id, commit } = from.header;
    const cells = [0, 1].map((sequence) => ({ sequence, from: `${id}.${sequence}` }));
    expect(takenOverOf(evidence)).toMatchObject([{ session: id, commit, cells }]);
    const [result, ...others] = foldStudies([from, evidence]);
    expect([result!.session, others.length]).toEqual([LATER, 0]);
    expect(result!.takenOver).toEqual([{ session: id, commit, rows: [0] }]);
    expect(studyPage(result!, { stale: [] }, "x").markdown()).toContain(
      `Of its 3 rows it took over, each whole, 1 from session \`${id}\` (commit \`${commit}\`); measured in this session: n=96,batch=64; n=256,batch=1.`,
    );
  });

  it("keeps the first origin of a cell that is taken over twice, and loses nothing where it is cut off itself before it measured", async () => {
    const first = await cutAfter(3);
    const stopped = AbortSignal.abort();
    const second = await measured(table(), () => 3, { from: first, id: LATER, signal: stopped });
    expect([second.whole, second.asked.length, second.evidence.trials.length]).toEqual([false, 0, 2]);
    const third = await measured(table(), () => 2, { from: second.evidence, id: LAST });
    expect(takenOverOf(third.evidence)).toMatchObject([
      {
        session: first.header.id,
        cells: [{ from: `${first.header.id}.0` }, { from: `${first.header.id}.1` }],
      },
    ]);
    expect(msOf(third.evidence)).toEqual([
      [5, 5],
      [2, 2],
      [2, 2],
    ]);
  });

  it("measures a row again of which a kernel changed, and names the cell", async () => {
    const from = await cutAfter(6);
    const block: StudyColumn = {
      name: "block",
      doc: "block pairs",
      variant: ({ n }) => ({ algorithm: "block", config: { inner: n === 96 ? 2 : 1 } }),
    };
    const now = table({ columns: [study().columns[0]!, block] });
    const { asked, taken } = await measured(now, () => 3, { from, id: LATER });
    expect(named(asked)).toEqual(["96 scalar", "96 block"]);
    expect([taken!.changed, taken!.again]).toEqual([["n=96,batch=64 block"], ["n=96,batch=64"]]);
  });

  it("takes nothing over of another epoch", async () => {
    const from = await cutAfter(6);
    const { asked, taken } = await measured(table(), () => 3, { from, id: LATER, epoch: 2 });
    expect([asked.length, taken!.rows.size, taken!.changed.length]).toEqual([6, 0, 6]);
  });

  it("finds rows by their problem and cells by their column where the study has more of them now", async () => {
    const from = await cutAfter(6);
    const more = table({ rows: [at(64, 1), ...ROWS], columns: [...study().columns].reverse() });
    const { evidence, asked } = await measured(more, ({ problem }) => Number(problem.n), { from, id: LATER });
    expect(named(asked)).toEqual(["64 block", "64 scalar"]);
    expect(msOf(evidence)[0]).toEqual([64, 64]);
    expect(evidence.trials.find(({ sequence }) => sequence === 2)!.algorithm).toBe("block");
  });

  it("takes a cell that was over the budget where it still is, and runs it where the budget has grown", async () => {
    const tight = table({ budgetMs: 2_000 });
    const first = await measured(tight, () => 500);
    expect(texts(studyResult(first.evidence, studyPlanOf(first.evidence)!))[1]!.slice(2, 4)).toEqual([
      "--",
      "--",
    ]);
    const same = await measured(tight, () => 3, { from: first.evidence, id: LATER });
    expect([same.asked.length, same.taken!.rows.size]).toEqual([0, 3]);
    const { asked } = await measured(table(), () => 3, { from: first.evidence, id: LATER });
    expect(named(asked)).toEqual(["96 scalar", "96 block", "256 scalar", "256 block"]);
  });

  it("measures a row again in which a host died, and takes one in which a kernel did not compile", async () => {
    const ends = { 32: "compile-failed", 96: "crashed", 256: "device-lost" } as const;
    const { evidence: from } = await measured(table(), ({ problem }) => ({ status: ends[problem.n as 32] }));
    const { asked } = await measured(table(), () => 3, { from, id: LATER });
    expect(named(asked)).toEqual(["96 scalar", "96 block", "256 scalar", "256 block"]);
  });

  it("takes times of the CPU from the very same commit alone, for no hash says what its code was", async () => {
    const host = () => ({ run: () => {}, verdict: () => timed(1).verdict! });
    const one = table({ columns: [study().columns[0]!, { name: "cpu", doc: "", host }], derived: [] });
    const { evidence: from } = await measured(one, () => 5);
    const again = async (commit?: string) =>
      (await measured(one, () => 3, { from, id: LATER, ...(commit ? { commit } : {}) })).asked.length;
    expect(await again()).toBe(0);
    expect(await again("0123456789abcdef")).toBe(3);
    expect(await again(`${from.header.commit}+dirty`)).toBe(3);
  });

  it("loses the cells with their session when that is retracted, and one with its trial", async () => {
    const from = await cutAfter(3);
    const { evidence } = await measured(table(), () => 3, { from, id: LATER });
    const { id: session } = from.header;
    const statuses = (trial?: string) =>
      foldStudies([from, evidence], [{ session, reason: "hot", ...(trial ? { trial } : {}) }])
        .find((one) => one.session === LATER)!
        .rows[0]!.cells.map(({ status }) => status);
    expect(statuses()).toEqual(["unmeasured", "unmeasured"]);
    expect(statuses(`${session}.1`)).toEqual(["ok", "unmeasured"]);
  });
});
