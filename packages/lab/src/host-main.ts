import { serveHost } from "@tunelab/devices/host";
import { loadProbes, loadSuite } from "./registry.ts";

// The device host's entry: a child process of the laboratory that owns the GPU and knows the kernels.
serveHost({ suite: loadSuite, probes: await loadProbes() });
