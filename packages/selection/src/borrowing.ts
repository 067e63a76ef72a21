import { judge, type Member, type Portfolio, portfolio, portfolioOfAtMost } from "./portfolio.ts";

/** What a member gets from sets that were chosen without it. */
export interface LeftOut {
  readonly member: string;
  readonly oneForAll: { readonly variant: string; readonly efficiency: number };
  readonly set: { readonly variants: readonly string[]; readonly efficiency: number };
}

/** What borrowing and carrying several variants are worth on devices that share a space. */
export interface Borrowing {
  readonly members: readonly Member[];
  readonly within: number;
  /** The variant whose worst efficiency is best. */
  readonly oneForAll: Portfolio;
  /** The best sets of at most 1, 2, ... `most` variants. */
  readonly ofAtMost: readonly Portfolio[];
  /** The smallest set within the fraction everywhere. */
  readonly smallest: Portfolio;
  readonly leftOut: readonly LeftOut[];
  /** Each member's best variant on each member: row by whose best, column by where it runs. */
  readonly borrowed: readonly (readonly number[])[];
}

/** Chooses sets with and without each member and judges them. Pure. */
export function borrowing(members: readonly Member[], within: number, most: number): Borrowing {
  const ofAtMost = Array.from({ length: most }, (_, index) => portfolioOfAtMost(members, index + 1));
  return {
    members,
    within,
    oneForAll: ofAtMost[0]!,
    ofAtMost,
    smallest: portfolio(members, within),
    leftOut: members.map((member) => leaveOut(member, members, within)),
    borrowed: members.map((owner) => judge([fastest(owner)], members).efficiency),
  };
}

function leaveOut(member: Member, members: readonly Member[], within: number): LeftOut {
  const others = members.filter((other) => other !== member);
  const one = portfolioOfAtMost(others, 1).variants;
  const set = portfolio(others, within).variants;
  return {
    member: member.name,
    oneForAll: { variant: one[0]!, efficiency: judge(one, [member]).worst },
    set: { variants: set, efficiency: judge(set, [member]).worst },
  };
}

const fastest = ({ times }: Member): string =>
  [...times].reduce((best, each) => (each[1] < best[1] ? each : best))[0];
