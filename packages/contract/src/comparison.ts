import type { DeviceInfo, ProfileName } from "./device.ts";
import type { MachineLoad } from "./machine.ts";
import type { Problem } from "./operation.ts";
import type { PairJudgement, PairOutcome, PerSide, Route, Side } from "./pair.ts";
import type { HostFacts } from "./trial.ts";

/** Raised when a stored comparison's shape changes. */
export const COMPARISON_SCHEMA = 2;

/**
 * - `identical`: both run one plan. `same`: within the equivalence band, a positive claim. `faster`, `slower`: the candidate,
 *   resolved beyond the gate. `unresolved`: neither; the minimum detectable effect says what could have been seen.
 * - `invalid`: a side did not run or was not right, or (when parity is required) its bits differ.
 */
export type RowVerdict = "identical" | "same" | "faster" | "slower" | "unresolved" | "invalid";

/** One operation on one problem, base against candidate. */
export interface ComparisonRow {
  readonly operation: string;
  readonly problem: Problem;
  readonly routes: PerSide<Route>;
  readonly verdict: RowVerdict;
  /** Why, for `invalid` and where a verdict was withdrawn. */
  readonly reason?: string;
  /** Median of one repeat in ns over the quads, by side; absent without times. */
  readonly ns?: PerSide<number>;
  /** Candidate over base, with its interval; absent without times. */
  readonly judgement?: PairJudgement;
  /** The operation's error bound and what it measures. */
  readonly accuracy: { readonly bound: number; readonly measure: string };
  /** What each process found, raw. Empty when a side has no plan. */
  readonly outcomes: readonly PairOutcome[];
}

/** What a side was made from. */
export interface SideName {
  /** As the user wrote it: a revision, a variant, a profile. */
  readonly text: string;
  readonly commit: string;
  readonly dirty: boolean;
}

/** Operations or problems that only one side has, and code that gives no operation. */
export interface SideExtras {
  readonly operations: readonly string[];
  readonly problems: readonly { readonly operation: string; readonly problem: Problem }[];
  readonly faults: readonly { readonly package: string; readonly reason: string }[];
}

/** The rules that verdicts follow. */
export interface ComparisonRules {
  readonly alpha: number;
  readonly looks: readonly number[];
  readonly gate: number;
  readonly equivalence: number;
  /** Fresh processes a row; with more than one the statistics are over processes. */
  readonly processes: number;
}

/**
 * How two sides were brought together. `paired`: quads in one process on one device. `reference`: where that cannot be (two
 * devices, two implementations), each side in processes of its own, told by a reference kernel of the same device: the ratio is
 * (candidate / its reference's time for a unit of work) over (base / its own). Readers must refuse what they do not know.
 */
export const COMPARISON_METHODS = ["paired", "reference"] as const;
export type ComparisonMethod = (typeof COMPARISON_METHODS)[number];

/** Where a side ran that did not run where the base did. */
export interface OtherPlace {
  readonly device: DeviceInfo;
  readonly deviceSlug: string;
  readonly profile: ProfileName;
  readonly toggles: readonly string[];
  readonly runtime: string;
}

/** A whole comparison. */
export interface Comparison {
  readonly schema: number;
  /** ULID: sorts by start. */
  readonly id: string;
  readonly startedAt: string;
  readonly protocol: number;
  readonly contract: number;
  readonly toolVersion: string;
  readonly command: string;
  readonly names: PerSide<SideName>;
  readonly method: ComparisonMethod;
  readonly device: DeviceInfo;
  readonly deviceSlug: string;
  readonly profile: ProfileName;
  readonly toggles: readonly string[];
  /** The candidate's own device and toggles, where a host of its own ran it. */
  readonly candidatePlace?: OtherPlace;
  readonly host: HostFacts;
  /** What else the machine was doing before. */
  readonly machine?: MachineLoad;
  readonly rules: ComparisonRules;
  readonly executor: "shared" | "own";
  readonly requireParity: boolean;
  readonly rows: readonly ComparisonRow[];
  readonly extras: PerSide<SideExtras>;
  /** Base against base, the same way: what the procedure makes of no difference. */
  readonly control?: PairJudgement & { readonly operation: string; readonly problem: Problem };
  /** Why it ended before every row was compared. */
  readonly stopped?: string;
}

/** What a comparison's exit code says; 2 is the usage error of every command. */
export const COMPARE_EXIT = { fine: 0, regressed: 1, unresolved: 3, invalid: 4 } as const;

/** One plan on both sides whose forced timing reads as changed: the procedure's own fault. */
export const misjudged = ({ verdict, judgement }: Pick<ComparisonRow, "verdict" | "judgement">): boolean =>
  verdict === "identical" && judgement?.verdict === "changed";

/**
 * Exit code of a comparison: invalid over regressed over unresolved over fine. Nothing compared, or a side whose code gives no
 * operation, is invalid: a check that looked at nothing has not passed. One plan that reads as changed leaves all unresolved.
 */
export function exitCodeOf({
  rows,
  extras,
  stopped,
}: Pick<Comparison, "rows" | "extras" | "stopped">): number {
  const has = (verdict: RowVerdict): boolean => rows.some((row) => row.verdict === verdict);
  const faulty = (["base", "candidate"] as readonly Side[]).some((side) => extras[side].faults.length > 0);
  if (has("invalid") || faulty || (rows.length === 0 && stopped === undefined)) return COMPARE_EXIT.invalid;
  if (has("slower")) return COMPARE_EXIT.regressed;
  if (has("unresolved") || rows.some(misjudged) || stopped !== undefined) return COMPARE_EXIT.unresolved;
  return COMPARE_EXIT.fine;
}
