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

/**
 * Declares `p<suffix>` and `q<suffix>`, the players of pair `k` in `round`. That pair 0 meets the last player is a maximum with a product, for Tint
 * knows the range of those and not of a selection: as a selection it clamped every element of a matrix in workgroup memory.
 */
export function players(k: string, suffix: string, { size, rounds }: Tournament): string {
  const others = formatU32(rounds);
  const lastOfPair0 = `(1u - min(${k}, 1u)) * ${formatU32(size - 1)}`;
  return lines(
    `let p${suffix} = max((round + ${k}) % ${others}, ${lastOfPair0});`,
    `let q${suffix} = (round + ${others} - ${k}) % ${others};`,
  );
}

/** The players of pair k in a round, as the text computes them. */
export function playersOf(k: number, round: number, { size, rounds }: Tournament): readonly [number, number] {
  return [Math.max((round + k) % rounds, (1 - Math.min(k, 1)) * (size - 1)), (round + rounds - k) % rounds];
}
