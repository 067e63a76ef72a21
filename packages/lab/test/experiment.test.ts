import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandWords, EXPERIMENT_WORKLOAD, withoutRun, withRun } from "@tunelab/experiment";
import { createJournal, readJournal } from "@tunelab/store/journal";
import { expect, it } from "vitest";
import { progressOf } from "../src/experiment-run.ts";
import { chosen, leftText, loadExperiments } from "../src/experiments.ts";
import { lab } from "./collect.ts";

it("every experiment's definition is valid, and every page is what its result gives", async () => {
  const { code, out, notes } = await lab(["experiment", "check"]);
  expect(`${out}${notes}`).toMatch(/^\d+ experiments: every definition is valid/);
  expect(code).toBe(0);
}, 60_000);

it("an experiment is named by its whole name or a part that only one has", async () => {
  const all = await loadExperiments();
  const [first] = all;
  expect(chosen(all, [first!.name])).toEqual([first]);
  expect(chosen(all, [first!.name.slice("yyyy-mm-dd-".length)])).toEqual([first]);
  expect(() => chosen(all, ["2026"])).toThrow(/more than one/);
  // A part of another's name as well.
  expect(chosen(all, ["one-core"]).map(({ name }) => name)).toEqual(["2026-11-30-one-core"]);
});

it("a run that takes no place says which stays, why, and that nothing was written", () => {
  const whole = {
    ...{ session: "01B", startedAt: "2026-11-30T10:00:00Z", deviceSlug: "gpu", compiler: "tint" },
    ...{ backend: "vulkan", profile: "portable", rounds: 12 },
  } as Parameters<typeof withRun>[2];
  const result = withRun(undefined, "ladder", whole);
  expect(leftText(result, { ...whole, session: "01C", rounds: 2 })).toBe(
    "ladder: nothing was written: session 01B of 2026-11-30 stays, with 12 rounds (this run has 2)",
  );
  expect(leftText(result, { ...whole, session: "01A" })).toBe(
    "ladder: nothing was written: session 01B of 2026-11-30 stays, with 12 rounds (it is newer than this run)",
  );
  expect(leftText(withoutRun(result, "01B", "hot"), whole)).toBe(
    "ladder: nothing was written: session 01B was withdrawn (retracted: hot)",
  );
});

it("a journal in which no experiment has a whole round is refused, and nothing is taken in", async () => {
  const folder = await mkdtemp(join(tmpdir(), "experiment-"));
  const [published, cut] = [join(folder, "tuned.jsonl"), join(folder, "cut.jsonl")];
  await lab(["results", "export", "01M8NJW99DJX1GF6KWVJC6Y1EV", "--journal", published]);
  const { header } = (await readJournal(published)).evidence;
  const [{ name }] = (await loadExperiments()) as [{ name: string }];
  const strategy = commandWords([name], "hardware", 12);
  const begun = { ...header, command: { ...header.command, workload: EXPERIMENT_WORKLOAD, strategy } };
  await (await createJournal(cut, begun)).close();
  for (const [journal, says] of [
    [published, "ran no experiments"],
    [cut, "cut.jsonl: no experiment of this checkout has a whole round in it: nothing is taken in"],
  ] as const) {
    const { code, out, notes } = await lab(["experiment", "import", journal]);
    expect([code, out]).toEqual([1, ""]);
    expect(notes).toContain(says);
  }
  await rm(folder, { recursive: true });
}, 60_000);

it("a run's progress tells no time left before there is one to tell", () => {
  const lines: string[] = [];
  const io = { note: (text: string) => void lines.push(text), interactive: false };
  const slot = { experiment: "ladder", arm: { name: "wide" } };
  progressOf(io as never).listen({ done: 0, total: 8, slot } as never);
  progressOf(io as never).listen({ done: 1, total: 8, slot, leftMs: 7_000 } as never);
  expect(lines).toEqual(["  0/8: ladder, wide", "  1/8, 7s left: ladder, wide"]);
});
