import { type Algorithm, DEFAULT_CAPABILITIES, type Space } from "@tunelab/contract";
import { formatId } from "@tunelab/variants";
import { describe, expect, it } from "vitest";
import { planSubject, variantLabel } from "../src/index.ts";
import { toySuite } from "./toy.ts";

const space: Space = {
  parameters: [
    { name: "radix", values: [2, 4], doc: "" },
    { name: "vector", values: [true, false], doc: "", absent: false },
  ],
  constraints: [],
};

describe("a variant's label", () => {
  it("is the id that the generator writes, whether or not the configuration names what the id leaves out", () => {
    for (const vector of [true, false]) {
      const config = { vector, radix: 4 };
      expect(variantLabel("fused", config, space)).toBe(formatId("fused", space, config));
    }
    expect(variantLabel("fused", { radix: 4 }, space)).toBe("fused/radix=4");
  });

  it("without a space is every setting, for a variant whose algorithm is unknown", () => {
    expect(variantLabel("gone", { vector: false, radix: 4 })).toBe("gone/vector=false,radix=4");
    expect(variantLabel("gone", {})).toBe("gone");
  });
});

it("a request older than a parameter is planned as the variant that it meant", async () => {
  const suite = toySuite();
  const right = await suite.operation.algorithms.right!();
  const seen: unknown[] = [];
  const later: Algorithm = {
    ...right,
    space: (problem) => {
      const known = right.space(problem);
      return { ...known, parameters: [...known.parameters, space.parameters[1]!] };
    },
    plan: (problem, config, capabilities) => {
      seen.push(config);
      return right.plan(problem, config, capabilities);
    },
  };
  const request = { problem: { n: 64 }, config: { workgroup: 64 } };
  const capabilities = DEFAULT_CAPABILITIES;
  const [before, after] = [
    await planSubject(suite, right, request, capabilities),
    await planSubject(suite, later, request, capabilities),
  ];
  expect(seen).toEqual([{ workgroup: 64, vector: false }]);
  expect(after.planHash).toBe(before.planHash);
  const wrong = { ...request, config: { workgroup: 64, vector: "often" } };
  await expect(planSubject(suite, later, wrong, capabilities)).rejects.toThrow("vector=often is not one of");
});
