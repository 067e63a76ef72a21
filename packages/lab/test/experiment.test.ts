import { expect, it } from "vitest";
import { chosen, loadExperiments } from "../src/experiments.ts";
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
