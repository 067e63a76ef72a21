import { type Capabilities, type Config, Fault, type Problem, type Space } from "@tunelab/contract";
import { planSubject } from "../subject.ts";
import { ownFault, type SideModule } from "./module.ts";

/** What is used of a side's own variant generator. */
export interface Drawer {
  readonly sample: (space: Space, random: DrawerRandom, count: number) => readonly Config[];
  readonly randomFrom: (seed: number) => DrawerRandom;
}

interface DrawerRandom {
  shuffle<T>(list: readonly T[]): T[];
}

/** A variant that was drawn; its plan fits the device. */
export interface Drawn {
  readonly algorithm: string;
  readonly config: Config;
}

/** Configurations drawn for each variant wanted: of a space of which one in 16 fits the device enough are left. */
const DRAWN_A_VARIANT = 16;

/**
 * Draws variants of a problem that fit the device and whose plans differ: the same for the same seed and code; fewer than
 * asked for where there are no more. @throws Fault `unsupported` when none fits, or the side has no package to draw with.
 */
export async function drawVariants(
  { suite, variants }: SideModule,
  problem: Problem,
  { count, seed }: { readonly count: number; readonly seed: number },
  capabilities: Capabilities,
): Promise<readonly Drawn[]> {
  if (!variants)
    throw new Fault("unsupported", "this side cannot draw variants: it has no package @tunelab/variants");
  const random = variants.randomFrom(seed);
  const drawn: Drawn[] = [];
  for (const [name, load] of Object.entries(suite.operation.algorithms)) {
    const configs = variants.sample((await load()).space(problem), random, DRAWN_A_VARIANT * count);
    drawn.push(...configs.map((config) => ({ algorithm: name, config })));
  }
  const found = new Map<string, Drawn>();
  for (const one of random.shuffle(drawn)) {
    if (found.size >= count) break;
    const algorithm = await suite.operation.algorithms[one.algorithm]!();
    const planned = await planSubject(suite, algorithm, { problem, config: one.config }, capabilities).catch(
      (error: unknown) => {
        if (ownFault(error) instanceof Fault) return undefined;
        throw error;
      },
    );
    if (planned && !found.has(planned.planHash)) found.set(planned.planHash, one);
  }
  if (found.size === 0)
    throw new Fault(
      "unsupported",
      `none of ${drawn.length} variants drawn of ${suite.operation.name} fits this device`,
    );
  return [...found.values()];
}
