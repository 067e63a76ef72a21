import { serveHost } from "@tunelab/devices/host";
import { suite } from "../src/suite.ts";

// A device host that knows this package's operation alone.
serveHost({ suite: async () => suite as never, probes: [] });
