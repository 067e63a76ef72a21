import { type Config, checkPlan, DEFAULT_CAPABILITIES, supports } from "@tunelab/contract";
import { expect, it } from "vitest";
import suite, { operation } from "../my-kernel.ts";

const problem = { n: 64, matrices: 3 };
const tiled = await operation.algorithms.tiled!();
const { parameters, constraints } = tiled.space(problem);

/** Every configuration that the constraints allow. */
const configs = parameters
  .reduce<readonly Config[]>(
    (made, { name, values }) =>
      made.flatMap((config) => values.map((value) => ({ ...config, [name]: value }))),
    [{}],
  )
  .filter((config) => constraints.every((constraint) => constraint.holds(config)));

it("every variant is a well-formed plan whose resources are what its text declares", () => {
  expect(configs.length).toBeGreaterThan(10);
  for (const config of configs) {
    const plan = tiled.plan(problem, config, DEFAULT_CAPABILITIES);
    expect(checkPlan(plan)).toEqual([]);
    const { workgroupBytes, invocations } = tiled.resources(problem, config);
    const [, words] = /array<f32, (\d+)>/.exec(plan.modules[0]!.wgsl)!;
    const [, x, y] = /@workgroup_size\((\d+), (\d+)\)/.exec(plan.modules[0]!.wgsl)!;
    expect([workgroupBytes, invocations]).toEqual([4 * Number(words), Number(x) * Number(y)]);
  }
});

it("the default is one of them and runs at WebGPU's default limits", () => {
  const config = tiled.defaultConfig(problem, DEFAULT_CAPABILITIES);
  expect(configs).toContainEqual(config);
  expect(supports(tiled.resources(problem, config), DEFAULT_CAPABILITIES)).toEqual({ supported: true });
});

it("the oracle accepts the transpose and nothing else", () => {
  const inputs = suite.inputs(problem, 1);
  const { n, matrices } = problem;
  const right = Float32Array.from({ length: n * n * matrices }, (_, at) => {
    const [item, i, j] = [Math.floor(at / (n * n)), Math.floor(at / n) % n, at % n];
    return inputs.matrix![item * n * n + j * n + i]!;
  });
  const check = (result: Float32Array) =>
    suite.oracle(problem, inputs).check({ result }, { count: 4, seed: 1 });
  expect(check(right)).toMatchObject({ matched: 3, total: 3, maxError: 0 });
  const spoiled = right.slice();
  spoiled[n * n + 5] = -1;
  expect(check(spoiled)).toMatchObject({ matched: 2, total: 3, detail: expect.stringContaining("matrix 1") });
  expect(check(inputs.matrix as Float32Array).matched).toBe(0);
});

it("a problem that it cannot compute is refused in one line", () => {
  expect(operation.refuse({ n: 12, matrices: 1 })).toBe("n is 12, not a multiple of 8");
  expect(operation.refuse({ n: 16, matrices: 0 })).toMatch(/matrices is 0/);
  expect(operation.refuse(problem)).toBeUndefined();
});
