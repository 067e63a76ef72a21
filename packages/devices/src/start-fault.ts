import { Fault } from "@tunelab/contract";
import { type CauseName, diagnose } from "./diagnose.ts";
import type { DeviceTarget } from "./discover.ts";

/** Findings that describe a machine without naming a cause. */
const NO_CAUSE: ReadonlySet<CauseName> = new Set(["software-only", "unrecognised"]);

/** What to tell of a host that failed to start again and again, for these reasons: with the cause that the diagnosis finds. */
export async function startFault(
  { id, environment }: Pick<DeviceTarget, "id" | "environment">,
  reasons: readonly string[],
): Promise<Fault> {
  const [finding] = await diagnose(environment);
  const advice =
    finding && !NO_CAUSE.has(finding.name)
      ? `${finding.cause}: ${finding.fix}`
      : "`lab check-gpu` looks for the cause";
  return new Fault(
    "environment",
    `the host of ${id} failed to start ${reasons.length} times (${reasons.at(-1)}); ${advice}`,
    { reasons },
  );
}
