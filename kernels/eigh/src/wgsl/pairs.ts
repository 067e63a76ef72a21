import { formatU32, lines } from "@tunelab/variants";

/**
 * The round-robin tournament of n players (Brent and Luk 1985): in each of `rounds` rounds every player meets one other, and in all of
 * them everyone once. Odd n play with a dummy, player `size` - 1, whom pair 0 meets.
 */
export interface Tournament {
  /** n, or n + 1 with the dummy. */
  readonly size: number;
  /** Pairs of a round. */
  readonly pairs: number;
  readonly rounds: number;
}

export function tournament(n: number): Tournament {
  const size = Math.max(2, n + (n % 2));
  return { size, pairs: size / 2, rounds: size - 1 };
}

/** Declares `p<suffix>` and `q<suffix>`, the players of pair `k` in `round`. */
export function players(k: string, suffix: string, { size, rounds }: Tournament): string {
  const others = formatU32(rounds);
  return lines(
    `let p${suffix} = select((round + ${k}) % ${others}, ${formatU32(size - 1)}, ${k} == 0u);`,
    `let q${suffix} = (round + ${others} - ${k}) % ${others};`,
  );
}

/** The players of pair k in a round, as the text computes them. */
export function playersOf(k: number, round: number, { size, rounds }: Tournament): readonly [number, number] {
  return [k === 0 ? size - 1 : (round + k) % rounds, (round + rounds - k) % rounds];
}
