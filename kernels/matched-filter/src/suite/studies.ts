import type { StudyColumn, StudyTable } from "@tunelab/contract";
import type { MatchedFilterProblem } from "../problem.ts";

/** Points that a thread holds, and with them its largest butterfly: all of a column's registers is one chunk of so many. */
const POINTS = 16;

/** Of the registers of a thread, a share staged at a time. */
const SHARES: readonly (readonly [suffix: string, share: number, words: string])[] = [
  ["", 1, "all at once"],
  ["/2", 2, "in halves"],
  ["/4", 4, "in quarters"],
];

const column = (
  staging: "whole" | "split",
  [suffix, share, words]: (typeof SHARES)[number],
): StudyColumn<MatchedFilterProblem> => ({
  name: `${staging}${suffix}`,
  doc: `${staging === "whole" ? "complex numbers" : "real parts, then imaginary parts through half the memory"}; registers staged ${words}`,
  variant: ({ n }) => ({
    algorithm: "fused",
    config: {
      radix: POINTS,
      butterfly: "merged",
      workgroup: n / POINTS,
      chunk: POINTS / share,
      staging,
      padding: 0,
      gap: 1,
      twiddles: "table",
      reduction: "tree",
      tile: 1,
      hoist: false,
    },
  }),
});

/** What one workgroup of the fused kernel stages in workgroup memory, everything else fixed. */
export const staging: StudyTable<MatchedFilterProblem> = {
  id: "staging",
  title: "how to stage the exchange in workgroup memory",
  doc: "The fused kernel with 16 points a thread, radix 16, twiddles from a table and a tree reduction; only what it stages at a time differs. Less memory lets more workgroups run side by side and costs barriers.",
  rows: [
    ...[64, 256, 1024].map((n) => ({ n, data: 4, templates: 16, pairs: 64 })),
    ...[64, 256, 1024, 2048, 4096, 8192].map((n) => ({ n, data: 64, templates: 512, pairs: 32_768 })),
    { n: 16_384, data: 32, templates: 512, pairs: 16_384 },
  ],
  dimensions: ["n", "pairs"],
  columns: (["whole", "split"] as const).flatMap((kind) => SHARES.map((share) => column(kind, share))),
  derived: [
    { kind: "faster", name: "fastest", of: ["whole", "whole/2", "whole/4", "split", "split/2", "split/4"] },
    { kind: "ratio", name: "whole over split", of: "whole", over: ["split"] },
    { kind: "ratio", name: "whole over whole/4", of: "whole", over: ["whole/4"] },
  ],
  statistic: "median",
  budgetMs: 1_000,
  reference: {
    source:
      "the working notes of a GPU matched filter (fourstep_4096.slang, 32 KB whole against 8 KB chunked, one run)",
    device: "Radeon 8060S",
    rows: [{ problem: { n: 4096, pairs: 2048 }, figures: { whole: 1565, "whole/4": 577 } }],
  },
};
