import { describe, expect, it } from "vitest";

/** Puts a fault into what a generator made. */
export type Break<K> = (kernel: K) => K;

/** What a generator gets wrong without an error from WebGPU, put in on purpose, and the checks that look for it. */
export interface Breaking<K> {
  /** What is broken: "kernel", "step". */
  readonly what: string;
  /** What a break makes of it, so that one that changes nothing is told. */
  readonly made: (broken: Break<K>) => unknown;
  /** Every check by its name; each throws where its property does not hold. */
  readonly checks: Readonly<Record<string, (broken: Break<K>) => void>>;
  readonly breaks: readonly (readonly [name: string, check: string, broken: Break<K>])[];
}

/** The fault that is none. */
export const whole = <K>(kernel: K): K => kernel;

/** Names of the checks that a break turns red. */
const redUnder = <K>(checks: Breaking<K>["checks"], broken: Break<K>): string[] =>
  Object.entries(checks).flatMap(([name, check]) => {
    try {
      check(broken);
      return [];
    } catch {
      return [name];
    }
  });

/** Tests: every check holds as it is, every break turns exactly the check that it names red, and every check has a break. */
export function turnsRed<K>({ what, made, checks, breaks }: Breaking<K>): void {
  describe(`the ${what} as it is`, () => {
    for (const [name, check] of Object.entries(checks)) it(name, () => check(whole));
  });

  describe(`a broken ${what} turns exactly its check red`, () => {
    for (const [name, check, broken] of breaks) {
      it(`${name}: "${check}"`, () => {
        expect(made(broken), "the break changed nothing").not.toEqual(made(whole));
        expect(redUnder(checks, broken)).toEqual([check]);
      });
    }

    it("every check has a break", () => {
      expect(new Set(breaks.map(([, check]) => check))).toEqual(new Set(Object.keys(checks)));
    });
  });
}
