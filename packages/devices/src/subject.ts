import type { Capabilities, MeasureRequest, Suite } from "@tunelab/contract";
import { algorithmOf, planSubject, variantLabel } from "@tunelab/harness";
import type { TrialSubject } from "./protocol.ts";

/**
 * Names what is about to be measured. Undefined when the request itself is refused (unknown algorithm, a configuration
 * that does not fit): then nothing dangerous follows, and the harness answers with the reason.
 */
export async function subjectOf(
  suite: Suite,
  request: MeasureRequest,
  capabilities: Capabilities,
): Promise<TrialSubject | undefined> {
  try {
    const algorithm = await algorithmOf(suite, request);
    const { planHash, resources } = await planSubject(suite, algorithm, request, capabilities);
    const { workgroupBytes, invocations } = resources;
    return {
      variant: variantLabel(request.algorithm, request.config, algorithm.space(request.problem)),
      planHash,
      epoch: suite.epoch,
      work: suite.work(request.problem),
      resources: { workgroupBytes, invocations },
    };
  } catch {
    return undefined;
  }
}
