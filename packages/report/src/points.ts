import {
  bestNs,
  type Config,
  type Operation,
  type Problem,
  problemKey,
  type SessionEvidence,
  type Trial,
  type TuningTable,
  tableFolder,
  wholeConfig,
} from "@tunelab/contract";
import { machineOf, type Spread } from "@tunelab/selection";

/** One variant's best time on one problem, whatever its grade: what tables leave out, for pictures of the whole space. */
export interface Point {
  readonly problem: Problem;
  /** `problemKey(problem)`. */
  readonly key: string;
  readonly algorithm: string;
  readonly variant: string;
  readonly config: Config;
  /** Minimum over the samples of one repeat, in microseconds. */
  readonly us: number;
  /** Least and median time and their scatter; absent where only the least is known. */
  readonly spread?: Spread;
  readonly certified: boolean;
  readonly isDefault: boolean;
  /** Of one run, by the suite's formula. */
  readonly flops: number;
  readonly bytes: number;
}

/** Of a table's sessions, oldest first, those of the newest one's machine: times of different machines never meet. */
export function sessionsOf(
  table: TuningTable,
  evidence: readonly SessionEvidence[],
): readonly SessionEvidence[] {
  const folder = tableFolder(table.device.identity, table.profile);
  const own = evidence.filter(
    ({ header }) =>
      table.sessions.includes(header.id) && tableFolder(header.device.identity, header.profile) === folder,
  );
  const newest = own.at(-1);
  return newest ? own.filter((one) => machineOf(one) === machineOf(newest)) : [];
}

/**
 * Every verified variant that the table's sessions timed, one point a problem and variant: the certified trial's, else the
 * newest. Only the newest session's machine counts, so that times of different machines never meet; `evidence` is without
 * what was retracted.
 */
export function pointsOf(table: TuningTable, evidence: readonly SessionEvidence[]): readonly Point[] {
  const points = new Map<string, Point>();
  for (const session of sessionsOf(table, evidence)) {
    for (const trial of session.trials) {
      const point =
        trial.operation === table.operation && trial.epoch === table.epoch ? pointOf(trial) : undefined;
      if (!point) continue;
      const place = `${point.key} ${point.variant}`;
      const known = points.get(place);
      if (!known?.certified || point.certified) points.set(place, point);
    }
  }
  return [...points.values()];
}

/** One trial as a point; undefined where it gave no time. */
export function pointOf(trial: Trial): Point | undefined {
  const ns = bestNs(trial);
  if (ns === undefined || !(ns > 0)) return undefined;
  const { problem, algorithm, variant, config, grade, isDefault, work } = trial;
  const spread = spreadOf(trial);
  return {
    problem,
    key: problemKey(problem),
    algorithm,
    variant,
    config,
    us: ns / 1000,
    ...(spread ? { spread } : {}),
    certified: grade === "certified",
    isDefault,
    flops: work.flops,
    bytes: work.bytes,
  };
}

/** Scatter of a trial's samples; undefined for fewer than two. */
function spreadOf({ timing }: Trial): Spread | undefined {
  const times = (timing?.samplesNs ?? []).map((ns) => ns / timing!.repeats / 1000).sort((a, b) => a - b);
  if (times.length < 2) return undefined;
  const mean = times.reduce((sum, us) => sum + us, 0) / times.length;
  const variance = times.reduce((sum, us) => sum + (us - mean) ** 2, 0) / (times.length - 1);
  const medianUs = (times[(times.length - 1) >> 1]! + times[times.length >> 1]!) / 2;
  return { minUs: times[0]!, medianUs, cv: Math.sqrt(variance) / mean, samples: times.length };
}

/** Completes configurations that are older than a parameter of the code as it is; without an operation they stay. */
export type Completing = (of: Pick<Point, "algorithm" | "problem" | "config">) => Config;

export async function completing(operation: Operation | undefined): Promise<Completing> {
  const loaded = Object.entries(operation?.algorithms ?? {}).map(
    async ([name, load]) => [name, await load()] as const,
  );
  const algorithms = new Map(await Promise.all(loaded));
  return ({ algorithm: name, problem, config }) => {
    const algorithm = algorithms.get(name);
    return algorithm && !operation?.refuse(problem) ? wholeConfig(algorithm.space(problem), config) : config;
  };
}

/** The fastest of some points. */
export function fastest(points: readonly Point[]): Point | undefined {
  return points.reduce<Point | undefined>(
    (best, point) => (best && best.us <= point.us ? best : point),
    undefined,
  );
}
