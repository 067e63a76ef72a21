import type { Algorithm, Suite } from "@tunelab/contract";
import { serveHost } from "@tunelab/devices/host";
import { type EighProblem, scalar } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/** Faults put into the text: what a generator could get wrong without any error from WebGPU. */
const FAULTS: Readonly<Record<string, (wgsl: string) => string>> = {
  "half-the-sweeps": (wgsl) => wgsl.replace(/<= 3\.0e-8f;/, "<= 1.0e-1f;"),
  "vectors-turned-back": (wgsl) => wgsl.replace(/(let x = v.*\n.*let y = v.*\n.*) - by\.x/, "$1 + by.x"),
  "values-unsorted": (wgsl) => wgsl.replace("let spot = select(i, place, finite);", "let spot = i;"),
  "upper-triangle": (wgsl) => wgsl.replace("i * extents.row + j", "j * extents.row + i"),
  "no-flag": (wgsl) => wgsl.replace("let ending = ", "let ending = 0u * "),
};

function broken(fault: (wgsl: string) => string): Suite<EighProblem> {
  const spoiled = {
    ...scalar,
    plan(problem, config, capabilities) {
      const plan = scalar.plan(problem, config as never, capabilities);
      const modules = plan.modules.map(({ name, wgsl }) => ({ name, wgsl: fault(wgsl) }));
      if (modules.every(({ wgsl }, index) => wgsl === plan.modules[index]!.wgsl)) {
        throw new Error("the fault changed nothing");
      }
      return { ...plan, modules };
    },
  } as Algorithm<EighProblem>;
  return { ...suite, operation: { ...suite.operation, algorithms: { scalar: async () => spoiled } } };
}

// A device host that knows this package's operation, whole and broken.
serveHost({
  suite: async (name) => {
    const fault = FAULTS[name];
    return (fault ? broken(fault) : suite) as never;
  },
  probes: [],
});
