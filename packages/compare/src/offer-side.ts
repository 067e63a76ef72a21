import { join } from "node:path";
import type { Problem, ProfileName } from "@tunelab/contract";
import type { Offer } from "./offer.ts";
import { contractRefusal, type OwnContract, type Side, type SideOperation } from "./side.ts";

/** Which operations and problems of a side take part. */
export interface OfferRequest {
  /** Operations by name; all when absent. */
  readonly kernels?: readonly string[];
  readonly problemsOf: (operation: SideOperation) => readonly Problem[];
  /** Toggles that the side runs under; the host's own unless given. */
  readonly profile?: ProfileName;
}

/** What a side's folder offers. A contract that this laboratory does not speak refuses the whole side. */
export function offerOf(side: Side, { kernels, problemsOf, profile }: OfferRequest, own: OwnContract): Offer {
  const { revision, folder, operations, faults } = side;
  const { text, commit, dirty } = revision;
  const wanted = operations.filter(({ operation }) => kernels?.includes(operation) ?? true);
  const refusal = contractRefusal(side, text, own);
  return {
    name: { text, commit, dirty },
    operations: refusal
      ? []
      : wanted.map((operation) => ({
          operation: operation.operation,
          accuracy: operation.accuracy,
          source: { bundle: join(folder, operation.file), ...(profile ? { profile } : {}) },
          problems: problemsOf(operation),
        })),
    // A package that gives no operation has no name to ask for: it counts unless all that was asked for is there.
    faults: kernels && kernels.length === wanted.length ? [] : faults,
    ...(refusal === undefined ? {} : { refusal }),
  };
}
