import type { Algorithm, PortData, Suite } from "@tunelab/contract";
import { serveHost } from "@tunelab/devices/host";
import { type MatchedFilterProblem, tileFused, twoKernel } from "../src/index.ts";
import { inspiralInputs, reference } from "../src/suite/inspiral.ts";
import { pairList } from "../src/suite/plant.ts";
import { suite } from "../src/suite.ts";

/** Changes to the texts: the faults a generator could have without any error from WebGPU, and one change that must stay right. */
const CHANGES: Readonly<Record<string, (wgsl: string) => string>> = {
  "no-slack": (wgsl) => wgsl.replace(/ - slack \* [\d.]+f;/, ";"),
  "record-by-slot": (wgsl) =>
    wgsl.includes("= worklist[slot];") ? wgsl.replaceAll("records[pair]", "records[slot]") : wgsl,
  "counters-kept": (wgsl) => wgsl.replace(/counters\[\d\] = \du;/g, ""),
  "band-off-by-one": (wgsl) =>
    wgsl.includes("let slack")
      ? wgsl.replace("h0 = templates[source.y][t]", "h0 = templates[source.y][t + 1u]")
      : wgsl,
  // A row of seven groups instead of 65535: a worklist that overflows it goes on in y.
  "rows-of-seven": (wgsl) => wgsl.replaceAll("65535u", "7u"),
};

function changed(change: (wgsl: string) => string): Suite<MatchedFilterProblem> {
  const spoil = (algorithm: Algorithm<MatchedFilterProblem, never>) =>
    ({
      ...algorithm,
      plan(problem, config, capabilities) {
        const plan = algorithm.plan(problem, config as never, capabilities);
        const modules = plan.modules.map(({ name, wgsl }) => ({ name, wgsl: change(wgsl) }));
        if (modules.every(({ wgsl }, index) => wgsl === plan.modules[index]!.wgsl)) {
          throw new Error("the change changed nothing");
        }
        return { ...plan, modules };
      },
    }) as Algorithm<MatchedFilterProblem>;
  const algorithms = {
    "two-kernel": async () => spoil(twoKernel as never),
    "tile-fused": async () => spoil(tileFused as never),
  };
  return { ...suite, operation: { ...suite.operation, algorithms } };
}

/** Gains on either side of a threshold of 1, to within a part in ten thousand. */
const EDGES = [0.99, 0.995, 0.9999, 1.0001, 1.005, 1.01];

/**
 * Every pair matches, without noise: datum i has gain EDGES[i], templates gain 1, and delays step by one lag, so that peaks lie
 * on coarse lags and at every place between them.
 */
function edgeInputs(problem: MatchedFilterProblem, seed: number): PortData {
  const { n, data, templates } = problem;
  const sizes = reference(n);
  const spectra = (count: number, gain: (index: number) => number, step: number): Float32Array => {
    const words = new Float32Array(2 * n * count);
    for (let index = 0; index < count; index++) {
      for (let k = 1; k <= n / 2; k++) {
        const turn = 2 * Math.PI * ((seed * k * k) / n - (k * index * step) / n);
        const size = gain(index) * sizes[k]!;
        words.set([size * Math.cos(turn), size * Math.sin(turn)], 2 * (index * n + k));
      }
    }
    return words;
  };
  return {
    data: spectra(data, (index) => EDGES[index % EDGES.length]!, 1),
    templates: spectra(templates, () => 1, 1),
    pairs: pairList(problem),
  };
}

/** The published kind of inputs, with a NaN in the band of datum 1 and one beyond it in datum 2. */
function poisonedInputs(problem: MatchedFilterProblem, seed: number): PortData {
  const inputs = inspiralInputs(problem, seed);
  const data = inputs.data as Float32Array;
  data[2 * (problem.n + 5)] = Number.NaN;
  data[2 * (2 * problem.n + 100)] = Number.NaN;
  return inputs;
}

serveHost({
  suite: async (name) => {
    const change = CHANGES[name];
    if (change) return changed(change) as never;
    if (name === "edges") return { ...suite, inputs: edgeInputs } as never;
    if (name === "poisoned") return { ...suite, inputs: poisonedInputs } as never;
    return suite as never;
  },
  probes: [],
});
