import type { Config, Problem, StudyPlan } from "@tunelab/contract";
import * as v from "valibot";
import { text } from "./text.ts";

type Schema<T> = v.GenericSchema<unknown, T>;

const problem: Schema<Problem> = v.record(text, v.union([v.number(), text]));
const config: Schema<Config> = v.record(text, v.union([v.number(), text, v.boolean()]));

/** What a study with fixed rows and columns planned to measure, as its session's event keeps it. */
export const studyPlan: Schema<StudyPlan> = v.object({
  id: text,
  operation: text,
  title: text,
  doc: text,
  dimensions: v.array(text),
  columns: v.array(v.object({ name: text, doc: text })),
  derived: v.array(
    v.variant("kind", [
      v.object({ kind: v.literal("faster"), name: text, of: v.array(text) }),
      v.object({ kind: v.literal("ratio"), name: text, of: text, over: v.array(text) }),
      v.object({ kind: v.literal("call"), name: text, of: v.array(text) }),
    ]),
  ),
  chooses: v.exactOptional(
    v.object({
      of: v.array(v.object({ name: text, columns: v.array(text) })),
      parameters: v.array(text),
      ordered: v.boolean(),
    }),
  ),
  statistic: v.picklist(["median", "minimum"]),
  budgetMs: v.number(),
  shows: v.exactOptional(text),
  rows: v.array(
    v.object({
      problem,
      bytes: v.exactOptional(v.number()),
      cells: v.array(v.union([v.object({ algorithm: text, config }), v.literal("host"), v.null()])),
    }),
  ),
});
