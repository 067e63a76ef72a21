import type { Suite } from "@tunelab/contract";
import { expect, it } from "vitest";
import { checkRestriction, withAlgorithms } from "../src/workloads.ts";

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

it("a restriction is checked against every space of the session: one of them must know it", async () => {
  const algorithm = (name: string, values: readonly number[]) => ({
    name,
    space: () => ({ parameters: [{ name, values, doc: "" }], constraints: [] }),
  });
  const operation = {
    algorithms: {
      radix: async () => algorithm("radix", [2, 4]),
      block: async () => algorithm("block", [8]),
    },
  };
  const workloads = [{ suite: { operation }, problems: [{ n: 64 }] }] as never;
  await expect(checkRestriction({ radix: ["4"], block: ["8"] }, workloads)).resolves.toBeUndefined();
  await expect(checkRestriction({ radix: ["8"] }, workloads)).rejects.toThrow("radix cannot be 8 here");
  await expect(checkRestriction({ magic: ["8"] }, workloads)).rejects.toThrow(
    "no parameter is called magic: there is radix, block",
  );
});

it("an algorithm that no operation has is a usage fault that lists what exists", () => {
  expect(() => withAlgorithms(suites, ["fused", "magic"])).toThrow(
    'unknown algorithm "magic": there is fused, two-step, scalar',
  );
});
