import type { Config, Space } from "@tunelab/contract";
import type { Candidate, Observation, Spaces } from "../strategies/strategy.ts";
import type { ReplayEntry, ReplayFile } from "./format.ts";

/** Nanoseconds in a millisecond: files hold ms, strategies see ns. */
const NS = 1e6;

/** A measured space to search: valid is what the file holds. */
export interface ReplaySpace {
  readonly spaces: Spaces;
  /** What the file says of a candidate of it. */
  look(candidate: Candidate): ReplayEntry;
  observation(candidate: Candidate): Observation;
}

/** A replay file as the space of one algorithm named after its kernel. */
export function replaySpace({ kernel, parameters, entries }: ReplayFile): ReplaySpace {
  const places = parameters.map(({ values }) => new Map(values.map((value, index) => [value, index])));
  const key = (config: Config): string =>
    parameters.map(({ name }, index) => places[index]!.get(config[name]!)).join(",");
  const known = new Map(entries.map((entry) => [key(entry.config), entry]));
  const space: Space = {
    parameters: parameters.map(({ name, values }) => ({ name, values, doc: "" })),
    constraints: [
      {
        name: "measured",
        doc: "the file holds this configuration",
        parameters: parameters.map(({ name }) => name),
        holds: (config) => known.has(key(config)),
      },
    ],
  };
  const look = ({ config }: Candidate): ReplayEntry => known.get(key(config))!;
  return {
    spaces: [{ algorithm: kernel || "kernel", space }],
    look,
    observation(candidate) {
      const { ms, repeatsMs } = look(candidate);
      if (ms === undefined) return { candidate, status: "crashed" };
      const least = Math.min(...(repeatsMs ?? [ms]));
      return { candidate, status: "ok", ns: ms * NS, ...(repeatsMs ? { spread: (ms - least) / least } : {}) };
    },
  };
}
