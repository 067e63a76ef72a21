import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson, Fault, PROFILES, type Problem, problemKey } from "@tunelab/contract";
import { columns, formatTime, gridMarkdown } from "@tunelab/report";
import * as v from "valibot";
import { withAdded } from "../keyed.ts";

/** A set of code-generating toggles, as it is told. */
export interface ToggleSet {
  readonly name: string;
  readonly toggles: readonly string[];
}

/** What each toggle is told as. */
const WITHOUT: Readonly<Record<string, string>> = {
  disable_robustness: "without robustness",
  disable_workgroup_init: "without zeroed workgroup memory",
};

/** Portable, each of native's toggles alone, and native. */
export const TOGGLE_SETS: readonly ToggleSet[] = [
  { name: "portable", toggles: PROFILES.portable.toggles },
  ...PROFILES.native.toggles.map((toggle) => ({ name: WITHOUT[toggle] ?? toggle, toggles: [toggle] })),
  { name: "native", toggles: PROFILES.native.toggles },
];

/** One variant's least time of all rounds under each set, and what it was verified with. */
export interface ToggleTimes {
  readonly device: string;
  readonly commit: string;
  readonly day: string;
  readonly kernel: string;
  readonly problem: Problem;
  readonly variant: string;
  readonly workgroupBytes: number;
  readonly rounds: number;
  readonly matched: number;
  readonly total: number;
  /** Microseconds by the name of the set; how far the two least rounds of any set lie apart, as a fraction. */
  readonly leastUs: Readonly<Record<string, number>>;
  readonly scatter: number;
}

const real = v.pipe(v.number(), v.finite(), v.minValue(0));
const timesCheck: v.GenericSchema<unknown, ToggleTimes> = v.object({
  device: v.string(),
  commit: v.string(),
  day: v.string(),
  kernel: v.string(),
  problem: v.record(v.string(), v.union([v.number(), v.string()])),
  variant: v.string(),
  workgroupBytes: real,
  rounds: real,
  matched: real,
  total: real,
  leastUs: v.record(v.string(), real),
  scatter: real,
});
const file: v.GenericSchema<unknown, readonly ToggleTimes[]> = v.array(timesCheck);

/** Where the published ones lie, from the checkout's root. */
export const TOGGLE_DATA: string = "reports/compiler/toggle-times.json";

/** Reads a file of them. @throws Fault `data` that names it when it is none. */
export function parseToggleTimes(text: string, path: string): readonly ToggleTimes[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Fault("data", `${path} is not JSON: measure again with \`pnpm lab toggles\``);
  }
  const parsed = v.safeParse(file, data);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Fault("data", `${path} holds no times of toggles: ${v.getDotPath(issue) ?? ""} ${issue.message}`);
}

/** The published ones; none where nobody published any. */
export async function readToggleTimes(root: string): Promise<readonly ToggleTimes[]> {
  const text = await readFile(join(root, TOGGLE_DATA), "utf8").catch(() => undefined);
  return text === undefined ? [] : parseToggleTimes(text, TOGGLE_DATA);
}

const keyOf = ({ device, kernel, problem, variant }: ToggleTimes): string =>
  canonicalJson([device, kernel, problem, variant]);

/** Those known with others added, each in place of an older one of its variant on its device, in the order of their keys. */
export function withToggleTimes(
  known: readonly ToggleTimes[],
  added: readonly ToggleTimes[],
): readonly ToggleTimes[] {
  return withAdded(known, added, keyOf);
}

/** One line an entry. */
export const toggleTimesText = (times: readonly ToggleTimes[]): string =>
  `[\n${times.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]\n`;

/** The page's section: each toggle's share of what portable pays. */
export function toggleSection(times: readonly ToggleTimes[]): string {
  if (times.length === 0) return "Nobody measured any: `pnpm lab toggles matched-filter --write` does.";
  const ratio = (one: ToggleTimes, name: string): string => {
    const [least, own] = [one.leastUs[name], one.leastUs.native];
    return least && own ? `${(least / own).toFixed(3)}x` : "--";
  };
  const names = TOGGLE_SETS.map(({ name }) => name).filter((name) => name !== "native");
  const grid = gridMarkdown({
    columns: columns(
      ...["device", "kernel", "problem", "`variant`", ">workgroup memory", ">native"],
      ...names.map((name) => `>${name}`),
      ...[">scatter", ">verified"],
    ),
    rows: times.map((one) => [
      ...[one.device, one.kernel, problemKey(one.problem), one.variant, `${one.workgroupBytes} bytes`],
      formatTime(one.leastUs.native ?? Number.NaN),
      ...names.map((name) => ratio(one, name)),
      ...[`${(100 * one.scatter).toFixed(0)}%`, `${one.matched}/${one.total}`],
    ]),
  });
  return (
    "Least time under each set of toggles over least time under native, of the same plans in turn, in hosts of their own. `without robustness` still zeroes workgroup memory, " +
    "`without zeroed workgroup memory` still bounds every index. *Scatter*: how far apart the two least rounds of a set lay, of the worst set; a smaller difference says nothing." +
    `\n\n${grid}`
  );
}
