/**
 * Looks for a change of a given size, many times: picks among packed commits, and among problems, what is slower by the fraction
 * nearest to the one wanted, then compares it with the plain one with another seed each time and counts how often it is called
 * slower. Several problems, because a kernel may have a step in its time where its text leaves the instruction cache: at n = 1024
 * on an H200 14 multiply-adds more cost a matched filter 0.4%, 24 cost 3.2%.
 * Plain Node, so that it runs where the packed laboratory does. Exit 0 when it was seen often enough.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HELP = `node measure.mjs --lab DIR --kernel NAME --problem DIMS [--variant ID] [--device ID] [--profile NAME]
  --problem may be given again: the one with the candidate nearest to the effect is taken
  --effect F   fraction to look for (default 0.01)
  --runs N     comparisons (default 10), of which --least N (default 9) must see it
  --out FILE   where the figures go as JSON, after each comparison; one that is there is gone on from
  --seconds N  begin no comparison after so many seconds (exit 3: run it again)

Example: node measure.mjs --lab lab --kernel matched-filter --problem n=1024,data=64,templates=512,pairs=32768`;

const { values: flags } = parseArgs({
  options: {
    lab: { type: "string" },
    kernel: { type: "string" },
    problem: { type: "string", multiple: true },
    variant: { type: "string" },
    device: { type: "string", default: "auto" },
    profile: { type: "string", default: "portable" },
    effect: { type: "string", default: "0.01" },
    runs: { type: "string", default: "10" },
    least: { type: "string", default: "9" },
    out: { type: "string" },
    seconds: { type: "string", default: "Infinity" },
    help: { type: "boolean" },
  },
});
if (flags.help || !flags.lab || !flags.kernel || !flags.problem) {
  console.log(HELP);
  process.exit(flags.help ? 0 : 2);
}

const folder = mkdtempSync(join(tmpdir(), "compare-power-"));
const sides = join(flags.lab, "sides");
const candidates = readdirSync(sides)
  .map((name) => JSON.parse(readFileSync(join(sides, name, "side.json"), "utf8")).revision.text)
  .filter((text) => text !== "plain");

/** One comparison of a candidate with the plain commit at a problem; its row, and the seconds it took. */
function compare(candidate, problem, seed, ...more) {
  const record = join(folder, "record.json");
  const words = ["compare", "plain", candidate, "--kernel", flags.kernel, "--problem", problem];
  words.push("--device", flags.device, "--profile", flags.profile, "--seed", String(seed), "--no-straddle");
  if (flags.variant) words.push("--variant", flags.variant);
  const from = Date.now();
  rmSync(record, { force: true });
  try {
    const quiet = ["ignore", "ignore", "pipe"];
    execFileSync(process.execPath, [join(flags.lab, "lab.mjs"), ...words, "--record", record, ...more], {
      stdio: quiet,
    });
  } catch (error) {
    // 1: regressed, as it should be; 3: unresolved. Everything else, 1 without a record too, is told and ends this.
    if ((error.status !== 1 && error.status !== 3) || !existsSync(record))
      throw new Error(`${candidate}, ${problem}: ${String(error.stderr).trim()}`);
  }
  const { rows, deviceSlug } = JSON.parse(readFileSync(record, "utf8"));
  const [row] = rows;
  if (row.verdict === "invalid") throw new Error(`${candidate}, ${problem}: ${row.reason}`);
  device = deviceSlug;
  return { row, seconds: (Date.now() - from) / 1000 };
}

const told = ({ row: { verdict, judgement, ns, outcomes }, seconds }) => {
  const equal = outcomes[0].shapes.every(({ buffers }) => buffers.every(({ differing }) => differing === 0));
  const { ratio, low, high, count } = judgement;
  return { verdict, ratio, low, high, count, ns, bits: equal ? "equal" : "differ", seconds };
};
const line = ({ verdict, ratio, low, high, ns, bits, seconds }) =>
  `${(ns.base / 1e3).toFixed(1)} us, ratio ${ratio.toFixed(4)} (${Number(low).toFixed(4)} to ${Number(high).toFixed(4)}), ` +
  `${verdict}, bits ${bits}, ${seconds.toFixed(1)} s`;

const started = Date.now();
const done = flags.out && existsSync(flags.out) ? JSON.parse(readFileSync(flags.out, "utf8")) : {};
const { tried = [], runs = [] } = done;
let { nearest, problem, device } = done;

/** Keeps what was found so far, whole or not at all. */
function keep() {
  if (!flags.out) return;
  writeFileSync(
    `${flags.out}.new`,
    `${JSON.stringify({ flags, device, tried, nearest, problem, runs, seen: seen() }, null, 1)}\n`,
  );
  renameSync(`${flags.out}.new`, flags.out);
}
const seen = () => runs.filter(({ verdict }) => verdict === "slower").length;

/** Before a comparison: ends this when its time is up. */
function inTime(next) {
  if (Date.now() - started < 1_000 * Number(flags.seconds)) return;
  console.log(`No time for ${next}: run it again with the same --out`);
  process.exit(3);
}

const wanted = 1 + Number(flags.effect);
const far = ({ ratio }) => Math.abs(ratio - wanted);
/** Near enough to look no further: a change of 0.9% to 1.1% where 1% is wanted. */
const near = (one) => far(one) <= 0.1 * Number(flags.effect);

for (const at of flags.problem) {
  for (const name of candidates) {
    if (tried.some((known) => near(known) || (known.name === name && known.problem === at))) continue;
    inTime(`${name}, ${at}`);
    const found = told(compare(name, at, 1, "--looks", "32"));
    console.log(`${name}, ${at}: ${line(found)}`);
    tried.push({ name, problem: at, ...found });
    keep();
  }
}
const best = tried.reduce((least, one) => (far(one) < far(least) ? one : least));
nearest ??= best.name;
problem ??= best.problem;
console.log(`nearest to ${flags.effect}: ${nearest} (${(best.ratio - 1).toFixed(4)}), ${problem}`);
while (runs.length < Number(flags.runs)) {
  inTime(`run ${runs.length + 1}`);
  const found = told(compare(nearest, problem, 100 + 3 * runs.length));
  runs.push(found);
  console.log(`run ${runs.length}: ${line(found)}`);
  keep();
}
const enough = seen() >= Number(flags.least);
console.log(`${seen()} of ${runs.length} called it slower: ${enough ? "enough" : "TOO FEW"}`);
process.exit(enough ? 0 : 1);
