import { type Algorithm, type Config, Fault } from "@tunelab/contract";
import { formatId, parseConfig, parseId } from "@tunelab/variants";
import type { Refusal, SelectRequest } from "./select.ts";

/**
 * The configuration that an id names for a problem; what it leaves out is as in the algorithm's default. Rejects with `Fault` usage that
 * says what is wrong with the id.
 */
export async function configNamed(
  { operation, problem, capabilities }: SelectRequest,
  id: string,
  load: (algorithm: string) => Promise<Algorithm | undefined>,
): Promise<{ readonly variant: string; readonly algorithm: Algorithm; readonly config: Config }> {
  const { algorithm: name, settings } = parseId(id);
  const algorithm = await load(name);
  if (!algorithm) {
    const known = Object.keys(operation.algorithms).join(", ");
    throw new Fault("usage", `${operation.name} has no algorithm ${name}: it has ${known}`);
  }
  const defaults = algorithm.defaultConfig(problem, capabilities);
  const config = parseConfig(algorithm.space(problem), settings, defaults);
  return { variant: formatId(name, algorithm.space(problem), config), algorithm, config };
}

/** The fault of a pinned variant that was refused. */
export function cannotRun(variant: string, refused: readonly Refusal[]): Fault {
  const [refusal] = refused as [Refusal];
  return new Fault(
    "unsupported",
    `the pinned variant ${variant} cannot run here: it ${refusal.reason} (${refusal.limit}); pin another or none`,
    { refused },
  );
}
