/** A device host for tests: operations that double numbers, each with its own way to misbehave. */
import { Fault } from "@tunelab/contract";
import { serveHost } from "../src/host.ts";
import { suiteOf } from "./suites.ts";

serveHost({
  suite: async (name) => {
    if (name.startsWith("double-")) return suiteOf(name);
    throw new Fault("usage", `no operation ${name}`, { known: ["double-*"] });
  },
  probes: [],
});
