import {
  type Config,
  type DeviceInfo,
  type Operation,
  type Problem,
  type TableEntry,
  type TuningTable,
  wholeConfig,
} from "@tunelab/contract";
import { CLOSENESS, deviceDistance } from "@tunelab/selection";
import { checkConfig } from "@tunelab/variants";
import type { Candidate, Spaces } from "./strategies/strategy.ts";

/** Candidates taken over at most: about what a search spends before it has learnt anything of its own. */
const MOST = 6;

/** Rows of one entry at most, so that a second opinion comes before the fourth best of the first. */
const ROWS = 2;

/** Distance of an entry whose problem differs by name where this one has another: as far as a factor of 16. */
const OTHER_NAME = 4;

/** What is searched, and for whom. */
export interface Sought {
  readonly operation: Operation;
  readonly problem: Problem;
  readonly spaces: Spaces;
  readonly device: DeviceInfo;
}

/**
 * Candidates to begin a search with: the best rows of tables of this or related devices and of this or neighbouring problems,
 * nearest first, as far as they are valid here. Distance is the sum of the doublings between the problems' numbers and a
 * step a degree of kinship between the devices. Nothing is borrowed blindly: a bad guess costs one evaluation.
 */
export function startFrom(tables: readonly TuningTable[], sought: Sought): readonly Candidate[] {
  const { operation, problem, spaces, device } = sought;
  const entries: { readonly distance: number; readonly entry: TableEntry }[] = [];
  for (const table of tables) {
    if (table.operation !== operation.name) continue;
    const kinship = CLOSENESS.indexOf(deviceDistance(device, table.device).closeness);
    for (const entry of table.entries) {
      entries.push({ distance: kinship + problemsApart(problem, entry.problem), entry });
    }
  }
  entries.sort((a, b) => a.distance - b.distance); // stable: equals stay in the order of the tables
  const start = new Map<string, Candidate>();
  for (const { entry } of entries) {
    const rows = [...entry.rows].sort((a, b) => a.rank - b.rank).slice(0, ROWS);
    for (const { algorithm, config: row } of rows) {
      const space = spaces.find((one) => one.algorithm === algorithm)?.space;
      if (!space) continue;
      const config = wholeConfig(space, row);
      if (checkConfig(space, config) !== undefined) continue;
      start.set(keyOf(algorithm, config, space.parameters), { algorithm, config });
      if (start.size === MOST) return [...start.values()];
    }
  }
  return [...start.values()];
}

const keyOf = (algorithm: string, config: Config, parameters: readonly { readonly name: string }[]): string =>
  JSON.stringify([algorithm, ...parameters.map(({ name }) => config[name])]);

function problemsApart(asked: Problem, known: Problem): number {
  let sum = 0;
  for (const name of new Set([...Object.keys(asked), ...Object.keys(known)])) {
    const [want, have] = [asked[name], known[name]];
    if (want === have) continue;
    const numbers = typeof want === "number" && typeof have === "number" && want > 0 && have > 0;
    sum += numbers ? Math.abs(Math.log2(want / have)) : OTHER_NAME;
  }
  return sum;
}
