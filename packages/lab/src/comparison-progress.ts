import type { CompareProgress } from "@tunelab/compare";
import { problemKey } from "@tunelab/contract";
import { verdictText } from "@tunelab/report";
import cliProgress from "cli-progress";
import type { Io } from "./io.ts";

/** Tells how a comparison goes: a bar on a terminal, else a line for each row as it is done. */
export function comparisonProgress(io: Io): { readonly listen: CompareProgress; stop(): void } {
  const bar = io.interactive
    ? new cliProgress.SingleBar(
        {
          format: "{bar} {value}/{total} | {eta_formatted} left | {what}",
          hideCursor: true,
          barsize: 24,
          clearOnComplete: true,
        },
        cliProgress.Presets.shades_classic,
      )
    : undefined;
  let running = false;
  const listen: CompareProgress = (event) => {
    if (event.kind === "bout") {
      const what = `${event.bout.operation} ${problemKey(event.bout.problem)}`;
      if (bar && !running) bar.start(event.of, 0, { what });
      running = true;
      bar?.update(event.index, { what });
      return;
    }
    const { row, index, of } = event;
    bar?.increment();
    if (!bar)
      io.note(`  ${index + 1}/${of} ${row.operation} ${problemKey(row.problem)}: ${verdictText(row)}`);
  };
  return {
    listen,
    stop: () => {
      if (running) bar?.stop();
      running = false;
    },
  };
}
