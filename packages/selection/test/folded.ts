import type { SessionEvidence } from "@tunelab/contract";
import { expect } from "vitest";
import { fold } from "../src/index.ts";
import { BOUNDS } from "./made.ts";

export const only = (sessions: readonly SessionEvidence[], options = {}) => {
  const tables = fold(sessions, { bounds: BOUNDS, ...options });
  expect(tables).toHaveLength(1);
  return tables[0]!;
};
export const plans = (sessions: readonly SessionEvidence[], options = {}): readonly string[] =>
  only(sessions, options).entries[0]!.rows.map((row) => row.planHash);
