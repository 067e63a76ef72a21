import {
  type Algorithm,
  bufferBytes,
  type Capabilities,
  type Config,
  type Problem,
  type Resources,
  supports,
} from "@tunelab/contract";
import type { Closeness } from "./distance.ts";
import type { KnownFault } from "./known-faults/ledger.ts";
import { outsideSpace } from "./space.ts";

/** What a call insists on beside the answer. */
export interface Demand {
  /** Largest error in the operation's measure. Defaults are held to the operation's bound, rows to what was measured. */
  readonly maxError?: number;
  /** Most bytes of scratch for the whole batch. */
  readonly scratchBytes?: number;
  /** The run goes into the caller's own command encoder: plans with a host-driven loop are refused. */
  readonly encodable?: boolean;
  /** Exactly this variant, by its id; it runs or the call fails. */
  readonly variant?: string;
}

/** What stands against a variant: the limit, feature or demand, and the sentence about it. */
export interface Objection {
  readonly limit: string;
  readonly reason: string;
}

export interface Place {
  readonly problem: Problem;
  readonly capabilities: Capabilities;
  readonly demand: Demand;
}

/** WGSL's line comments; its block comments are in no generated text. */
const COMMENT = /\/\/.*/g;

/** The resources of a variant that may run here, or the first thing that refuses it. */
export function admit(
  { problem, capabilities, demand }: Place,
  algorithm: Algorithm,
  config: Config,
  maxError: number,
  faults: readonly KnownFault[] = [],
): Resources | Objection {
  const outside = outsideSpace(algorithm.space(problem), config);
  if (outside) return { limit: "space", reason: outside };
  const resources = algorithm.resources(problem, config);
  const support = supports(resources, capabilities);
  if (!support.supported) return support;
  if (demand.maxError !== undefined && !(maxError <= demand.maxError)) {
    return { limit: "maxError", reason: `errs by up to ${maxError}, the call demands ${demand.maxError}` };
  }
  if (demand.scratchBytes === undefined && !demand.encodable && !faults.some(({ hits }) => hits))
    return resources;
  const plan = algorithm.plan(problem, config, capabilities);
  const text = plan.modules.map(({ wgsl }) => wgsl.replace(COMMENT, "")).join("\n");
  const hit = faults.find(({ hits }) => hits?.(resources, text));
  if (hit) return { limit: hit.id, reason: `runs into a known fault: ${hit.cause} (${hit.source})` };
  const need = plan.buffers
    .filter(({ role }) => role === "scratch" || role === "counter" || role === "probe")
    .reduce((sum, buffer) => sum + bufferBytes(buffer, plan.batch.items), 0);
  if (demand.scratchBytes !== undefined && need > demand.scratchBytes) {
    const reason = `needs ${need} bytes of scratch, the call grants ${demand.scratchBytes}`;
    return { limit: "scratchBytes", reason };
  }
  if (demand.encodable && plan.steps.some(({ kind }) => kind === "loop")) {
    return { limit: "encodable", reason: "has a loop that the host drives, so it cannot be encoded" };
  }
  return resources;
}

/** Refuses what leans on another device's cosines: on SwiftShader a variant within 1e-6 on an H200 erred by 1e-3. */
export function unmeasuredAccuracy(
  measured: { readonly closeness: Closeness; readonly problem: Problem },
  algorithm: Algorithm,
  config: Config,
): Objection | undefined {
  if (measured.closeness === "device") return undefined;
  if (outsideSpace(algorithm.space(measured.problem), config)) return undefined;
  const { looseBuiltins = [] } = algorithm.resources(measured.problem, config);
  if (looseBuiltins.length === 0) return undefined;
  const reason = `computes with the device's own ${looseBuiltins.join(" and ")}, whose accuracy was measured on another device`;
  return { limit: "accuracy", reason };
}
