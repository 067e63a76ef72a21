import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@tunelab/contract";
import {
  type Bound,
  bounds,
  type ComparisonFigures,
  DETECTABLE_RULES,
  type DetectableFigures,
  EFFECTS,
  type ErrorRates,
  FULL_SAMPLES,
  OPPONENTS,
  PLACEMENT_OFFSET,
  SCENARIOS,
  type SelectionFigures,
} from "@tunelab/harness/simulate";
import {
  BEST,
  type ChartSpec,
  columns,
  formatPercent,
  gridMarkdown,
  INK,
  LOOK,
  Page,
  WIDTH,
} from "@tunelab/report";
import type { Generated } from "./published.ts";

/** What is committed: the figures of the report, and those of a few runs that are made again as a check. */
export interface ErrorRatesFile {
  readonly full: ErrorRates;
  readonly reduced: ErrorRates;
}

/** Where reports of the harness itself lie, from the checkout's root. */
const FOLDER = "reports/harness";
export const ERROR_RATES_DATA: string = `${FOLDER}/error-rates.json`;
const PAGE = "error-rates";

/** The committed figures. @throws Fault `data` when they are missing or no figures. */
export async function readErrorRates(root: string): Promise<ErrorRatesFile> {
  const next = "pnpm lab error-rates makes it again";
  const text = await readFile(join(root, ERROR_RATES_DATA), "utf8").catch(() => {
    throw new Fault("data", `${ERROR_RATES_DATA} is missing: ${next}`);
  });
  try {
    const file = JSON.parse(text) as Partial<ErrorRatesFile>;
    const whole = [file.full, file.reduced].every(
      (one) => one && Array.isArray(one.comparisons) && Array.isArray(one.selections),
    );
    if (whole) return file as ErrorRatesFile;
  } catch {
    // Told below: the cause is the file either way.
  }
  throw new Fault("data", `${ERROR_RATES_DATA} holds no error rates: ${next}`);
}

/** The data file, the page and its chart, by path from the checkout's root. */
export async function errorRatesFiles(file: ErrorRatesFile): Promise<Generated> {
  const files = new Map([[ERROR_RATES_DATA, dataText(file)]]);
  for (const { file: name, text } of await page(file.full).files()) {
    files.set(`${FOLDER}/${name.endsWith(".md") ? `${PAGE}.md` : name}`, text);
  }
  return files;
}

/** One line a row of figures: a change shows as the rows it touches. */
function dataText({ full, reduced }: ErrorRatesFile): string {
  const rows = (list: readonly object[]): string =>
    list.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
  const part = ({ runs, seed, comparisons, selections, detectable }: ErrorRates): string =>
    `{\n  "runs": ${runs},\n  "seed": ${seed},\n  "comparisons": [\n${rows(comparisons)}\n  ],\n` +
    `  "selections": [\n${rows(selections)}\n  ],\n  "detectable": [\n${rows(detectable)}\n  ]\n}`;
  return `{\n"full": ${part(full)},\n"reduced": ${part(reduced)}\n}\n`;
}

const percent = (share: number | undefined): string =>
  share === undefined ? "--" : `${(100 * share).toFixed(share > 0 && share < 0.001 ? 3 : 2)}%`;

/** Each promise with its worst figure, as a grid. */
export const boundRows = (list: readonly Bound[]): readonly (readonly string[])[] =>
  list.map(({ what, sense, limit, worst, where, met }) => [
    what,
    `${sense} ${formatPercent(limit)}`,
    percent(worst),
    where,
    met ? "yes" : "MISSED",
  ]);

export const BOUND_COLUMNS: ReturnType<typeof columns> = columns(
  "promise",
  ">bound",
  ">worst",
  "under",
  "met",
);

function page(rates: ErrorRates): Page {
  const { runs, seed, comparisons, selections, detectable } = rates;
  const out = new Page("Error rates of the decision rules");
  out.text(
    `Simulated, not measured: ${runs} runs behind every figure, seed ${seed}; \`pnpm lab error-rates\` makes this page again and ` +
      "`pnpm lab error-rates --check` repeats a reduced set. The rules decide on samples whose truth is known, " +
      "under the kinds of noise that `packages/harness/src/simulate/noise.ts` defines; `tick` is the base noise under timestamps of " +
      "65,536 ns, `process` the base noise with an offset (sd 0.5% a side) that each process, or placement of code and buffers, has for as " +
      `long as it lives; \`placement\` is the same with sd ${formatPercent(PLACEMENT_OFFSET.spread)} a side, and ` +
      `${formatPercent(PLACEMENT_OFFSET.second)} more for whichever side is placed second.`,
  );
  out.heading(2, "What the harness promises");
  out.text(gridMarkdown({ columns: BOUND_COLUMNS, rows: boundRows(bounds(rates)) }));
  out.heading(2, "A against B: nothing changed, and the rule says changed");
  out.chart("false-changed", "False changed by rule and kind of noise", chart(comparisons));
  out.text(comparisonGrid(comparisons, ({ falseChanged }) => percent(falseChanged)));
  out.heading(2, "B is 1% slower: changed, in the right direction");
  out.text(comparisonGrid(comparisons, ({ power1 }) => percent(power1)));
  out.heading(2, "B is 2% slower: changed, in the right direction");
  out.text(comparisonGrid(comparisons, ({ power2 }) => percent(power2)));
  out.heading(2, "B is 2% slower, and the rule says same");
  out.text("Rules that never claim sameness have no figure to show but 0.");
  out.text(comparisonGrid(comparisons, ({ falseSame }) => percent(falseSame)));
  out.heading(2, "Nothing changed, and the rule says same");
  out.text(comparisonGrid(comparisons, ({ trueSame }) => percent(trueSame)));
  out.heading(2, "The interval holds the truth");
  const effects = EFFECTS.map((effect) => formatPercent(effect)).join(", ");
  out.text(`Over true changes of ${effects}. Rules without an interval of their own show none.`);
  out.text(comparisonGrid(comparisons, ({ coverage }) => percent(coverage)));
  out.heading(2, "Samples");
  out.text("Mean of a run without a change / with one of 2%.");
  out.text(
    comparisonGrid(comparisons, (one) => `${one.samples.toFixed(0)} / ${one.samplesChanged.toFixed(0)}`),
  );
  out.heading(2, "The minimum detectable effect");
  const least = detectable.reduce((most, one) => (one.detected < most.detected ? one : most));
  out.text(
    "Share of runs that see a change as large as another run, without one, said it could detect / the mean of what such runs say. " +
      `The formula means 90%; the least is ${percent(least.detected)}, of ${least.rule} under ${least.kind} noise.`,
  );
  out.text(detectableGrid(detectable));
  out.heading(2, "The rules");
  out.text(OPPONENTS.map(({ name, rule }) => `- **${name}**: ${rule}.`).join("\n"));
  out.heading(2, "One among 64");
  out.text(
    "Each field is met twice with fresh noise. Regret is the chosen variant's true time over the fastest's, less 1; a flip is a pair of " +
      "runs that choose differently, undeclared where they do not call each other's choice a tie. In a `wide` field variants are 30% behind " +
      `the fastest on average (Gamma of shape 1.2 and scale 0.25), in a \`crowd\` 0.3%. Samples are against ${FULL_SAMPLES}, which is 20 a variant.`,
  );
  out.text(selectionGrid(selections));
  return out;
}

function comparisonGrid(
  comparisons: readonly ComparisonFigures[],
  cell: (figures: ComparisonFigures) => string,
): string {
  const at = (opponent: string, scenario: string): string => {
    const found = comparisons.find((one) => one.opponent === opponent && one.scenario === scenario);
    return found ? cell(found) : "--";
  };
  return gridMarkdown({
    columns: columns("rule", ...SCENARIOS.map((scenario) => `>${scenario}`)),
    rows: OPPONENTS.map(({ name }) => [name, ...SCENARIOS.map((scenario) => at(name, scenario))]),
  });
}

function detectableGrid(detectable: readonly DetectableFigures[]): string {
  const kinds = [...new Set(detectable.map(({ kind }) => kind))];
  const at = (rule: string, kind: string): string => {
    const found = detectable.find((one) => one.rule === rule && one.kind === kind);
    return found ? `${percent(found.detected)} / ${percent(found.mde)}` : "--";
  };
  return gridMarkdown({
    columns: columns("judged by", ...kinds.map((kind) => `>${kind}`)),
    rows: DETECTABLE_RULES.map(({ name }) => [name, ...kinds.map((kind) => at(name, kind))]),
  });
}

function selectionGrid(selections: readonly SelectionFigures[]): string {
  const titles = [">mean regret", ">95th percentile", ">flips", ">undeclared", ">samples"];
  return gridMarkdown({
    columns: columns("scheme", "field", "noise", ...titles),
    rows: selections.map(({ scheme, field, kind, regret, regret95, flips, undeclared, samples }) => [
      ...[scheme, field, kind, percent(regret), percent(regret95)],
      ...[percent(flips), percent(undeclared), percent(samples)],
    ]),
  });
}

/** Rules against kinds of noise: a disc whose area is the share, its number below, for no ground leaves a number readable on every colour. */
function chart(comparisons: readonly ComparisonFigures[]): ChartSpec {
  const values = comparisons.map(({ opponent, scenario, falseChanged }) => ({
    opponent,
    scenario,
    share: falseChanged,
    label: falseChanged === 0 ? "0" : formatPercent(falseChanged),
  }));
  const place = {
    x: { field: "scenario", type: "nominal", sort: [...SCENARIOS], axis: { title: null, labelAngle: 0 } },
    y: {
      field: "opponent",
      type: "nominal",
      sort: OPPONENTS.map(({ name }) => name),
      axis: { title: null },
    },
  } as const;
  return {
    data: { values },
    title: "Nothing changed, and the rule says changed",
    width: WIDTH,
    height: { step: 38 },
    config: LOOK,
    encoding: place,
    layer: [
      {
        mark: { type: "circle", color: BEST, opacity: 1, yOffset: -7 },
        encoding: {
          size: {
            field: "share",
            type: "quantitative",
            scale: { domain: [0, 1], range: [0, 400] },
            legend: null,
          },
        },
      },
      {
        mark: { type: "text", fontSize: 10, color: INK, yOffset: 11 },
        encoding: { text: { field: "label" } },
      },
    ],
  };
}
