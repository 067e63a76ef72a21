import { type Expecting, expectingOf, type Ruling, rulingOf } from "@tunelab/selection";
import { rules as sets } from "../../generated/eigh/rules.ts";

/** What the published studies of the eigensolver say; a chunk of its own. */
export const rules: Ruling = rulingOf(sets);

/** What runs should take, by what was measured on each device. */
export const expecting: Expecting = expectingOf(sets);
