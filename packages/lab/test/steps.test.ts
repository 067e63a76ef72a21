import { expect, it } from "vitest";
import { stepsProgress } from "../src/steps.ts";

it("without a terminal a measurement tells where it is every few seconds, with an estimate", () => {
  const notes: string[] = [];
  let now = 0;
  const io = {
    out: () => {},
    note: (text: string) => void notes.push(text),
    interactive: false,
    signal: new AbortController().signal,
  };
  const steps = stepsProgress(io, 10, () => now);
  for (let step = 0; step < 10; step += 1) {
    steps.next(`probe ${step}`);
    now += 2_000;
  }
  steps.stop();
  expect(notes).toEqual([
    "  4 of 10: probe 3 (about 14s left)",
    "  7 of 10: probe 6 (about 8s left)",
    "  10 of 10: probe 9 (about 2s left)",
  ]);
});
