import {
  type Algorithm,
  type Capabilities,
  type Config,
  type Operation,
  type Problem,
  supports,
} from "@tunelab/contract";
import { formatId } from "@tunelab/variants";
import { problemDistance } from "../distance.ts";
import { outsideSpace } from "../space.ts";
import { preferences } from "./apply.ts";
import type { RuleSet, ShippedRule } from "./shelf.ts";

/** A variant that rules chose. */
export interface RuledVariant {
  readonly variant: string;
  readonly algorithm: Algorithm;
  readonly config: Config;
  /** The rules that had a say in it. */
  readonly rules: readonly ShippedRule[];
}

/** Parameters beside those that rules fix which may leave their defaults, so that the whole fits: one for a place in memory, one to spare. */
const MOST_CHANGED = 2;

/** How far the nearest problem measured for any of the rules lies; undefined where none can stand in. */
export function ruleDistance(
  { rules }: RuleSet,
  { dimensions }: Operation,
  problem: Problem,
): number | undefined {
  const distances = rules.flatMap(({ problems }) =>
    problems.flatMap((known) => problemDistance(dimensions, problem, known) ?? []),
  );
  return distances.length > 0 ? Math.min(...distances) : undefined;
}

/**
 * The variants that a device's rules give for a problem, best first: rules among algorithms order them, rules among one algorithm's
 * settings fix its parameters, each as far as the earlier ones leave it possible. Algorithms of which no rule says anything are left out.
 */
export async function ruledVariants(
  set: RuleSet,
  operation: Operation,
  problem: Problem,
  capabilities: Capabilities,
  load: (name: string) => Promise<Algorithm | undefined>,
): Promise<readonly RuledVariant[]> {
  const among = set.rules.find(({ rule }) => algorithmsOf(rule).size > 1);
  const order = among ? preferences(among.rule, problem).map((name) => algorithmOf(among, name)) : [];
  const names = new Set([
    ...order,
    ...Object.keys(operation.algorithms).filter((name) => set.rules.some((one) => speaksOf(one, name))),
  ]);
  const found: RuledVariant[] = [];
  for (const name of names) {
    if (name === undefined || operation.answers?.(name, problem) === false) continue;
    const algorithm = await load(name);
    if (!algorithm) continue;
    const settled = settle(set, algorithm, problem, capabilities);
    if (!settled) continue;
    found.push({
      variant: formatId(name, algorithm.space(problem), settled.config),
      algorithm,
      config: settled.config,
      rules: [...(among && order.includes(name) ? [among] : []), ...settled.rules],
    });
  }
  return found;
}

const algorithmsOf = ({ options }: ShippedRule["rule"]): ReadonlySet<string> =>
  new Set(options.flatMap(({ algorithm }) => algorithm ?? []));

const algorithmOf = ({ rule }: ShippedRule, option: string): string | undefined =>
  rule.options.find(({ name }) => name === option)?.algorithm;

/** Whether a rule chooses among settings of this algorithm alone. */
const speaksOf = ({ rule }: ShippedRule, name: string): boolean =>
  rule.options.length > 0 && rule.options.every(({ algorithm }) => algorithm === name);

/**
 * The algorithm's configuration with what its rules fix, one rule after the other, those that fix most first: what was measured together
 * goes together. A rule that adds nothing, or of which nothing is possible, has no say.
 */
function settle(
  { rules }: RuleSet,
  algorithm: Algorithm,
  problem: Problem,
  capabilities: Capabilities,
): { readonly config: Config; readonly rules: readonly ShippedRule[] } | undefined {
  let fixed: Config = {};
  let config = completed(algorithm, problem, capabilities, fixed);
  const heard: ShippedRule[] = [];
  const own = rules.filter((rule) => speaksOf(rule, algorithm.name));
  for (const one of own.toSorted((a, b) => fixes(b) - fixes(a))) {
    for (const option of preferences(one.rule, problem)) {
      const { config: told } = one.rule.options.find(({ name }) => name === option)!;
      if (Object.keys(told).every((name) => Object.hasOwn(fixed, name))) break;
      const wanted = { ...told, ...fixed };
      const whole = completed(algorithm, problem, capabilities, wanted);
      if (!whole) continue;
      fixed = wanted;
      config = whole;
      heard.push(one);
      break;
    }
  }
  return config && { config, rules: heard };
}

const fixes = ({ rule }: ShippedRule): number => Object.keys(rule.options[0]!.config).length;

/** The configuration nearest to the default that has these values, is valid and fits the device; undefined where few changes give none. */
export function completed(
  algorithm: Algorithm,
  problem: Problem,
  capabilities: Capabilities,
  fixed: Config,
): Config | undefined {
  const space = algorithm.space(problem);
  const free = space.parameters.filter(({ name }) => !Object.hasOwn(fixed, name));
  let reached: readonly Config[] = [{ ...algorithm.defaultConfig(problem, capabilities), ...fixed }];
  for (let changed = 0; changed <= MOST_CHANGED; changed++) {
    const fits = reached.find(
      (config) =>
        !outsideSpace(space, config) &&
        supports(algorithm.resources(problem, config), capabilities).supported,
    );
    if (fits) return fits;
    reached = reached.flatMap((config) =>
      free.flatMap(({ name, values }) =>
        values
          .filter((value) => value !== config[name])
          .map((value): Config => ({ ...config, [name]: value })),
      ),
    );
  }
  return undefined;
}
