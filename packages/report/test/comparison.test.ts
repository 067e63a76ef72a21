import {
  COMPARISON_SCHEMA,
  type Comparison,
  type ComparisonRow,
  DEFAULT_CAPABILITIES,
  type PairedSeries,
  type PairOutcome,
  type ReferenceSeries,
  type ShapeParity,
  type SideReport,
  UNKNOWN_PAIR,
} from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import {
  chartSvg,
  comparisonMarkdown,
  comparisonText,
  forestChart,
  parityText,
  type ReportInput,
  reportFiles,
  verdictText,
} from "../src/index.ts";
import { input } from "./evidence.ts";

const judgement = {
  ...({ verdict: "changed", ratio: 1.0503, low: 1.0401, high: 1.0602 } as const),
  ...{ confidence: 0.9997, p: 0, mde: 0.004, count: 16 },
};
const series: PairedSeries = {
  ...judgement,
  ...{ clock: "gpu", tickNs: 1, repeats: { base: 1, candidate: 1 }, mode: "interleaved", rejected: {} },
  quads: [
    { first: "A", slotsNs: [9e9, 1, 1, 9e9] },
    { first: "B", slotsNs: [47_490_000, 47_317_000, 47_317_000, 47_490_000] },
  ],
};
const shape = (more: Partial<ShapeParity> = {}): ShapeParity => ({
  ...{
    problem: { T: 512 },
    why: "",
    pieces: { base: 1, candidate: 1 },
    maxError: { base: 1e-7, candidate: 3e-7 },
  },
  buffers: [
    { name: "y", role: "port", words: 100, differing: 0, unstable: 0 },
    { name: "state", role: "intermediate", words: 50, differing: 0, unstable: 0 },
  ],
  ...more,
});
const outcome = (more: Partial<PairOutcome> = {}): PairOutcome => ({
  ...UNKNOWN_PAIR,
  shapes: [shape()],
  ...more,
});
const route = { variant: "scan/r=4", algorithm: "scan", config: {}, planHash: "1", from: "default" };

const row = (more: Partial<ComparisonRow> = {}): ComparisonRow => ({
  operation: "gated-delta-net",
  problem: { T: 512 },
  routes: { base: route, candidate: route },
  verdict: "slower",
  accuracy: { bound: 1e-6, measure: "relative error" },
  ns: { base: 67_428_000, candidate: 70_820_000 },
  judgement,
  outcomes: [outcome({ stages: { pre: series }, lone: { base: ["post"], candidate: [] } })],
  ...more,
});

const none = { operations: [], problems: [], faults: [] };
const comparison = (rows: readonly ComparisonRow[], more: Partial<Comparison> = {}): Comparison => ({
  ...{ schema: COMPARISON_SCHEMA, id: "01A", startedAt: "", protocol: 1, contract: 1, toolVersion: "0.1.0" },
  ...{
    command: "",
    method: "paired",
    deviceSlug: "m5",
    profile: "portable",
    toggles: [],
    executor: "shared",
  },
  names: {
    base: { text: "main", commit: "abcdef0123456789", dirty: false },
    candidate: { text: "worktree", commit: "0123456789abcdef", dirty: true },
  },
  device: {
    identity: {
      ...{
        implementation: "dawn",
        implementationVersion: "0",
        compiler: "tint",
        backend: "metal",
        vendor: "",
      },
      ...{ architecture: "", device: "m5", description: "", driver: "", adapterType: "integrated" },
    },
    capabilities: DEFAULT_CAPABILITIES,
  },
  host: { platform: "", runtime: "", cpu: "", cores: 1, loadAverage: 0 },
  rules: { alpha: 0.001, looks: [16, 32, 64], gate: 0.005, equivalence: 0.01, processes: 1 },
  ...{ requireParity: false, rows, extras: { base: none, candidate: none } },
  ...more,
});

describe("a comparison in text", () => {
  it("shows each stage and the total as base -> candidate (ratio), with interval, verdict and parity", () => {
    const lines = comparisonText(comparison([row()])).split("\n");
    expect(lines[0]).toBe(
      "main (abcdef012345) -> worktree (0123456789ab, uncommitted changes) on m5, portable",
    );
    const titles = lines.find((line) => line.startsWith("problem"))!;
    expect(titles.split(/ {2,}/)).toEqual([
      ...["problem", "pre", "post", "total, base -> candidate (ratio)", "interval", "verdict", "parity"],
    ]);
    expect(lines.find((line) => line.startsWith("T=512"))!.split(/ {2,}/)).toEqual([
      ...["T=512", "47.3 ms -> 47.5 ms (1.0503)", "base only", "67.4 ms -> 70.8 ms (1.0503)"],
      ...["1.0401 to 1.0602", "slower", "2 buffers equal, 1 shape"],
    ]);
    expect(lines.at(-1)).toMatch(/^1 slower\. Paired quads .* 99\.97%/);
  });

  it("says by how many placements a change is told, at their own level", () => {
    const placements = [{ ratio: 1.05, swapped: true, quads: series.quads }];
    const placed = row({
      judgement: { ...judgement, confidence: 0.99, count: 6 },
      outcomes: [outcome({ total: { ...series, placements } })],
    });
    expect(comparisonText(comparison([row(), placed]))).toMatch(
      /99\.97%.* What a look called changed is told by 6 further placements of code and buffers, at 99%\.$/,
    );
    expect(comparisonText(comparison([row()]))).not.toContain("placements");
  });

  it("says what an unresolved row could have seen", () => {
    expect(verdictText(row({ verdict: "unresolved" }))).toBe("unresolved (sees 0.400%)");
    expect(verdictText(row({ verdict: "same" }))).toBe("same");
  });

  it("tells differing bits by buffer, with both errors and whether they are within the bound", () => {
    const differing = shape({
      buffers: [{ name: "y", role: "port", words: 100, differing: 7, first: 3, unstable: 0 }],
    });
    const text = (maxError: ShapeParity["maxError"]): string =>
      parityText(row({ outcomes: [outcome({ shapes: [{ ...differing, maxError }] })] }));
    expect(text({ base: 1e-7, candidate: 3e-7 })).toBe(
      "differ: y 7/100 words; errors 1.0e-7 -> 3.0e-7, within 1.0e-6",
    );
    expect(text({ base: 1e-7, candidate: 3e-6 })).toContain("over 1.0e-6");
  });

  it("remarks on changed routes, renamed variants, faults, lone operations and the control", () => {
    const renamed = { ...route, variant: "scan/width=4" };
    const text = comparisonText(
      comparison(
        [
          row({ routes: { base: route, candidate: renamed } }),
          row({
            verdict: "identical",
            routes: { base: route, candidate: renamed },
            outcomes: [outcome({ identical: true, shapes: [] })],
          }),
          row({ verdict: "invalid", reason: "candidate hung: no answer" }),
        ],
        {
          extras: {
            base: none,
            candidate: { operations: ["fft"], problems: [], faults: [{ package: "k", reason: "line 3" }] },
          },
          control: {
            ...judgement,
            verdict: "same",
            ratio: 1.0002,
            operation: "gated-delta-net",
            problem: { T: 512 },
          },
        },
      ),
    );
    expect(text).toContain("route change: scan/r=4 [default] -> scan/width=4 [default]");
    expect(text).toContain("renamed, one plan: scan/r=4");
    expect(text).toContain("invalid: candidate hung: no answer");
    expect(text).toContain("candidate worktree: k gives no operation: line 3");
    expect(text).toContain("only candidate (worktree) has fft");
    expect(text).toContain("control: base against itself, gated-delta-net T=512: 1.0002, same");
  });
});

describe("a published comparison", () => {
  const published = comparison([row()], { id: "01B" });
  const files = (more: Partial<ReportInput>) =>
    reportFiles({ ...input([]), comparisons: [published], ...more });

  it("has a page, linked from the index", async () => {
    const made = await files({});
    expect(made.get("comparisons/01b/README.md")).not.toContain("Retracted");
    expect(made.get("README.md")).toMatch(/^- \[.* against .*\]\(comparisons\/01b\/README\.md\)/m);
  });

  it("that was withdrawn keeps its page and its figures, struck through with the reason, which is text", async () => {
    const retractedComparisons = new Map([["01B", "busy <b> | machine"]]);
    const made = await files({ retractedComparisons });
    const page = made.get("comparisons/01b/README.md")!;
    expect(page).toMatch(/^~~.* on .*~~\n\n\*\*Retracted:\*\* busy &lt;b&gt; \\\| machine\.$/m);
    expect(page).toContain("| problem |");
    expect(made.get("README.md")).toMatch(
      /^- ~~\[.*\]\(comparisons\/01b\/README\.md\)~~.*, retracted: busy &lt;b&gt;/m,
    );
  });
});

describe("a comparison in Markdown", () => {
  it("takes nothing of a revision's or variant's name as markup", () => {
    const names = {
      base: { text: "<img src=x>|`a`", commit: "", dirty: false },
      candidate: { text: "b", commit: "", dirty: false },
    };
    const text = comparisonMarkdown(comparison([row({ reason: "[x](javascript:y)" })], { names }), "a b.svg");
    expect(text).not.toMatch(/<img|(?<!\\)\]\(javascript/);
    expect(text).toContain("](a%20b.svg)");
  });
});

describe("the forest plot", () => {
  it("is the same bytes every time, with one mark a row that has an interval", async () => {
    const rows = [
      row(),
      row({ problem: { T: 1_024 }, verdict: "same" }),
      row({ problem: { T: 2_048 }, verdict: "invalid" }),
    ];
    const chart = forestChart(comparison(rows))!;
    const svg = await chartSvg(chart);
    expect(svg).toBe(await chartSvg(forestChart(comparison(rows))!));
    expect(svg).toContain("T=1024");
    expect(svg).not.toContain("T=2048");
    expect(svg).toContain("slower");
  });

  it("of ratios far from 1 keeps every interval on its axis", async () => {
    const wild = { ...judgement, ratio: 40, low: 0.002, high: 900 };
    expect(await chartSvg(forestChart(comparison([row({ judgement: wild })]))!)).toContain("<svg");
  });

  it("does not exist without a ratio", () => {
    const { judgement: _, ...untimed } = row();
    expect(forestChart(comparison([untimed]))).toBeUndefined();
    expect(
      forestChart(comparison([row({ judgement: { ...judgement, high: Number.POSITIVE_INFINITY } })])),
    ).toBeUndefined();
  });
});

describe("several variants of one problem", () => {
  const pinned = (variant: string): ComparisonRow => {
    const one = { ...route, variant };
    return row({ routes: { base: one, candidate: one } });
  };
  const rows = [pinned("scan/r=4,tile=2,pad=0"), pinned("scan/r=8,tile=2,pad=0"), pinned("block/r=4")];

  it("are told apart in the table by the settings they do not share", () => {
    const lines = comparisonText(comparison(rows)).split("\n");
    const told = lines.filter((line) => line.startsWith("T=512")).map((line) => line.split(/ {2,}/)[1]);
    expect(told).toEqual(["scan/r=4", "scan/r=8", "block"]);
    expect(comparisonText(comparison([rows[0]!]))).not.toContain("variant");
    const invalid = { ...rows[1]!, verdict: "invalid" as const, reason: "base wrong" };
    const text = comparisonText(comparison([rows[0]!, invalid, rows[2]!]));
    expect(text).toContain("gated-delta-net T=512 scan/r=8: invalid: base wrong");
  });

  it("each have a line of their own in the picture", () => {
    const text = JSON.stringify(forestChart(comparison(rows)));
    for (const label of ["scan/r=4", "scan/r=8", "block"]) expect(text).toContain(` ${label}"`);
  });
});

describe("a comparison by reference ratios", () => {
  const timed = (ns: number, around: number): ReferenceSeries => ({
    ...({ clock: "gpu", tickNs: 1, repeats: 1, rejected: {}, reference: "fma" } as const),
    samplesNs: [ns],
    anchor: { name: "fma-f32", samplesNs: [around, around], amount: 2e9 },
  });
  const report = (maxError: number): SideReport => ({
    ...({ status: "ok", variant: "v", planHash: "1", seeds: [1] } as const),
    verdict: { matched: 1, total: 1, sampled: 1, maxError, nearTies: 0 },
  });
  const told = comparison(
    [
      row({
        outcomes: [
          {
            ...UNKNOWN_PAIR,
            sides: { base: report(1e-7), candidate: report(3e-7) },
            references: { base: timed(1e6, 1e6), candidate: timed(2e6, 2e6) },
          },
        ],
      }),
    ],
    {
      method: "reference",
      candidatePlace: {
        ...comparison([]),
        ...{ deviceSlug: "llvmpipe-256", profile: "native", toggles: [], runtime: "node" },
      },
      rules: { alpha: 0.05, looks: [16], gate: 0.005, equivalence: 0.01, processes: 6 },
    },
  );

  it("says both places, the method, what times were told by, and that no bits were compared", () => {
    const text = comparisonText(told);
    expect(text.split("\n")[0]).toBe(
      "main (abcdef012345) on m5, portable -> worktree (0123456789ab, uncommitted changes) on llvmpipe-256, native",
    );
    expect(text).toContain("total, base -> candidate (ratio of ratios)");
    expect(text).toContain("told by fma-f32, which runs at 2.00 TFLOP/s (base) and 1.00 TFLOP/s (candidate)");
    expect(text).toContain("no bits compared; errors 1.0e-7 -> 3.0e-7, within 1.0e-6");
    expect(text).toContain("Not paired: reference ratios (6 processes a side, each 16 timings");
    expect(text).toContain("intervals at 95.00%");
    expect(text).not.toContain("Paired quads");
  });

  it("tells an error over the bound, and a side without one, as not within it", () => {
    const one = told.rows[0]!;
    const over = { ...one, accuracy: { ...one.accuracy, bound: 2e-7 } };
    expect(parityText(over)).toContain("not within 2.0e-7");
    const absent = { ...one, outcomes: [{ ...one.outcomes[0]!, sides: { base: report(1e-7) } }] };
    expect(parityText(absent)).toContain("errors 1.0e-7 -> --, not within");
  });
});
