// node accuracy-table.mjs FOLDER: of each journal accuracy-N-FORM.jsonl there, the matrices of that form that were right of all, over all its trials, and its largest error
// in n eps. Trials of any other variant do not count. Exit 1 where a form has none, or a matrix of it is wrong.
import { readdirSync } from "node:fs";
import { journalOf } from "./journal.mjs";

const out = process.argv[2];
const parse = (name) => {
  const found = /^accuracy-(\d+)-([\w-]+)\+?(.*)\.jsonl$/.exec(name);
  if (!found) return [];
  const settings = found[3].split(",").filter(Boolean);
  return [
    { name, n: Number(found[1]), algorithm: found[2], settings: settings.map((one) => one.split("=")) },
  ];
};
const files = readdirSync(out)
  .flatMap(parse)
  .sort((a, b) => a.n - b.n || (a.name < b.name ? -1 : 1));
const rows = [["form", "n", "right", "max error", "status"]];
if (files.length === 0) process.exitCode = 1;
for (const { name, n, algorithm, settings } of files) {
  const own = journalOf(`${out}/${name}`)
    .trials.filter((one) => one.algorithm === algorithm)
    // The default alone is what a form without settings means.
    .filter((one) =>
      settings.length > 0
        ? settings.every(([key, value]) => String(one.config[key]) === value)
        : one.isDefault,
    );
  const judged = own.filter(({ verdict }) => verdict);
  const sum = (field) => judged.reduce((total, one) => total + one.verdict[field], 0);
  const words = settings.map(([key, value]) => `${key}=${value}`).join(",");
  const told = own.map(({ status, reason }) => (reason ? `${status}: ${reason}` : status));
  const right = judged.length > 0 && judged.length === own.length && sum("matched") === sum("total");
  if (!right) process.exitCode = 1;
  rows.push([
    words ? `${algorithm} ${words}` : algorithm,
    String(n),
    judged.length > 0 ? `${sum("matched")}/${sum("total")}` : "--",
    judged.length > 0 ? Math.max(...judged.map((one) => Number(one.verdict.maxError))).toFixed(2) : "--",
    [...new Set(told)].join("; ") || "not run: its .txt says why",
  ]);
}
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows)
  console.log(
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
