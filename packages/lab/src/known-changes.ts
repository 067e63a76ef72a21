import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@tunelab/contract";
import { columns, formatPercent, formatTime, gridMarkdown, Page } from "@tunelab/report";
import { binomialDistribution, bisect, mean, sum } from "simple-statistics";
import * as v from "valibot";
import { withAdded } from "./keyed.ts";

/** Where the published ones lie, from the checkout's root, and the page made from them. */
export const KNOWN_CHANGES_DATA: string = "reports/harness/known-changes.json";
const KNOWN_CHANGES_PAGE = "reports/harness/known-changes.md";

/** One comparison of a commit with another that does a known amount more: the candidate's time over the base's. */
export interface KnownComparison {
  readonly verdict: "faster" | "slower" | "same" | "unresolved";
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Values behind the interval: quads, or placements where they tell. */
  readonly count: number;
  readonly ns: { readonly base: number; readonly candidate: number };
  readonly bits: "equal" | "differ";
  readonly seconds: number;
}

/** A change of known size and every comparison that looked for it. */
export interface KnownChange {
  readonly device: string;
  readonly profile: string;
  readonly kernel: string;
  readonly problem: string;
  /** The burdened commit. */
  readonly name: string;
  /** Its comparisons with the plain commit, each with inputs of another seed. */
  readonly runs: readonly KnownComparison[];
}

/** What `examples/compare-power/src/measure.mjs` writes. */
interface PowerRecord {
  readonly flags: {
    readonly kernel: string;
    readonly problem: string | readonly string[];
    readonly profile: string;
  };
  readonly device?: string | undefined;
  readonly nearest: string;
  /** Records that tried one problem alone name it in their flags. */
  readonly problem?: string | undefined;
  readonly runs: readonly KnownComparison[];
}

const real = v.pipe(v.number(), v.finite(), v.gtValue(0));
const runsCheck: v.GenericSchema<unknown, readonly KnownComparison[]> = v.pipe(
  v.array(
    v.object({
      verdict: v.picklist(["faster", "slower", "same", "unresolved"]),
      ...{ ratio: real, low: real, high: real, count: real, seconds: real },
      ns: v.object({ base: real, candidate: real }),
      bits: v.picklist(["equal", "differ"]),
    }),
  ),
  v.minLength(1),
);
const texts = { profile: v.string(), kernel: v.string() };
const changesCheck: v.GenericSchema<unknown, readonly KnownChange[]> = v.array(
  v.object({ device: v.string(), ...texts, problem: v.string(), name: v.string(), runs: runsCheck }),
);
const recordCheck: v.GenericSchema<unknown, PowerRecord> = v.object({
  flags: v.object({ ...texts, problem: v.union([v.string(), v.array(v.string())]) }),
  device: v.optional(v.string()),
  nearest: v.string(),
  problem: v.optional(v.string()),
  runs: runsCheck,
});

function parsed<T>(check: v.GenericSchema<unknown, T>, text: string, path: string, what: string): T {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Fault("data", `${path} is not JSON: measure again with examples/compare-power/src/measure.mjs`);
  }
  const result = v.safeParse(check, data);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Fault("data", `${path} holds no ${what}: ${v.getDotPath(issue) ?? "its root"}: ${issue.message}`);
}

/** A record of measure.mjs as a change. @throws Fault `data` when it is none, `usage` when neither it nor `device` names a device. */
export function knownChangeOf(text: string, path: string, device?: string): KnownChange {
  const { flags, nearest, runs, ...record } = parsed(recordCheck, text, path, "runs of a known change");
  const problem = record.problem ?? (typeof flags.problem === "string" ? flags.problem : flags.problem[0]);
  if (problem === undefined) throw new Fault("data", `${path} names no problem: measure again`);
  const known = record.device ?? device;
  if (known === undefined)
    throw new Fault("usage", `${path} does not say which device it was measured on: name it with --device`);
  return { device: known, profile: flags.profile, kernel: flags.kernel, problem, name: nearest, runs };
}

/** The published ones; none where nobody published any. @throws Fault `data` when the file is damaged. */
export async function readKnownChanges(root: string): Promise<readonly KnownChange[]> {
  const text = await readFile(join(root, KNOWN_CHANGES_DATA), "utf8").catch(() => undefined);
  return text === undefined ? [] : parsed(changesCheck, text, KNOWN_CHANGES_DATA, "known changes");
}

const keyOf = ({ device, profile, kernel, problem, name }: KnownChange): string =>
  JSON.stringify([device, profile, kernel, problem, name]);

/** Those known with others added, each in place of an older one of its commit and problem on its device, in the order of their keys. */
export function withKnownChanges(
  known: readonly KnownChange[],
  added: readonly KnownChange[],
): readonly KnownChange[] {
  return withAdded(known, added, keyOf);
}

/** One line a comparison. */
export const knownChangesText = (changes: readonly KnownChange[]): string => {
  const one = ({ runs, ...change }: KnownChange): string =>
    `  ${JSON.stringify(change).slice(0, -1)},"runs":[\n${runs.map((run) => `    ${JSON.stringify(run)}`).join(",\n")}\n  ]}`;
  return `[\n${changes.map(one).join(",\n")}\n]\n`;
};

/** Confidence of the least share that so many sightings speak for. */
const CONFIDENCE = 0.95;

/**
 * The share of runs that see a change, at least, when `seen` of `of` did: Clopper and Pearson's one-sided lower bound, the p for which
 * `seen` or more of `of` have probability 1 - 0.95.
 */
export function leastShare(seen: number, of: number): number {
  if (seen === 0) return 0;
  const few = (p: number): number => sum(binomialDistribution(of, p)!.slice(0, seen));
  return bisect((p) => CONFIDENCE - few(p), 0, 1, 100, 1e-15);
}

/** "10 slower": how often each verdict was given, the commonest first. */
export function verdictsOf(runs: readonly KnownComparison[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of runs) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(", ");
}

const span = (values: readonly number[], digits: number): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;

/** Smallest true change first: the table reads as a scale. */
const meanRatio = ({ runs }: KnownChange): number => mean(runs.map(({ ratio }) => ratio));

export function knownChangesPage(changes: readonly KnownChange[]): Page {
  const out = new Page("Changes of known size, looked for on a device");
  out.text(
    "Measured: commits whose kernels begin with a chain of dependent multiply-adds (`burden-24`: of 24) are compared with the plain commit, one " +
      "process a comparison, each with inputs of another seed ([how](../../examples/compare-power/README.md)). `slower` is right where the change " +
      "is over the gate of 0.5%, `same` where it is under it. The last share is what as many sightings in a row speak for, at least " +
      `(${formatPercent(CONFIDENCE)} confidence, one-sided). How often the rules are wrong in simulation: [error rates](error-rates.md). ` +
      "`pnpm lab known-changes` takes records in, `pnpm tables` makes this page.",
  );
  const titles = [
    "device",
    "kernel",
    "`problem`",
    "`change`",
    ">base",
    ">ratio, least to greatest",
    "called",
    "bits",
  ];
  out.text(
    gridMarkdown({
      columns: columns(...titles, ">s a comparison", ">called slower at least"),
      rows: [...changes]
        .sort((a, b) => meanRatio(a) - meanRatio(b))
        .map(({ device, profile, kernel, problem, name, runs }) => {
          const slower = runs.filter(({ verdict }) => verdict === "slower").length;
          return [
            ...[`${device}, ${profile}`, kernel, problem, name],
            formatTime(Math.min(...runs.map(({ ns }) => ns.base)) / 1e3),
            span(
              runs.map(({ ratio }) => ratio),
              4,
            ),
            `${verdictsOf(runs)} of ${runs.length}`,
            runs.every(({ bits }) => bits === "equal") ? "equal" : "DIFFER",
            span(
              runs.map(({ seconds }) => seconds),
              1,
            ),
            slower === 0 ? "--" : formatPercent(leastShare(slower, runs.length)),
          ];
        }),
    }),
  );
  return out;
}

/** The page beside the published changes; none where nobody published any. */
export async function generatedKnownChanges(root: string): Promise<ReadonlyMap<string, string>> {
  const changes = await readKnownChanges(root);
  return new Map(changes.length === 0 ? [] : [[KNOWN_CHANGES_PAGE, knownChangesPage(changes).markdown()]]);
}
