import {
  type Metric,
  type Problem,
  problemKey,
  type Suite,
  TIME_METRIC,
  type Trial,
} from "@tunelab/contract";
import { formatTime, type Grid, significant } from "@tunelab/report";
import { objectiveNamed } from "@tunelab/tuner";

/** The best trial by an objective: of the certified ones where there are any, else of all. */
export function bestBy(
  trials: readonly Trial[],
  cost: (trial: Trial) => number | undefined,
): Trial | undefined {
  const rankable = trials.filter((trial) => cost(trial) !== undefined);
  const certified = rankable.filter(({ grade }) => grade === "certified");
  return (certified.length > 0 ? certified : rankable).reduce<Trial | undefined>(
    (best, trial) => (best && cost(best)! <= cost(trial)! ? best : trial),
    undefined,
  );
}

/**
 * What a session found of an operation that has metrics of its own: for each problem its best by the objective, with every metric.
 * Undefined where there is none to show.
 */
export function metricsGrid(suite: Suite, trials: readonly Trial[], objective: string): Grid | undefined {
  const { metrics = [] } = suite;
  const own = trials.filter(({ operation }) => operation === suite.operation.name);
  if (metrics.length === 0 || own.length === 0) return undefined;
  const { cost } = objectiveNamed(objective, suite);
  const problems = new Map<string, Problem>(own.map(({ problem }) => [problemKey(problem), problem]));
  const rows = [...problems.keys()].flatMap((key) => {
    const best = bestBy(
      own.filter(({ problem }) => problemKey(problem) === key),
      cost,
    );
    return best ? [[key, best.variant, ...figures(best, metrics)]] : [];
  });
  if (rows.length === 0) return undefined;
  return {
    columns: [
      { title: "problem", align: "left" },
      { title: `best by ${objective}`, align: "left", code: true },
      { title: TIME_METRIC, align: "right" },
      ...metrics.map(({ name, unit }) => ({ title: `${name} (${unit})`, align: "right" as const })),
    ],
    rows,
  };
}

/** The trial's time and its metrics, in their order. */
function figures({ timing, metrics: values }: Trial, metrics: readonly Metric[]): readonly string[] {
  const us = timing && Math.min(...timing.samplesNs) / timing.repeats / 1_000;
  return [
    formatTime(us),
    ...metrics.map(({ name }) => (values?.[name] === undefined ? "--" : significant(values[name]))),
  ];
}
