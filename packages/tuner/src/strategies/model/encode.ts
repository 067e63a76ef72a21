import type { Parameter, Value } from "@tunelab/contract";
import type { Candidate, Spaces } from "../strategy.ts";

/** Candidates as points of a unit cube, one coordinate or more a parameter. */
export interface Encoding {
  /** Coordinates of a point. */
  readonly width: number;
  /** For each coordinate, which length scale it has: coordinates of one categorical parameter share theirs. */
  readonly groups: readonly number[];
  /** Length scales there are. */
  readonly scales: number;
  encode(candidate: Candidate): Float64Array;
}

interface Column {
  readonly group: number;
  readonly at: (candidate: Candidate) => number;
}

/** Where a parameter that an algorithm does not have is put: as far from its least value as from its greatest. */
const ABSENT = 0.5;

/** Two categories are a unit apart: each has a coordinate of its own, and they differ in two. */
const CATEGORY = Math.SQRT1_2;

/**
 * Numbers and flags by their place among the parameter's values: authors list 16, 32, 64 or 1, 2, 3, 4, and either way a step
 * is a step. Words that have more than two values, and algorithms, a coordinate a word. Numbers that are not all powers of two
 * have a second coordinate, the power of two in them: hardware likes 48 and 80 less than their neighbours 32 and 64. Parameters
 * of one name are one parameter, in whichever algorithms they occur.
 */
export function encodingOf(spaces: Spaces): Encoding {
  const columns: Column[] = [];
  let scales = 0;
  if (spaces.length > 1) {
    for (const { algorithm } of spaces) {
      columns.push({ group: scales, at: (one) => (one.algorithm === algorithm ? CATEGORY : 0) });
    }
    scales++;
  }
  for (const { name, values } of merged(spaces)) {
    if (values.length < 2) continue;
    for (const group of valueColumns(values)) {
      for (const coordinate of group) {
        const table = new Map(values.map((value, index) => [value, coordinate(value, index)]));
        columns.push({ group: scales, at: ({ config }) => table.get(config[name]!) ?? ABSENT });
      }
      scales++;
    }
  }
  return {
    width: columns.length,
    groups: columns.map(({ group }) => group),
    scales,
    encode: (candidate) => Float64Array.from(columns, ({ at }) => at(candidate)),
  };
}

type Coordinate = (value: Value, index: number) => number;

/** The coordinates of a parameter, those that share a length scale together. */
function valueColumns(values: readonly Value[]): readonly (readonly Coordinate[])[] {
  const last = values.length - 1;
  if (values.length > 2 && values.some((value) => typeof value === "string")) {
    return [values.map((word) => (value) => (value === word ? CATEGORY : 0))];
  }
  const powers = values.map((value) => (typeof value === "number" ? powerOfTwo(value) : 0));
  const most = Math.max(...powers);
  const place: Coordinate = (_, index) => index / last;
  const irregular = values.some((value, index) => typeof value === "number" && value !== 2 ** powers[index]!);
  if (!irregular || most === 0 || values.length < 4) return [[place]];
  return [[place], [(_, index) => powers[index]! / most]];
}

/** The exponent of the greatest power of two that divides a whole number, at most 16; 0 for any other. */
export function powerOfTwo(value: number): number {
  let power = 0;
  if (!Number.isSafeInteger(value) || value === 0) return 0;
  for (let rest = value; rest % 2 === 0 && power < 16; rest /= 2) power++;
  return power;
}

/** Parameters by name, values of all algorithms together; numbers in order. */
function merged(spaces: Spaces): readonly Pick<Parameter, "name" | "values">[] {
  const byName = new Map<string, Value[]>();
  for (const { space } of spaces) {
    for (const { name, values } of space.parameters) {
      const known = byName.get(name);
      if (!known) byName.set(name, [...values]);
      else known.push(...values.filter((value) => !known.includes(value)));
    }
  }
  return [...byName].map(([name, values]) => ({
    name,
    values: values.every((value) => typeof value === "number") ? [...values].sort((a, b) => a - b) : values,
  }));
}
