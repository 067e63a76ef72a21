// node exhaustive-verdict.mjs EXHAUSTIVE.jsonl [DEFAULT.jsonl]: how far from the exhaustive best the other session ended, and where the time of both went.
// Both variants' times are taken from the exhaustive session, so that nothing but the choice is judged: certified where it certified them, else screened (marked).
import { existsSync } from "node:fs";
import { journalOf } from "./journal.mjs";

const GRADES = ["screened", "raced", "certified"];
function read(path) {
  const { trials, events } = journalOf(path);
  const spent = {};
  for (const { kind, spentMs = {} } of events)
    if (kind === "finished")
      for (const [key, ms] of Object.entries(spentMs)) spent[key] = (spent[key] ?? 0) + ms;
  return { trials, spent };
}
const nsOf = ({ status, timing }) =>
  ["ok", "noisy"].includes(status) && timing?.samplesNs.length
    ? Math.min(...timing.samplesNs) / timing.repeats
    : undefined;
/** Plans with a time, fastest first; of each the trial of the highest grade. */
function ranked({ trials }) {
  const plans = new Map();
  for (const trial of trials) {
    if (nsOf(trial) === undefined) continue;
    const known = plans.get(trial.planHash);
    if (!known || GRADES.indexOf(trial.grade) >= GRADES.indexOf(known.grade))
      plans.set(trial.planHash, trial);
  }
  return [...plans.values()].sort((a, b) => nsOf(a) - nsOf(b));
}
const text = (trial) =>
  `${(nsOf(trial) / 1000).toFixed(2)} us ${trial.grade}${trial.status === "ok" ? "" : ` ${trial.status}`} ${trial.variant}`;
function told(name, { trials, spent }) {
  const plans = new Set(trials.map(({ planHash }) => planHash)).size;
  const total = Object.values(spent).reduce((sum, ms) => sum + ms, 0);
  const shares = Object.entries(spent)
    .sort(([, a], [, b]) => b - a)
    .map(([key, ms]) => `${key} ${((100 * ms) / total).toFixed(0)}%`);
  const failed = trials.filter((trial) => nsOf(trial) === undefined).length;
  console.log(
    `${name}: ${trials.length} trials of ${plans} plans (${trials.filter(({ grade }) => grade === "certified").length} certified, ${failed} without a time)${total ? `; ${(total / 1000).toFixed(0)} s: ${shares.join(", ")}` : ""}`,
  );
}

const [exhaustivePath, defaultPath] = process.argv.slice(2);
const sessions = [
  ["exhaustive", exhaustivePath],
  ["default", defaultPath],
].map(([name, path]) => {
  if (!path || !existsSync(path)) return undefined;
  const session = read(path);
  told(name, session);
  return session;
});
if (!sessions[0] || !sessions[1]) {
  console.log("no verdict yet: it needs both journals");
} else {
  const all = ranked(sessions[0]);
  // What a table would name: certified rows alone.
  const certified = (list) => list.filter(({ grade }) => grade === "certified");
  const best = certified(all)[0] ?? all[0];
  const chosen = certified(ranked(sessions[1]))[0] ?? ranked(sessions[1])[0];
  const there = all.find(({ planHash }) => planHash === chosen.planHash);
  console.log(`exhaustive best: ${text(best)}`);
  console.log(`default's best:  ${text(chosen)}`);
  if (!there)
    console.log("the default's best has no time in the exhaustive journal (not measured yet?): no verdict");
  else {
    const behind = 100 * (nsOf(there) / nsOf(best) - 1);
    console.log(`its time there:  ${text(there)}`);
    console.log(
      `default ended within ${Math.max(0, behind).toFixed(2)}% of the exhaustive best${behind <= 1 ? "" : ": MORE THAN 1%"}; place ${all.indexOf(there) + 1} of ${all.length}`,
    );
  }
}
