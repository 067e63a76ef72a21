// node accuracy-table.mjs FOLDER: of the journals accuracy-N-PLACE.jsonl there, every form with its matrices right of all and its largest error in n eps.
import { readdirSync, readFileSync } from "node:fs";

const out = process.argv[2];
/** Order and place of a form in the list, as one number to sort by; NaN for any other file. */
const placeOf = (name) => {
  const [, n, place] = /^accuracy-(\d+)-(\d+)\.jsonl$/.exec(name) ?? [];
  return Number(n) * 100 + Number(place);
};
const rows = [["form", "n", "right", "max error", "status"]];
for (const file of readdirSync(out)
  .filter((name) => placeOf(name) > 0)
  .sort((a, b) => placeOf(a) - placeOf(b))) {
  const trials = readFileSync(`${out}/${file}`, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return []; // a last line that was cut short
      }
    })
    .filter(({ kind }) => kind === "trial")
    .map(({ record }) => record);
  if (trials.length === 0) rows.push([file, "--", "--", "--", "no trial: its .txt says why"]);
  for (const { algorithm, config, problem, verdict, status, reason } of trials) {
    const { solver, groups } = config;
    rows.push([
      solver ? `${algorithm} ${solver} groups=${groups}` : algorithm,
      String(problem.n),
      verdict ? `${verdict.matched}/${verdict.total}` : "--",
      verdict ? Number(verdict.maxError).toFixed(2) : "--",
      reason ? `${status}: ${reason}` : status,
    ]);
  }
}
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows)
  console.log(
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
