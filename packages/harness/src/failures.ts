import { asFault, Fault, type Status } from "@tunelab/contract";

/** Where in a trial a fault came up: the same refusal means different things. */
export type Stage = "plan" | "compile" | "run";

/**
 * The status that a fault gives the variant, or undefined when it is none of the variant's doing (the suite's data, the
 * machine) and must reach the caller.
 */
export function statusOf(fault: Fault, stage: Stage): Status | undefined {
  switch (fault.kind) {
    case "unsupported":
      return "refused";
    case "usage":
      // While planning, the configuration is refused; later, the plan or its ports do not fit each other.
      return stage === "plan" ? "refused" : "validation";
    case "validation":
      return stage === "compile" ? "compile-failed" : "validation";
    case "compile-timeout":
    case "out-of-memory":
    case "device-lost":
    case "hung":
    case "crashed":
      return fault.kind;
    case "environment":
    case "data":
      return undefined;
  }
}

/** A thrown value as a fault; a plan that throws in its own words refuses the configuration. */
export function faultAt(error: unknown, stage: Stage): Fault {
  return asFault(error, stage === "plan" ? "unsupported" : "validation");
}

/** Runs the suite's own code: what it throws is the suite's fault, never the variant's. */
export function ofSuite<T>(operation: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw new Fault("data", `the suite of ${operation} failed: ${asFault(error, "data").message}`);
  }
}
