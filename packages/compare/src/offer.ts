import {
  Fault,
  type PerSide,
  type Problem,
  problemKey,
  type Route,
  SIDES,
  type Side,
  type SideExtras,
  type SideName,
  type SideSource,
} from "@tunelab/contract";

/** One operation as a side offers it. */
export interface OfferedOperation {
  readonly operation: string;
  readonly source: SideSource;
  readonly problems: readonly Problem[];
  readonly accuracy: { readonly bound: number; readonly measure: string };
}

/** What a side brings to a comparison. */
export interface Offer {
  readonly name: SideName;
  readonly operations: readonly OfferedOperation[];
  readonly faults: SideExtras["faults"];
  /** Why none of it can run here, e.g. another contract. */
  readonly refusal?: string;
}

/** One operation on one problem that both sides have. */
export interface Meeting {
  readonly operation: string;
  readonly problem: Problem;
  readonly sources: PerSide<SideSource>;
  readonly accuracy: OfferedOperation["accuracy"];
}

/** A meeting with the variant that each side runs it with. */
export interface Bout extends Meeting {
  readonly routes: PerSide<Route>;
}

/** What both sides have, in the base's order, and what only one has. */
export interface Met {
  readonly meetings: readonly Meeting[];
  readonly extras: PerSide<SideExtras>;
}

const OTHER: PerSide<Side> = { base: "candidate", candidate: "base" };

/**
 * Brings the sides' operations and problems together. @throws Fault `usage` when nothing is common and no side's code failed.
 */
export function meet(offers: PerSide<Offer>): Met {
  const meetings: Meeting[] = [];
  const extras = Object.fromEntries(SIDES.map((side) => [side, extrasOf(offers, side)])) as Record<
    Side,
    SideExtras
  >;
  for (const base of offers.base.operations) {
    const candidate = offers.candidate.operations.find(({ operation }) => operation === base.operation);
    if (!candidate) continue;
    const theirs = new Set(candidate.problems.map(problemKey));
    for (const problem of base.problems) {
      if (!theirs.has(problemKey(problem))) continue;
      const sources = { base: base.source, candidate: candidate.source };
      // The candidate's bound is the newest word on what is accurate enough.
      meetings.push({ operation: base.operation, problem, sources, accuracy: candidate.accuracy });
    }
  }
  const excused = SIDES.some((side) => extras[side].faults.length > 0);
  if (meetings.length === 0 && !excused) {
    const has = (side: Side): string =>
      offers[side].operations.map(({ operation }) => operation).join(", ") || "none";
    throw new Fault(
      "usage",
      `${offers.base.name.text} and ${offers.candidate.name.text} have no operation and problem in common (${has("base")}; ${has("candidate")}): widen --kernel or --workload`,
    );
  }
  return { meetings, extras };
}

function extrasOf(offers: PerSide<Offer>, side: Side): SideExtras {
  const other = offers[OTHER[side]];
  const operations: string[] = [];
  const problems: { operation: string; problem: Problem }[] = [];
  for (const { operation, problems: own } of offers[side].operations) {
    const match = other.operations.find((one) => one.operation === operation);
    if (!match) operations.push(operation);
    const known = new Set(match?.problems.map(problemKey));
    if (match)
      problems.push(
        ...own.filter((one) => !known.has(problemKey(one))).map((problem) => ({ operation, problem })),
      );
  }
  const { faults, refusal, name } = offers[side];
  return {
    operations,
    problems,
    faults: refusal === undefined ? faults : [...faults, { package: name.text, reason: refusal }],
  };
}
