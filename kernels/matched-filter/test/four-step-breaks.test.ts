import { DEFAULT_CAPABILITIES, type Plan } from "@tunelab/contract";
import { inputPosition, outputPosition, type Shape, shapeOf } from "@tunelab/kernel-fft";
import { interpret, interpretPlan } from "@tunelab/variants/interpreter";
import { expect, it } from "vitest";
import { type Break, type Breaking, turnsRed, whole } from "../../../test/breaks.ts";
import { type FourStepConfig, fourStep, type MatchedFilterProblem, NO_PEAK } from "../src/index.ts";
import { suite } from "../src/suite.ts";

/**
 * What a generator of such steps gets wrong without an error from WebGPU, put in on purpose. Each break must turn exactly the check
 * that is named for it red. The checks look at one property each and not at values, which most of these spoil.
 */

/** An odd power of two: 64 columns' transforms of 32 points, 32 rows of 64; two rows a tile. */
const PROBLEM: MatchedFilterProblem = { n: 2048, data: 2, templates: 1, pairs: 2 };
const [LENGTH, ROW] = [32, 64];
const CONFIG: FourStepConfig = {
  ...{
    split: LENGTH,
    radix: 4,
    butterfly: "split",
    points: 8,
    chunk: 8,
    staging: "whole",
    padding: 0,
    gap: 1,
  },
  ...{ twiddles: "table", side: 4, between: "two-level", rows: 2, reduction: "subgroup", loads: "scalar" },
};
const inputs = suite.inputs(PROBLEM, 2);

type Stage = "columns" | "rows" | "finish";
interface Kernel {
  readonly plan: Plan;
  readonly wgsl: Readonly<Record<Stage, string>>;
}

const planOf = (problem: MatchedFilterProblem): Plan => fourStep.plan(problem, CONFIG, DEFAULT_CAPABILITIES);

function kernelOf(broken: Break<Kernel>): Kernel {
  const plan = planOf(PROBLEM);
  const texts = Object.fromEntries(plan.modules.map(({ name, wgsl }) => [name, wgsl]));
  const { plan: changed, wgsl } = broken({ plan, wgsl: texts as Kernel["wgsl"] });
  const modules = plan.modules.map(({ name }) => ({ name, wgsl: wgsl[name as Stage] }));
  return { wgsl, plan: { ...changed, modules } };
}

/** Values of u32 expressions of a step's text, over the threads of its second workgroup. */
function valuesOf(wgsl: string, expressions: readonly string[]): number[][] {
  const threads = Number(/@workgroup_size\((\d+)\)/.exec(wgsl)![1]);
  const place = [...wgsl.matchAll(/^ *let (?:neighbour|t|column|row) = .+;$/gm)].map(([line]) => line);
  const text = `@group(0) @binding(0) var<storage, read_write> got: array<u32>;
    @compute @workgroup_size(${threads}) fn main(@builtin(local_invocation_index) lane: u32) {
      let tile = 1u;
      ${place.join("\n")}
      ${expressions.map((one, r) => `got[lane * ${expressions.length}u + ${r}u] = ${one};`).join("\n")}
    }`;
  const got = new Uint32Array(threads * expressions.length);
  interpret({ wgsl: text, buffers: { got }, extents: {}, groups: 1 });
  return Array.from({ length: threads }, (_, lane) => [
    ...got.subarray(lane * expressions.length, (lane + 1) * expressions.length),
  ]);
}

/** What a pattern captures, in the order of the registers that it captures first. */
const byRegister = (wgsl: string, pattern: RegExp): string[] =>
  [...wgsl.matchAll(pattern)]
    .map(([, register, expression]) => [Number(register), expression!] as const)
    .sort(([a], [b]) => a - b)
    .map(([, expression]) => expression);

type Position = (shape: Shape, t: number, r: number) => number;
const begins: Position = (shape, t, r) => inputPosition(shape, shape.passes[0]!, t, r);
const ends: Position = (shape, t, r) => outputPosition(shape, shape.passes.at(-1)!, t, r);

/** `index(position, neighbour)` of every register of the second tile's threads. */
function wanted(
  shape: Shape,
  side: number,
  threads: "across" | "along",
  position: Position,
  index: (at: number, neighbour: number) => number,
): number[][] {
  return Array.from({ length: shape.threads * side }, (_, lane) => {
    const [neighbour, t] =
      threads === "across"
        ? [lane % side, Math.floor(lane / side)]
        : [Math.floor(lane / shape.threads), lane % shape.threads];
    return Array.from({ length: shape.points }, (_, r) => index(position(shape, t, r), side + neighbour));
  });
}

const COLUMN = shapeOf(LENGTH, CONFIG.radix, LENGTH / CONFIG.points);
const ROWS = shapeOf(ROW, CONFIG.radix, ROW / CONFIG.points);

/** Every check by its name; each throws where its property does not hold. */
const CHECKS: Breaking<Kernel>["checks"] = {
  "no thread reads what another may still be writing": (broken) => {
    const { modules } = kernelOf(broken).plan;
    const { faults } = interpretPlan({ ...planOf(PROBLEM), modules }, inputs);
    expect(faults.filter(({ kind }) => kind === "race")).toEqual([]);
  },

  "the buffers are of the length that the text reads": (broken) => {
    const { plan, wgsl } = kernelOf(broken);
    for (const name of ["data", "templates"] as const) {
      const points = Number(new RegExp(`> ${name}: array<array<vec2f, (\\d+)>>;`).exec(wgsl.columns)![1]);
      const { fixedBytes } = plan.buffers.find((buffer) => buffer.name === name)!;
      expect(fixedBytes).toBe(8 * points * PROBLEM[name]);
    }
    const scratch = plan.buffers.find(({ name }) => name === "scratch")!;
    expect(scratch.itemBytes).toBe(
      8 * Number(/> scratch: array<array<vec2f, (\d+)>>;/.exec(wgsl.columns)![1]),
    );
    const partials = plan.buffers.find(({ name }) => name === "partials")!;
    for (const text of [wgsl.rows, wgsl.finish])
      expect(partials.itemBytes).toBe(16 * Number(/> partials: array<array<vec4u, (\d+)>>;/.exec(text)![1]));
  },

  "a column reads every n2-nd point of its spectra": (broken) => {
    const { columns } = kernelOf(broken).wgsl;
    const want = wanted(COLUMN, CONFIG.side, "across", begins, (j, column) => j * ROW + column);
    for (const pattern of [
      /let d(\d+) = data\[source\.x\]\[(.+)\];/g,
      /let h(\d+) = templates\[source\.y\]\[(.+)\];/g,
    ]) {
      expect(valuesOf(columns, byRegister(columns, pattern))).toEqual(want);
    }
  },

  "a column's output k1 goes to row k1 of scratch": (broken) => {
    const { columns } = kernelOf(broken).wgsl;
    const stores = [...columns.matchAll(/scratch\[item\]\[(.+)\] = x(\d+);/g)];
    const sorted = stores.sort(([, , a], [, , b]) => Number(a) - Number(b)).map(([, index]) => index!);
    expect(valuesOf(columns, sorted)).toEqual(
      wanted(COLUMN, CONFIG.side, "across", ends, (k, column) => k * ROW + column),
    );
  },

  "every point goes through its factor between the steps": (broken) => {
    const { columns } = kernelOf(broken).wgsl;
    const exponents = [...columns.matchAll(/let (w\d+)q = (.+);/g)];
    const at = new Map(exponents.map(([, name, q]) => [name!, q!]));
    const own = byRegister(columns, /^ *x(\d+) = vec2f\(x\d+\.x \* (w\d+)\.x - /gm);
    expect(own).toHaveLength(COLUMN.points);
    expect(
      valuesOf(
        columns,
        own.map((name) => at.get(name)!),
      ),
    ).toEqual(wanted(COLUMN, CONFIG.side, "across", ends, (k, column) => k * column));
  },

  "output k2 of row k1 is lag k2 n1 + k1": (broken) => {
    const { rows } = kernelOf(broken).wgsl;
    const lags = byRegister(rows, /if \(m(\d+) == best\) \{ at = (.+?); z/g);
    expect(valuesOf(rows, lags)).toEqual(
      wanted(ROWS, CONFIG.rows, "along", ends, (k, row) => k * LENGTH + row),
    );
  },

  "a thread tells the lowest of its equal lags": (broken) => {
    const { rows } = kernelOf(broken).wgsl;
    const order = [...rows.matchAll(/if \(m\d+ == best\) \{ at = (.+?); z/g)].map(([, lag]) => lag!);
    for (const lags of valuesOf(rows, order)) expect(lags).toEqual([...lags].sort((a, b) => b - a));
  },

  "every partial peak is read by the last step, and of equals the lowest lag is told": (broken) => {
    const { plan, wgsl } = kernelOf(broken);
    const tiles = LENGTH / CONFIG.rows;
    const bits = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!;
    // Each tile in turn has the peak, then all but the first two, which have none.
    for (let tile = 0; tile <= tiles; tile++) {
      const partials = Array.from({ length: tiles }, (_, at) => {
        if (tile === tiles && at < 2) return [0, NO_PEAK, 0, 0];
        const peak = tile === tiles || at === tile;
        return [bits(peak ? 4 : 1), 1000 - at, bits(peak ? 2 : 1), 0];
      });
      const records = new Uint32Array(4);
      const buffers = { partials: Uint32Array.from(partials.flat()), records };
      const extents = { items: 1, first: 0, total: 1, iteration: 0, ...plan.extents };
      interpret({ wgsl: wgsl.finish, buffers, extents, groups: 1 });
      expect([...records]).toEqual([1000 - Math.min(tile, tiles - 1), bits(2), 0, bits(2)]);
    }
  },
};

const inText =
  (stage: Stage, change: (wgsl: string) => string): Break<Kernel> =>
  ({ plan, wgsl }) => ({ plan, wgsl: { ...wgsl, [stage]: change(wgsl[stage]) } });

const BREAKS: Breaking<Kernel>["breaks"] = [
  [
    "a barrier removed",
    "no thread reads what another may still be writing",
    inText("rows", (wgsl) => wgsl.replace("workgroupBarrier();", "")),
  ],
  [
    "a stale length",
    "the buffers are of the length that the text reads",
    ({ wgsl }) => ({ wgsl, plan: planOf({ ...PROBLEM, n: PROBLEM.n / 2 }) }),
  ],
  [
    "templates read along a row",
    "a column reads every n2-nd point of its spectra",
    inText("columns", (wgsl) =>
      wgsl.replace(
        /templates\[source\.y\]\[(.+) \* 64u \+ column\]/g,
        "templates[source.y][column * 32u + $1]",
      ),
    ),
  ],
  [
    "scratch written transposed",
    "a column's output k1 goes to row k1 of scratch",
    inText("columns", (wgsl) =>
      wgsl.replace(/scratch\[item\]\[(.+) \* 64u \+ column\]/g, "scratch[item][column * 32u + $1]"),
    ),
  ],
  [
    "a factor left out",
    "every point goes through its factor between the steps",
    inText("columns", (wgsl) => wgsl.replace(/^ *x\d+ = vec2f\(x\d+\.x \* w\d+\.x - .+$/m, "")),
  ],
  [
    "a factor of the transposed exponent",
    "every point goes through its factor between the steps",
    inText("columns", (wgsl) => wgsl.replace("column * (t + 4u)", "(column + 4u) * t")),
  ],
  [
    "lags by rows",
    "output k2 of row k1 is lag k2 n1 + k1",
    inText("rows", (wgsl) => wgsl.replace(/at = (.+?) \* 32u \+ row;/g, "at = row * 64u + $1;")),
  ],
  [
    "the last of equal lags",
    "a thread tells the lowest of its equal lags",
    inText("rows", (wgsl) => {
      const own = [...wgsl.matchAll(/ *if \(m\d+ == best\) .+\n/g)].map(([line]) => line);
      return wgsl.replace(own.join(""), own.reverse().join(""));
    }),
  ],
  [
    "partial peaks from the second on",
    "every partial peak is read by the last step, and of equals the lowest lag is told",
    inText("finish", (wgsl) =>
      wgsl.replace(/partials\[item\]\[step \* (\d+)u \+ t\]/, "partials[item][max(1u, step * $1u + t)]"),
    ),
  ],
  [
    "the highest of equal tiles",
    "every partial peak is read by the last step, and of equals the lowest lag is told",
    inText("finish", (wgsl) =>
      wgsl
        .replace("atomicMax(&peakAt, ~at)", "atomicMax(&peakAt, at)")
        .replace("~atomicLoad(&peakAt)", "atomicLoad(&peakAt)"),
    ),
  ],
];

turnsRed<Kernel>({ what: "step", made: kernelOf, checks: CHECKS, breaks: BREAKS });

it("the steps have a peak for every pair where it was planted", () => {
  const { buffers } = interpretPlan(kernelOf(whole).plan, inputs);
  const verdict = suite.oracle(PROBLEM, inputs).check({ records: buffers.records! }, { count: 2, seed: 1 });
  expect(verdict).toMatchObject({ matched: 2, total: 2 });
});
