import { Fault } from "@tunelab/contract";

/** A seeded source of randomness: the same seed gives the same sequence on every machine. Not for secrets. */
export interface Random {
  /** The next u32. */
  next(): number;
  /** Uniform in [0, 1), 32 bits of resolution. */
  float(): number;
  /** Uniform integer in [0, n), without modulo bias; n from 1 to 2^32. */
  integer(n: number): number;
  /** A shuffled copy (Fisher-Yates). */
  shuffle<T>(list: readonly T[]): T[];
}

/**
 * xoshiro128** 1.1 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), its state filled by
 * splitmix32 so that neighbouring seeds give unrelated sequences. `seed` is a safe integer.
 */
export function randomFrom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) {
    throw new Fault("usage", `seed ${seed} is no safe integer: pass one between -(2^53 - 1) and 2^53 - 1`);
  }
  const mix = splitmix32((seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1)) >>> 0);
  return xoshiro128([mix(), mix(), mix(), mix()]);
}

/** The generator on a given state of four u32, not all zero. */
export function xoshiro128(state: readonly [number, number, number, number]): Random {
  let [a, b, c, d] = state;
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
  const integer = (n: number): number => {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new Fault("usage", `a random integer below ${n} does not exist: pass 1 to 2^32`);
    }
    // Drop the incomplete last stretch of [0, 2^32), else small remainders come up more often.
    const limit = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      const value = next();
      if (value < limit) return value % n;
    }
  };
  return {
    next,
    float: () => next() / 2 ** 32,
    integer,
    shuffle: (list) => {
      const copy = [...list];
      for (let end = copy.length - 1; end > 0; end--) {
        const pick = integer(end + 1);
        [copy[end], copy[pick]] = [copy[pick]!, copy[end]!];
      }
      return copy;
    },
  };
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

function splitmix32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return (word ^ (word >>> 16)) >>> 0;
  };
}
