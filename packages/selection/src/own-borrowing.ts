import {
  type Operation,
  type Problem,
  type ProfileName,
  problemKey,
  type SessionEvidence,
  type Trial,
} from "@tunelab/contract";
import { type Retraction, withoutRetracted } from "./evidence.ts";
import { bestSetOfAtMost, judge, type Member, portfolio } from "./portfolio.ts";
import { compareText, PORTFOLIO_WITHIN } from "./rules.ts";

/** A device under a profile on which variants of a problem were measured; its name says all three. */
export interface MeasuredMember extends Member {
  readonly device: string;
  readonly profile: ProfileName;
  readonly problem: Problem;
}

/** What devices that were measured on the same shape of an operation can borrow from each other. */
export interface ShapeBorrowing {
  /** Values that specialise the text, e.g. `n=1024`. */
  readonly shape: string;
  readonly members: readonly MeasuredMember[];
  /** Variants that ran on all of them. */
  readonly shared: number;
  /** Row: whose best variant; column: where it runs. Undefined where it was not measured. */
  readonly borrowed: readonly (readonly (number | undefined)[])[];
  /** The shared variant whose worst efficiency is best; undefined where nothing is shared. */
  readonly oneForAll: SetOn | undefined;
  /** The best sets of at most 1, 2, ... variants; undefined where no set of that size runs on all. */
  readonly ofAtMost: readonly (SetOn | undefined)[];
  readonly leftOut: readonly LeftOutMember[];
}

/** A set of variants and what it reaches on each member: best time over the set's, 0 to 1. */
export interface SetOn {
  readonly variants: readonly string[];
  readonly efficiency: readonly number[];
  readonly worst: number;
}

/** What a member gets from sets chosen on the others, among the variants that it was measured with. */
export interface LeftOutMember {
  readonly member: string;
  readonly candidates: number;
  readonly oneForAll: number | undefined;
  readonly set: number | undefined;
}

/** An operation's borrowing: over each shape that several devices have, and over everything measured. */
export interface OwnBorrowing {
  readonly operation: string;
  readonly members: readonly MeasuredMember[];
  readonly shapes: readonly ShapeBorrowing[];
  /** The fewest variants that come within PORTFOLIO_WITHIN of the best on every member, all shapes and profiles. */
  readonly smallest: SetOn;
}

/**
 * What the published evidence says about borrowing: each device, profile and problem is a member with the least time of every variant
 * that was right there, whatever its grade. Of several problems of a shape the one with most variants stands for it. Pure.
 */
export function ownBorrowing(
  evidence: readonly SessionEvidence[],
  retracted: readonly Retraction[],
  operations: readonly Operation[],
  most: number,
): readonly OwnBorrowing[] {
  const sessions = withoutRetracted(evidence, retracted);
  return operations.flatMap((operation) => {
    const members = membersIn(sessions, operation);
    if (members.length < 2) return [];
    const groups = new Map<string, MeasuredMember[]>();
    for (const member of members) {
      const shape = shapeOf(operation, member.problem);
      groups.set(shape, [...(groups.get(shape) ?? []), member]);
    }
    const shapes = [...groups]
      .filter(([, group]) => new Set(group.map(({ device }) => device)).size > 1)
      .map(([shape, group]) => shapeBorrowing(shape, group, most));
    return [{ operation: operation.name, members, shapes, smallest: portfolio(members, PORTFOLIO_WITHIN) }];
  });
}

const shapeOf = ({ dimensions }: Operation, problem: Problem): string =>
  dimensions
    .flatMap(({ name, role, optional }) => {
      if (role === "shape") return [`${name}=${problem[name]}`];
      return optional && problem[name] !== undefined ? [name] : [];
    })
    .join(",");

function membersIn(sessions: readonly SessionEvidence[], operation: Operation): readonly MeasuredMember[] {
  const found = new Map<string, MeasuredMember & { readonly times: Map<string, number> }>();
  for (const { header, trials } of sessions) {
    for (const trial of trials) {
      const us = usOf(trial);
      if (trial.operation !== operation.name || us === undefined) continue;
      const { deviceSlug: device, profile } = header;
      const name = `${device} ${profile} ${problemKey(trial.problem)}`;
      const member = found.get(name) ?? { name, device, profile, problem: trial.problem, times: new Map() };
      found.set(name, member);
      member.times.set(trial.variant, Math.min(us, member.times.get(trial.variant) ?? us));
    }
  }
  const largest = new Map<string, MeasuredMember>();
  for (const member of [...found.values()].sort((a, b) => compareText(a.name, b.name))) {
    const place = `${member.device} ${member.profile} ${shapeOf(operation, member.problem)}`;
    if (member.times.size > (largest.get(place)?.times.size ?? 0)) largest.set(place, member);
  }
  return [...largest.values()].sort(
    (a, b) => bySize(operation, a.problem, b.problem) || compareText(a.name, b.name),
  );
}

/** Problems by the numbers of their shape, smallest first. */
function bySize({ dimensions }: Operation, a: Problem, b: Problem): number {
  for (const { name, role } of dimensions) {
    const apart = role === "shape" ? Number(a[name]) - Number(b[name]) : 0;
    if (apart !== 0 && !Number.isNaN(apart)) return apart;
  }
  return 0;
}

/** Least time of a run in us of a variant that was right; undefined for what failed. */
function usOf({ status, timing, verdict }: Trial): number | undefined {
  if (status !== "ok" || !timing?.samplesNs.length) return undefined;
  if (verdict && verdict.matched < verdict.total) return undefined;
  return Math.min(...timing.samplesNs) / timing.repeats / 1000;
}

function shapeBorrowing(shape: string, members: readonly MeasuredMember[], most: number): ShapeBorrowing {
  const bests = members.map(bestOf);
  const shared = [...members[0]!.times.keys()].filter((variant) =>
    members.every(({ times }) => times.has(variant)),
  );
  return {
    ...{ shape, members, shared: shared.length },
    borrowed: bests.map(({ variant }) =>
      members.map((member) => (member.times.has(variant) ? judge([variant], [member]).worst : undefined)),
    ),
    oneForAll: shared.length > 0 ? bestSetOfAtMost(members, 1) : undefined,
    ofAtMost: setsOf(members, most),
    leftOut: members.map((member) => leaveOut(member, members, most)),
  };
}

const setsOf = (members: readonly Member[], most: number): readonly (SetOn | undefined)[] =>
  Array.from({ length: most }, (_, index) => bestSetOfAtMost(members, index + 1));

/** Chooses for a member on the others, among the variants whose time on it is known: only those can be judged. */
function leaveOut(member: MeasuredMember, members: readonly MeasuredMember[], most: number): LeftOutMember {
  const others = members
    .filter((other) => other !== member)
    .map(({ name, times }) => ({
      name,
      times: new Map([...times].filter(([variant]) => member.times.has(variant))),
      best: Math.min(...times.values()),
    }));
  const reached = (size: number): number | undefined => {
    if (others.some(({ times }) => times.size === 0)) return undefined;
    const chosen = bestSetOfAtMost(others, size);
    return chosen && judge(chosen.variants, [member]).worst;
  };
  const candidates = new Set(others.flatMap(({ times }) => [...times.keys()])).size;
  return { member: member.name, candidates, oneForAll: reached(1), set: reached(most) };
}

function bestOf({ times }: Member): { readonly variant: string; readonly us: number } {
  const [variant, us] = [...times].reduce((best, each) =>
    each[1] < best[1] || (each[1] === best[1] && compareText(each[0], best[0]) < 0) ? each : best,
  );
  return { variant, us };
}
