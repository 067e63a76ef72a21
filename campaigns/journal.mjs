// Reads a journal of `lab tune` for the scripts here: its trials and its events. A line that is no JSON, as a last one that was cut short, is left out.
import { readFileSync } from "node:fs";

export function journalOf(path) {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  const records = (wanted) => lines.filter(({ kind }) => kind === wanted).map(({ record }) => record);
  return { trials: records("trial"), events: records("event") };
}
