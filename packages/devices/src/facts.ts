import { availableParallelism, cpus, loadavg, release } from "node:os";
import type { HostFacts } from "@tunelab/contract";

/** Facts about the machine that runs the session, for its header. `loadAverage` is over the last minute. */
export function hostFacts(): HostFacts {
  return {
    platform: `${process.platform} ${process.arch} ${release()}`,
    runtime: `node ${process.versions.node}`,
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    loadAverage: loadavg()[0] ?? 0,
  };
}
