import { serveHost } from "@tunelab/devices/host";
import { kernelNamed, loadProbes, loadSuite } from "./registry.ts";

// The device host's entry: a child process of the laboratory that owns the GPU and knows the kernels.
serveHost({
  suite: loadSuite,
  load: async (module) => void (await kernelNamed(module)),
  probes: await loadProbes(),
});
