import { Fault } from "@tunelab/contract";
import { compareText } from "./rules.ts";

/** A device and problem on which variants were measured. */
export interface Member {
  readonly name: string;
  /** Time of each variant that ran here and was right, in any one unit; the others cannot be relied on here. */
  readonly times: ReadonlyMap<string, number>;
  /** The best time known here, where `times` leaves out the variant that has it. */
  readonly best?: number;
}

export interface Portfolio {
  /** In code-unit order. */
  readonly variants: readonly string[];
  /** Best time measured on the member over the best of the portfolio there; 0 where none of it ran. In the order of members. */
  readonly efficiency: readonly number[];
  /** The least of them. */
  readonly worst: number;
  /** False when the search gave up proving that no smaller set will do. */
  readonly smallest: boolean;
}

/** Branches tried before the search settles for what it has: a second or so. */
const MOST_BRANCHES = 200_000;

const bestOf = ({ times, best }: Member): number => best ?? Math.min(...times.values());

/** Best time on the member over the variant's, 0 to 1. */
const efficiencyOn = (member: Member, best: number, variant: string): number => {
  const time = member.times.get(variant);
  return time === undefined ? 0 : best / time;
};

/** What a set of variants is worth on each member. */
export function judge(variants: readonly string[], members: readonly Member[]): Portfolio {
  const efficiency = members.map((member) => {
    const best = bestOf(member);
    return Math.max(0, ...variants.map((variant) => efficiencyOn(member, best, variant)));
  });
  const sorted = [...variants].sort(compareText);
  return { variants: sorted, efficiency, worst: Math.min(...efficiency), smallest: true };
}

interface Cover {
  readonly variant: string;
  /** Members on which it is good enough, by bit. */
  readonly mask: bigint;
  readonly count: number;
  /** Sum of its efficiencies: decides among equals. */
  readonly merit: number;
}

/** Variants worth considering, the widest first: of those that are good enough on the same members the best. */
function covers(members: readonly Member[], least: number): readonly Cover[] {
  const best = members.map(bestOf);
  const variants = new Set(members.flatMap(({ times }) => [...times.keys()]));
  const byMask = new Map<bigint, Cover>();
  for (const variant of [...variants].sort(compareText)) {
    let [mask, count, merit] = [0n, 0, 0];
    for (const [index, member] of members.entries()) {
      const efficiency = efficiencyOn(member, best[index]!, variant);
      merit += efficiency;
      if (efficiency < least) continue;
      mask |= 1n << BigInt(index);
      count += 1;
    }
    const known = byMask.get(mask);
    if (count > 0 && (!known || merit > known.merit)) byMask.set(mask, { variant, mask, count, merit });
  }
  const all = [...byMask.values()];
  return all
    .filter(({ mask }) => !all.some((other) => other.mask !== mask && (other.mask & mask) === mask))
    .sort((a, b) => b.count - a.count || b.merit - a.merit || compareText(a.variant, b.variant));
}

/** The first set of at most `size` covers that together cover `all`; undefined when there is none or `spend` runs out. */
function cover(
  all: bigint,
  candidates: readonly Cover[],
  size: number,
  spend: () => boolean,
): Cover[] | undefined {
  if (all === 0n) return [];
  if (size === 0 || !spend()) return undefined;
  // The member that fewest variants serve decides the branch: some variant must serve it.
  let scarce: readonly Cover[] | undefined;
  for (let bit = 1n; bit <= all; bit <<= 1n) {
    if ((all & bit) === 0n) continue;
    const serving = candidates.filter(({ mask }) => (mask & bit) !== 0n);
    if (!scarce || serving.length < scarce.length) scarce = serving;
  }
  for (const choice of scarce ?? []) {
    const rest = cover(all & ~choice.mask, candidates, size - 1, spend);
    if (rest) return [choice, ...rest];
  }
  return undefined;
}

/**
 * The smallest set of variants that is within a fraction of the best on every member: best time / best of the set >= 1 - within.
 * Minimum set cover, solved exactly by branching on the member that fewest variants serve; ties go to the variants of the largest
 * summed efficiency, then to the smaller text. Throws `Fault` usage for members without a time or a fraction outside [0, 1).
 */
export function portfolio(members: readonly Member[], within: number): Portfolio {
  if (!(within >= 0 && within < 1)) {
    throw new Fault("usage", `within is ${within}: give a fraction from 0 (the best itself) to under 1`);
  }
  const found = smallestCover(members, 1 - within);
  if (found) return found;
  throw new Fault("usage", `no variants come within ${100 * within}% of the best everywhere: allow more`);
}

/** The smallest set whose efficiency is at least `least` on every member; undefined when there is none. */
function smallestCover(members: readonly Member[], least: number): Portfolio | undefined {
  const empty = members.find(({ times }) => times.size === 0);
  if (empty) throw new Fault("usage", `nothing was measured on ${empty.name}: leave it out of the portfolio`);
  if (members.length === 0) return { variants: [], efficiency: [], worst: 1, smallest: true };
  const candidates = covers(members, least);
  const all = (1n << BigInt(members.length)) - 1n;
  if (candidates.reduce((mask, each) => mask | each.mask, 0n) !== all) return undefined;
  let branches = 0;
  const spend = (): boolean => {
    branches += 1;
    return branches <= MOST_BRANCHES;
  };
  for (let size = 1; ; size++) {
    const found = cover(all, candidates, size, spend);
    const proven = branches <= MOST_BRANCHES;
    if (!found && proven) continue;
    const chosen = found ?? greedy(all, candidates);
    return {
      ...judge(
        chosen.map(({ variant }) => variant),
        members,
      ),
      smallest: proven,
    };
  }
}

/** The widest cover of what is left, again and again: at most ln(members) + 1 times the smallest (Chvatal 1979). */
function greedy(all: bigint, candidates: readonly Cover[]): Cover[] {
  const bits = (mask: bigint): number => mask.toString(2).replaceAll("0", "").length;
  const chosen: Cover[] = [];
  for (let left = all; left !== 0n; ) {
    const widest = candidates.reduce((best, each) =>
      bits(each.mask & left) > bits(best.mask & left) ? each : best,
    );
    chosen.push(widest);
    left &= ~widest.mask;
  }
  return chosen;
}

/** The set of `bestSetOfAtMost`. Throws `Fault` usage when there is none. */
export function portfolioOfAtMost(members: readonly Member[], most: number): Portfolio {
  const held = bestSetOfAtMost(members, most);
  if (held) return held;
  throw new Fault("usage", `no ${most} variants run on every member: allow more`);
}

/**
 * The set of at most `most` variants whose worst efficiency over the members is largest: bisection over the efficiencies that
 * occur, each answered by the smallest cover. Undefined when no set of that size runs on all.
 */
export function bestSetOfAtMost(members: readonly Member[], most: number): Portfolio | undefined {
  if (!Number.isSafeInteger(most) || most < 1) {
    throw new Fault("usage", `most is ${most}, not a positive number of variants`);
  }
  const best = members.map(bestOf);
  const occurring = new Set<number>();
  for (const [index, member] of members.entries()) {
    for (const variant of member.times.keys()) occurring.add(efficiencyOn(member, best[index]!, variant));
  }
  const levels = [...occurring].sort((a, b) => a - b);
  let held: Portfolio | undefined;
  let [low, high] = [0, levels.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const made = smallestCover(members, levels[middle]!);
    if (made && made.variants.length <= most) {
      held = made;
      low = middle + 1;
    } else high = middle - 1;
  }
  return held;
}
