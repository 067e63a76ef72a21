import { type Capabilities, type MeasureRequest, planHash, type Suite } from "@tunelab/contract";
import type { TrialSubject } from "./protocol.ts";

/**
 * Names what is about to be measured. Undefined when the request itself is refused (unknown algorithm, a plan that
 * throws): then nothing dangerous follows, and the harness answers with the reason.
 */
export async function subjectOf(
  suite: Suite,
  request: MeasureRequest,
  capabilities: Capabilities,
): Promise<TrialSubject | undefined> {
  try {
    const algorithm = await suite.operation.algorithms[request.algorithm]?.();
    if (!algorithm || suite.operation.refuse(request.problem)) return undefined;
    const { problem, config } = request;
    const names = algorithm.space(problem).parameters.map((parameter) => parameter.name);
    const { workgroupBytes, invocations } = algorithm.resources(problem, config);
    return {
      variant: variantLabel(request, names),
      planHash: await planHash(algorithm.plan(problem, config, capabilities)),
      epoch: suite.epoch,
      work: suite.work(problem),
      resources: { workgroupBytes, invocations },
    };
  } catch {
    return undefined;
  }
}

/** Canonical id of a variant, parameters in their space's order: `fused/radix=16,workgroup=256`. */
export function variantLabel(
  { algorithm, config }: MeasureRequest,
  names: readonly string[] = Object.keys(config),
): string {
  return `${algorithm}/${names.map((name) => `${name}=${config[name]}`).join(",")}`;
}
