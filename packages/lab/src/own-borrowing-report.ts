import { type Operation, problemKey, type SessionEvidence } from "@tunelab/contract";
import { columns, gridMarkdown } from "@tunelab/report";
import {
  type OwnBorrowing,
  ownBorrowing,
  PORTFOLIO_WITHIN,
  type Retraction,
  type SetOn,
  type ShapeBorrowing,
  withoutStudies,
} from "@tunelab/selection";

/** Variants of the largest set that is looked for: what the library could carry for every problem. */
const MOST_VARIANTS = 4;

/** The page's path from the checkout's root and its text. */
export function generatedOwnBorrowing(published: {
  readonly evidence: readonly SessionEvidence[];
  readonly retracted: readonly Retraction[];
  readonly operations: readonly Operation[];
}): [path: string, text: string] {
  const { evidence, retracted, operations } = published;
  const own = ownBorrowing(withoutStudies(evidence), retracted, operations, MOST_VARIANTS);
  return ["reports/selection/own-devices.md", ownBorrowingPage(own)];
}

/** Three decimals: finer than the fractions that decide. */
const fraction = (value: number | undefined): string => (value === undefined ? "--" : value.toFixed(3));

const place = ({ device, profile }: { readonly device: string; readonly profile: string }): string =>
  profile === "portable" ? device : `${device} (${profile})`;

/** The page on what the devices measured here can borrow from each other. */
function ownBorrowingPage(found: readonly OwnBorrowing[]): string {
  return `${[
    "# What the devices measured here can borrow",
    "Written by `pnpm tables` from the published evidence. Figures are best time over time reached; 1 is the best there is, `--` was not measured there. Every variant that was right counts, also where one sample screened it: differences of a few percent are noise. Software devices count like others.",
    ...found.flatMap(operationText),
  ].join("\n\n")}\n`;
}

function operationText({ operation, members, shapes, smallest }: OwnBorrowing): readonly string[] {
  return [
    `## ${operation}`,
    gridMarkdown({
      columns: columns("device", "problem", "variants that ran", "best us"),
      rows: members.map((member) => [
        ...[place(member), problemKey(member.problem), String(member.times.size)],
        Math.min(...member.times.values()).toPrecision(4),
      ]),
    }),
    `Within ${100 * PORTFOLIO_WITHIN}% of the best on all ${members.length}: ${smallest.variants.length} variants, worst ${fraction(smallest.worst)}.`,
    ...shapes.flatMap(shapeText),
  ];
}

function shapeText({ shape, members, shared, borrowed, oneForAll, ofAtMost, leftOut }: ShapeBorrowing) {
  const names = members.map(place);
  const rowOf = (label: string, set: SetOn | undefined): readonly string[] => [
    ...[label, set ? String(set.variants.length) : "--"],
    ...names.map((_, index) => fraction(set?.efficiency[index])),
    fraction(set?.worst),
  ];
  return [
    `### ${shape}`,
    `Each device's best variant on the others; ${shared} variants ran on all.`,
    gridMarkdown({
      columns: columns("best of", ...names),
      rows: names.map((name, index) => [name, ...borrowed[index]!.map(fraction)]),
    }),
    gridMarkdown({
      columns: columns("set", "variants", ...names, "worst"),
      rows: [
        rowOf("one for all", oneForAll),
        ...ofAtMost.slice(1).map((set, index) => rowOf(`at most ${index + 2}`, set)),
      ],
    }),
    `Left out in turn, chosen from the others among the variants whose time on it is known:`,
    gridMarkdown({
      columns: columns("left out", "candidates", "one for all", `at most ${MOST_VARIANTS}`),
      rows: leftOut.map(({ candidates, oneForAll: one, set }, index) => [
        ...[names[index]!, String(candidates), fraction(one), fraction(set)],
      ]),
    }),
  ];
}
