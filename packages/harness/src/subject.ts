import {
  type Algorithm,
  type Capabilities,
  type Config,
  type Cost,
  checkPlan,
  Fault,
  type MeasureRequest,
  type Plan,
  planHash,
  type Resources,
  type Space,
  type Suite,
  supports,
  wholeConfig,
} from "@tunelab/contract";
import { padPlan } from "./padding.ts";

/** A request worked out: everything about the variant that is known without a GPU. */
export interface Subject {
  readonly algorithm: Algorithm;
  readonly resources: Resources;
  readonly plan: Plan;
  readonly planHash: string;
  readonly cost: Cost;
}

/** The algorithm a request names. @throws Fault `usage` that lists what there is. */
export async function algorithmOf(
  suite: Suite,
  request: Pick<MeasureRequest, "algorithm">,
): Promise<Algorithm> {
  const { algorithms, name } = suite.operation;
  const load = Object.hasOwn(algorithms, request.algorithm) ? algorithms[request.algorithm] : undefined;
  if (load) return load();
  throw new Fault(
    "usage",
    `${name} has no algorithm ${request.algorithm}: choose ${Object.keys(algorithms).join(", ")}`,
  );
}

/** Why a configuration is not in its space, one line; undefined when it is. */
function outside({ parameters, constraints }: Space, config: Config): string | undefined {
  for (const { name, values } of parameters) {
    const value = config[name];
    if (value === undefined || !values.includes(value))
      return `${name}=${value} is not one of ${values.join(", ")}`;
  }
  const broken = constraints.find((constraint) => !constraint.holds(config));
  return broken && `constraint ${broken.name}: ${broken.doc}`;
}

/**
 * Plans a request for a device. @throws Fault: `unsupported` for what does not fit the problem, the space or the
 * device, `validation` for a malformed plan.
 */
export async function planSubject(
  suite: Suite,
  algorithm: Algorithm,
  { problem, config: given, altered = {} }: Pick<MeasureRequest, "problem" | "config" | "altered">,
  capabilities: Capabilities,
): Promise<Subject> {
  const foreign = suite.operation.refuse(problem);
  if (foreign) throw new Fault("unsupported", foreign);
  const space = algorithm.space(problem);
  const config = wholeConfig(space, given);
  const refused = outside(space, config);
  if (refused) throw new Fault("unsupported", refused);
  if (altered.collapsed && !suite.collapse) {
    throw new Fault("unsupported", `${suite.operation.name} has no index buffer to collapse`);
  }
  const { paddingBytes = 0 } = altered;
  const own = algorithm.resources(problem, config);
  const resources = { ...own, workgroupBytes: own.workgroupBytes + paddingBytes };
  const fit = supports(resources, capabilities);
  if (!fit.supported) throw new Fault("unsupported", fit.reason, { limit: fit.limit });
  const planned = algorithm.plan(problem, config, capabilities);
  const plan = paddingBytes > 0 ? padPlan(planned, paddingBytes) : planned;
  const faults = checkPlan(plan);
  if (faults.length > 0) throw new Fault("validation", `the plan is malformed: ${faults[0]}`, { faults });
  return {
    algorithm,
    resources,
    plan,
    planHash: await planHash(plan),
    cost: algorithm.cost(problem, config),
  };
}
