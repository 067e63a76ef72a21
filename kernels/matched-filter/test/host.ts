import type { Algorithm, Suite } from "@tunelab/contract";
import { serveHost } from "@tunelab/devices/host";
import { fused, type MatchedFilterProblem } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/** Faults put into the fused text: what a generator could get wrong without any error from WebGPU. */
const FAULTS: Readonly<Record<string, (wgsl: string) => string>> = {
  "no-barrier": (wgsl) => wgsl.replace("workgroupBarrier();", ""),
  "index-off-by-one": (wgsl) => wgsl.replace(/= stage\[p0i0\]/, "= stage[p0i0 + 1u]"),
  "no-last-twiddle": (wgsl) => wgsl.replace(/(let p1f2_0) = [^;]+;/, "$1 = vec2f(1.0, 0.0);"),
};

function broken(fault: (wgsl: string) => string): Suite<MatchedFilterProblem> {
  const spoiled = {
    ...fused,
    plan(problem, config, capabilities) {
      const plan = fused.plan(problem, config as never, capabilities);
      const modules = plan.modules.map(({ name, wgsl }) => ({ name, wgsl: fault(wgsl) }));
      if (modules.every(({ wgsl }, index) => wgsl === plan.modules[index]!.wgsl)) {
        throw new Error("the fault changed nothing");
      }
      return { ...plan, modules };
    },
  } as Algorithm<MatchedFilterProblem>;
  return { ...suite, operation: { ...suite.operation, algorithms: { fused: async () => spoiled } } };
}

// A device host that knows this package's operation, whole and broken.
serveHost({
  suite: async (name) => {
    const fault = FAULTS[name];
    return (fault ? broken(fault) : suite) as never;
  },
  probes: [],
});
