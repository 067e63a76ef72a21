import { type ChartSpec, LOOK, positive, SERIES, seconds, timeAxis, WIDTH } from "@tunelab/report";
import type { ExperimentRun } from "./result.ts";

/** Every round's time of every arm, a line of marks an arm, the median marked. Undefined when no round gave a time. */
export function armsChart(run: ExperimentRun): ChartSpec | undefined {
  const rounds = run.arms.flatMap(({ name, timesUs }) =>
    timesUs.flatMap((us) => (us !== null && positive(us) ? [{ arm: name, time: seconds(us) }] : [])),
  );
  if (rounds.length === 0) return undefined;
  const arms = run.arms.map(({ name }) => name);
  const x = {
    field: "time",
    type: "quantitative",
    scale: { type: "log" },
    axis: timeAxis(rounds.map(({ time }) => time)),
  } as const;
  return {
    data: { values: rounds },
    title: { text: "time of each arm, round by round", subtitle: `${run.device}, ${run.profile}` },
    width: WIDTH,
    height: { step: 24 },
    config: LOOK,
    encoding: { y: { field: "arm", type: "nominal", sort: arms, axis: { title: null, grid: true } } },
    layer: [
      {
        mark: { type: "tick", thickness: 2, size: 14, color: SERIES[0]! },
        encoding: { x },
      },
      {
        mark: { type: "point", filled: true, size: 60, color: SERIES[1]!, opacity: 1 },
        encoding: { x: { ...x, aggregate: "median" } },
      },
    ],
  };
}
