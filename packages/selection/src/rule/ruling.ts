import type { Algorithm, Config } from "@tunelab/contract";
import { type Asker, rankTables } from "../rank-tables.ts";
import type { Origin, SelectRequest } from "../select.ts";
import { ruleDistance, ruledVariants } from "./choose.ts";
import type { RuleSet } from "./shelf.ts";

/** What rules have to say about one call. */
export interface Ruled {
  /** To the nearest problem that was measured for them on this device; Infinity for another device's rules: everything goes before them. */
  readonly distance: number;
  /** The variants that they choose, best first; nothing the second time. */
  take(): Promise<readonly (readonly [variant: string, Algorithm, Config, Origin])[]>;
}

/** Finds the rules for a call; the code of it is loaded by operations that have rules. */
export type Ruling = (
  request: SelectRequest,
  asker: Asker,
  load: (name: string) => Promise<Algorithm | undefined>,
) => Promise<Ruled | undefined>;

/** The ruling of an operation's rule sets: the closest device's decide. */
export function rulingOf(sets: readonly RuleSet[]): Ruling {
  return async ({ operation, problem, capabilities }, asker, load) => {
    const [closest] = rankTables(operation.name, asker, [], sets);
    const distance = closest && ruleDistance(closest.source, operation, problem);
    if (distance === undefined) return undefined;
    const { source, own } = closest!;
    let taken = false;
    return {
      distance: own ? distance : Number.POSITIVE_INFINITY,
      take: async () => {
        if (taken) return [];
        taken = true;
        const found = await ruledVariants(source, operation, problem, capabilities, load);
        return found.map(({ variant, algorithm, config, rules }) => {
          const studies = rules.map(({ study }) => study).join(" and ");
          const costs = rules.map(({ regret }) => `${Number(regret.median.toPrecision(3))}x`).join(" and ");
          const where = own ? "this device" : "the closest device that has rules";
          const why = `by the rule of ${studies}, measured on ${where}: median ${costs} of the best there`;
          return [variant, algorithm, config, { kind: "rule", own, table: rules[0]!.study, why }] as const;
        });
      },
    };
  };
}
