import { MDE } from "../protocol.ts";
import type { ComparisonFigures, Scenario } from "./comparisons.ts";
import type { ErrorRates } from "./error-rates.ts";
import { QUADS_PLACED, QUADS_PROCESSES, QUADS_REPORT } from "./ours.ts";
import { RACE_SCHEME, type SelectionFigures } from "./races.ts";

/** Something that the harness promises, and its worst figure over the kinds of noise. */
export interface Bound {
  readonly what: string;
  readonly limit: number;
  readonly sense: "at most" | "at least";
  readonly worst: number;
  /** Where it is worst. */
  readonly where: string;
  readonly met: boolean;
}

interface Cell {
  readonly where: string;
  readonly value: number;
}

function bound(what: string, sense: Bound["sense"], limit: number, cells: readonly Cell[]): Bound {
  const worse = sense === "at most" ? (a: number, b: number) => a > b : (a: number, b: number) => a < b;
  const { value, where } = cells.reduce((most, cell) => (worse(cell.value, most.value) ? cell : most));
  return { what, limit, sense, worst: value, where, met: !worse(value, limit) };
}

/** What the formula means. */
const DETECTED = 1 - MDE.beta;

/** What quads in one process and races are held to; a process's own offset needs several processes, and is held to there. */
export function bounds({
  comparisons,
  selections,
  detectable,
}: Omit<ErrorRates, "runs" | "seed">): readonly Bound[] {
  const of = (opponent: string, holds: (scenario: Scenario) => boolean) =>
    comparisons.filter((figures) => figures.opponent === opponent && holds(figures.scenario));
  const offsets: readonly Scenario[] = ["process", "placement"];
  const alone = of(QUADS_REPORT.name, (scenario) => !offsets.includes(scenario));
  const placed = of(QUADS_PLACED.name, () => true);
  const placedAlone = of(QUADS_PLACED.name, (scenario) => !offsets.includes(scenario));
  const several = of(QUADS_PROCESSES.name, (scenario) => scenario !== "placement");
  const offset = of(QUADS_PROCESSES.name, (scenario) => scenario === "process");
  const cells = (figures: readonly ComparisonFigures[], value: (one: ComparisonFigures) => number): Cell[] =>
    figures.map((one) => ({ where: one.scenario, value: value(one) }));
  const races = selections.filter(({ scheme, field }) => scheme === RACE_SCHEME.name && field === "wide");
  const raced = (value: (one: SelectionFigures) => number): Cell[] =>
    races.map((one) => ({ where: one.kind, value: value(one) }));
  return [
    bound(
      "false changed, one process",
      "at most",
      0.01,
      cells(alone, (one) => one.falseChanged),
    ),
    bound(
      "power at 1%, one process",
      "at least",
      0.9,
      cells(alone, (one) => one.power1),
    ),
    bound(
      "power at 2%, one process",
      "at least",
      0.95,
      cells(alone, (one) => one.power2),
    ),
    bound(
      "false same at 2%, one process",
      "at most",
      0.01,
      cells(alone, (one) => one.falseSame),
    ),
    bound(
      "interval coverage, one process",
      "at least",
      0.93,
      cells(alone, (one) => one.coverage!),
    ),
    bound(
      "false changed, placed anew",
      "at most",
      0.01,
      cells(placed, (one) => one.falseChanged),
    ),
    bound(
      "power at 1%, placed anew",
      "at least",
      0.9,
      cells(placedAlone, (one) => one.power1),
    ),
    bound(
      "power at 2%, placed anew",
      "at least",
      0.95,
      cells(placedAlone, (one) => one.power2),
    ),
    bound(
      "false changed, 6 processes",
      "at most",
      0.01,
      cells(several, (one) => one.falseChanged),
    ),
    bound(
      "false same at 2%, 6 processes",
      "at most",
      0.01,
      cells(several, (one) => one.falseSame),
    ),
    bound(
      "interval coverage, 6 processes",
      "at least",
      0.93,
      cells(several, (one) => one.coverage!),
    ),
    bound(
      "power at 2%, 6 processes with offsets",
      "at least",
      0.95,
      cells(offset, (one) => one.power2),
    ),
    bound(
      "mean selection regret of a race",
      "at most",
      0.001,
      raced(({ regret }) => regret),
    ),
    bound(
      "samples of a race against 20 a variant",
      "at most",
      0.35,
      raced(({ samples }) => samples),
    ),
    bound(
      "minimum detectable effect is detected",
      "at least",
      DETECTED,
      detectable.map(({ kind, rule, detected }) => ({ where: `${kind}, ${rule}`, value: detected })),
    ),
  ];
}
