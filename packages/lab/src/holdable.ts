import { constants } from "node:buffer";
import { Fault, type Operation, type Problem, portBytes, problemKey } from "@tunelab/contract";
import type { Workload } from "@tunelab/tuner";
import type { Io } from "./io.ts";

/** Why a device or this process cannot hold a problem's ports; a binding's limit is no reason, for batches are cut. */
export function whyTooLarge(
  operation: Pick<Operation, "name" | "ports">,
  problem: Problem,
  maxBufferSize: number,
  longestArray: number = constants.MAX_LENGTH,
): string | undefined {
  for (const port of operation.ports(problem)) {
    if (port.role === "intermediate") continue;
    const bytes = portBytes(port);
    const [limit, what] =
      maxBufferSize < longestArray
        ? [maxBufferSize, "the device's maxBufferSize"]
        : [longestArray, "the longest array of this Node"];
    if (bytes > limit)
      return `${operation.name} ${problemKey(problem)}: port ${port.name} has ${bytes} bytes, over ${what} of ${limit}: give a smaller --problem`;
  }
  return undefined;
}

/**
 * The workloads without problems that no variant could hold on a device, each named once: before the suite makes inputs that would
 * fail in an allocation. @throws Fault `usage` when none is left.
 */
export function holdable(
  workloads: readonly Workload[],
  maxBufferSize: number,
  io: Pick<Io, "note">,
): readonly Workload[] {
  const lines: string[] = [];
  const fitting = workloads.flatMap((workload) => {
    const problems = workload.problems.filter((problem) => {
      const why = whyTooLarge(workload.suite.operation, problem, maxBufferSize);
      if (why !== undefined) lines.push(why);
      return why === undefined;
    });
    return problems.length > 0 ? [{ ...workload, problems }] : [];
  });
  if (fitting.length === 0 && lines.length > 0) throw new Fault("usage", lines[0]!);
  for (const line of lines) io.note(`Without ${line}`);
  return fitting;
}
