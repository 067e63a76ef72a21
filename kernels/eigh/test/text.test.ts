import {
  type Algorithm,
  type Capabilities,
  type Config,
  checkPlan,
  DEFAULT_CAPABILITIES,
  flatSteps,
  type Space,
  supports,
} from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { checkConfig, countValid, formatId, randomFrom, sample } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, globals } from "webgpu";
import { declaredWorkgroupBytes } from "../../../test/declared.ts";
import { block, type EighProblem, oneSided, scalar, tridiagonal } from "../src/index.ts";
import { eighProblem } from "../src/suite.ts";
import { playersOf, tournament } from "../src/wgsl/pairs.ts";

Object.assign(globalThis, globals);
// Referenced for as long as devices live, or the process crashes in the driver thread.
const gpu = create(["backend=null"]);

const algorithms = [scalar, oneSided, block, tridiagonal] as unknown as readonly Algorithm<EighProblem>[];
const all = [1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 100, 128, 256, 512];

/** A space by the solver of the tridiagonal form: divide and conquer has so few settings of its own that a sample of all misses it. */
function bySolver<C extends Config>(space: Space<C>): readonly Space<C>[] {
  const solvers = space.parameters.find(({ name }) => name === "solver");
  return (solvers?.values ?? [undefined]).map((solver) => ({
    ...space,
    parameters: space.parameters.map((one) => (one === solvers ? { ...one, values: [solver!] } : one)),
  }));
}

let executor: Executor;
let capabilities: Capabilities;

beforeAll(async () => {
  const adapter = (await gpu.requestAdapter())!;
  const device = await requestDeviceFor(adapter);
  capabilities = capabilitiesOf(device, adapter.info);
  executor = new Executor(device, capabilities, { clock: performance });
});

afterAll(() => {
  executor.dispose();
  executor.device.destroy();
});

describe("the tournament", () => {
  it("lets every two players of n meet exactly once, whatever n", () => {
    for (let n = 1; n <= 33; n++) {
      const shape = tournament(n);
      const met = new Set<string>();
      for (let round = 0; round < shape.rounds; round++) {
        const here = Array.from({ length: shape.pairs }, (_, k) => playersOf(k, round, shape));
        expect(new Set(here.flat()).size, `n = ${n}`).toBe(shape.size);
        for (const [p, q] of here) met.add(`${Math.min(p, q)} ${Math.max(p, q)}`);
      }
      expect(met.size, `n = ${n}`).toBe((shape.size * (shape.size - 1)) / 2);
    }
  });
});

describe("the texts of the eigensolver", () => {
  for (const algorithm of algorithms) {
    const orders = all.filter((n) => countValid(algorithm.space(eighProblem(n, 1))) > 0);
    it(`${algorithm.name}: every sampled variant of every order compiles, and claims what its text declares`, async () => {
      for (const n of orders) {
        for (const vectors of ["yes", "no"] as const) {
          const problem = eighProblem(n, 5, { vectors });
          const space = algorithm.space(problem);
          for (const config of bySolver(space).flatMap((part) => sample(part, randomFrom(n), 2))) {
            const plan = algorithm.plan(problem, config as never, capabilities);
            const id = `n=${n} ${formatId(algorithm.name, space as never, config as never)}`;
            expect(checkPlan(plan), id).toEqual([]);
            const resources = algorithm.resources(problem, config as never);
            const declared = Math.max(...plan.modules.map(({ wgsl }) => declaredWorkgroupBytes(wgsl)));
            expect(resources.workgroupBytes, id).toBe(declared);
            const sizes = plan.modules.map(({ wgsl }) => Number(/@workgroup_size\((\d+)\)/.exec(wgsl)?.[1]));
            expect(resources.invocations, id).toBe(Math.max(...sizes));
            const bound = [...flatSteps(plan.steps)].map((step) =>
              "bindings" in step ? step.bindings.length : 0,
            );
            expect(resources.storageBuffers, id).toBe(Math.max(...bound));
            if (supports(resources, capabilities).supported) await executor.prepare(plan);
          }
        }
      }
    });

    it(`${algorithm.name}: the default configuration fits WebGPU's default limits at every order`, () => {
      for (const n of orders) {
        for (const vectors of ["yes", "no"] as const) {
          const problem = eighProblem(n, 5, { vectors });
          const config = algorithm.defaultConfig(problem, DEFAULT_CAPABILITIES);
          expect(supports(algorithm.resources(problem, config as never), DEFAULT_CAPABILITIES)).toEqual({
            supported: true,
          });
          expect(checkConfig(algorithm.space(problem) as never, config as never), `n = ${n}`).toBeUndefined();
        }
      }
    });
  }

  it("a new batch, padding or gap changes no text; a new order does", () => {
    const text = (n: number, rest: object): string => {
      const problem = { ...eighProblem(n, 5), ...rest };
      return scalar.plan(problem, scalar.defaultConfig(problem, capabilities), capabilities).modules[0]!.wgsl;
    };
    expect(text(8, { batch: 99, pad: 4, gap: 1, spectrum: "mixed" })).toBe(text(8, {}));
    expect(text(9, {})).not.toBe(text(8, {}));
  });
});
