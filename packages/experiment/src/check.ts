import { type Algorithm, DEFAULT_CAPABILITIES, Fault, type Operation, wholeConfig } from "@tunelab/contract";
import { checkConfig } from "@tunelab/variants";
import { armsAt, type NamedExperiment, type Scale } from "./definition.ts";
import { HOST_ALGORITHM } from "./study/host.ts";

/** `2026-11-30-radix-ladder`: a day and words; the name of a folder and nothing else. */
export const EXPERIMENT_NAME: RegExp = /^\d{4}-\d{2}-\d{2}-[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A ratio predicted closer to 1 than this says that nothing differs, which `within` must say. */
const NO_EFFECT = 1e-3;

/**
 * The experiment with every arm's configuration whole: parameters that an arm does not name take the algorithm's default, so
 * that a parameter added to a kernel later breaks no definition. An unknown algorithm is left for `checkDefinition` to name.
 */
export async function completed(named: NamedExperiment, operation: Operation): Promise<NamedExperiment> {
  const loaded = await Promise.all(
    Object.entries(operation.algorithms).map(async ([name, load]) => [name, await load()] as const),
  );
  const algorithms = new Map<string, Algorithm>(loaded);
  const { experiment } = named;
  return {
    ...named,
    experiment: {
      ...experiment,
      arms: (problem, scale) =>
        experiment.arms(problem, scale).map((arm) => {
          const whole = { ...problem, ...arm.problem };
          if (arm.peer || operation.refuse(whole)) return arm;
          const algorithm = algorithms.get(arm.algorithm);
          if (!algorithm) return arm;
          const fallback = algorithm.defaultConfig(whole, DEFAULT_CAPABILITIES);
          const implied = wholeConfig(algorithm.space(whole), {});
          return { ...arm, config: { ...fallback, ...arm.config }, implied };
        }),
    },
  };
}

/** Throws a usage Fault that names the experiment and the first thing wrong with its definition. */
export async function checkDefinition(
  { name, experiment }: NamedExperiment,
  operation: Operation,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new Fault("usage", `experiment ${name}: ${why}`);
  };
  if (!EXPERIMENT_NAME.test(name)) refuse("its folder is not named yyyy-mm-dd-some-words");
  for (const field of ["question", "hypothesis", "varies"] as const) {
    if (!experiment[field]?.trim()) refuse(`it has no ${field}`);
  }
  if (experiment.claims.length === 0) refuse("it claims nothing: give at least one claim with its figure");
  for (const scale of ["software", "hardware"] satisfies Scale[]) {
    const names = await checkArms(experiment, scale, operation, refuse);
    for (const { of, over, predicted, within, text } of experiment.claims) {
      for (const arm of [of, over]) {
        if (!names.has(arm))
          refuse(`the claim "${text}" speaks of ${arm}, which is no arm: there is ${[...names].join(", ")}`);
      }
      if (!(predicted > 0 && Number.isFinite(predicted)))
        refuse(`the claim "${text}" predicts ${predicted}, which is no ratio`);
      if (within === undefined && Math.abs(Math.log(predicted)) < NO_EFFECT)
        refuse(`the claim "${text}" predicts no difference: say within which fraction`);
      if (within !== undefined && !(within > 0))
        refuse(`the claim "${text}" allows ${within}, which is nothing`);
    }
  }
}

async function checkArms(
  experiment: NamedExperiment["experiment"],
  scale: Scale,
  operation: Operation,
  refuse: (why: string) => never,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { name, algorithm: algorithmName, config, problem, peer } of armsAt(experiment, scale)) {
    if (names.has(name)) refuse(`two arms are named ${name}`);
    names.add(name);
    const refusal = operation.refuse(problem);
    if (refusal) refuse(`arm ${name}: ${refusal}`);
    if (peer !== undefined) {
      if (algorithmName !== HOST_ALGORITHM) refuse(`arm ${name}: a peer's algorithm is ${HOST_ALGORITHM}`);
      if (Object.keys(config).length > 0) refuse(`arm ${name}: a peer has no parameters`);
      continue;
    }
    const algorithm = await operation.algorithms[algorithmName]?.();
    if (!algorithm)
      return refuse(
        `arm ${name}: ${operation.name} has no algorithm "${algorithmName}": it has ${Object.keys(operation.algorithms).join(", ")}`,
      );
    const wrong = checkConfig(algorithm.space(problem), config);
    if (wrong) refuse(`arm ${name}: ${wrong}`);
  }
  if (names.size < 2) refuse("it compares nothing: give at least two arms");
  return names;
}
