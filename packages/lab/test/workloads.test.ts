import type { Suite } from "@tunelab/contract";
import { expect, it } from "vitest";
import { withAlgorithms } from "../src/commands/tune.ts";

const suite = (name: string, ...algorithms: readonly string[]): Suite =>
  ({ operation: { name, algorithms: Object.fromEntries(algorithms.map((one) => [one, {}])) } }) as never;
const suites = [suite("filter", "fused", "two-step"), suite("eigh", "scalar")];

it("an algorithm narrows the session to the operations that have it, and names the others", () => {
  const { searched, skipped } = withAlgorithms(suites, ["fused"]);
  expect(searched).toEqual([{ suite: suites[0], algorithms: ["fused"] }]);
  expect(skipped).toEqual(["eigh"]);
  expect(withAlgorithms(suites, ["fused", "scalar"]).searched.map(({ algorithms }) => algorithms)).toEqual([
    ["fused"],
    ["scalar"],
  ]);
});

it("an algorithm that no operation has is a usage fault that lists what exists", () => {
  expect(() => withAlgorithms(suites, ["fused", "magic"])).toThrow(
    'unknown algorithm "magic": there is fused, two-step, scalar',
  );
});
