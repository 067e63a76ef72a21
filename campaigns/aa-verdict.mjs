// node aa-verdict.mjs RECORD LEAST: what one comparison of a commit with itself said. Exit 0: nothing changed, all bits equal, LEAST entries timed.
import { readFileSync } from "node:fs";

const [path, least] = process.argv.slice(2);
const { rows, control } = JSON.parse(readFileSync(path, "utf8"));
const counts = {};
for (const { verdict, judgement } of rows) {
  const word = verdict === "invalid" ? "invalid" : (judgement?.verdict ?? "untimed");
  counts[word] = (counts[word] ?? 0) + 1;
}
const differ = rows
  .flatMap(({ outcomes }) => outcomes.flatMap(({ shapes }) => shapes.flatMap(({ buffers }) => buffers)))
  .filter(({ differing }) => differing > 0).length;
const us = rows.flatMap(({ ns }) => (ns ? [ns.base / 1e3] : [])).sort((a, b) => a - b);
const off = rows.flatMap(({ judgement }) => (judgement ? [Math.abs(Math.log(judgement.ratio))] : []));
const distinct = new Set(
  rows.map(({ problem, routes: { base } }) => JSON.stringify([problem, base.variant ?? base.refused])),
);
console.log(
  `  ${rows.length} rows, ${distinct.size} distinct: ${JSON.stringify(counts)}; buffers that differ ${differ}; control ${control?.verdict}; ` +
    `${us[0]?.toFixed(1)} to ${us.at(-1)?.toFixed(1)} us; largest |ln ratio| ${Math.max(...off).toFixed(5)}`,
);
for (const { verdict, reason, operation, problem, routes, outcomes } of rows) {
  if (verdict === "invalid") console.log(`  invalid: ${operation} ${JSON.stringify(problem)}: ${reason}`);
  // What the first placement called changed: what each placement said, for the rule of placements stands or falls by this.
  for (const { notes, total } of outcomes) {
    if (!total?.placements) continue;
    const said = total.placements.map(({ ratio, swapped }) => `${swapped ? "BA" : "AB"} ${ratio.toFixed(4)}`);
    console.log(
      `  placed anew: ${operation} ${routes.base.variant}: ${said.join(", ")}; ${notes.join("; ")}`,
    );
  }
}
const timed = rows.filter(({ verdict, judgement }) => verdict !== "invalid" && judgement).length;
const fine = !counts.changed && control?.verdict !== "changed" && differ === 0 && timed >= Number(least);
process.exit(fine ? 0 : 1);
