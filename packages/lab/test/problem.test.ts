import { problemKey } from "@tunelab/contract";
import { operation } from "@tunelab/kernel-matched-filter";
import { expect, it } from "vitest";
import { parseProblem } from "../src/registry.ts";

it("an optional dimension that a command line does not give is not in the problem, so that its key stays what it was", () => {
  expect(problemKey(parseProblem(operation, "n=64,data=1,templates=2,pairs=2"))).toBe(
    "data=1,n=64,pairs=2,templates=2",
  );
  expect(parseProblem(operation, "n=64,threshold=2.5").threshold).toBe(2.5);
});
