import {
  type BufferSpec,
  CONTRACT_VERSION,
  DEFAULT_LIMITS,
  type Operation,
  type Plan,
} from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { addParity, commonBuffers, differingWords, exposed } from "../src/pair/parity.ts";
import { straddlingShapes } from "../src/pair/straddle.ts";
import { sameBits } from "../src/words.ts";

const buffer = (name: string, role: BufferSpec["role"], more: Partial<BufferSpec> = {}): BufferSpec => ({
  ...{ name, role, dtype: "f32", fixedBytes: 0, itemBytes: 4 },
  ...more,
});

function planOf(buffers: readonly BufferSpec[], more: Partial<Plan> = {}): Plan {
  return {
    contract: CONTRACT_VERSION,
    operation: "o",
    algorithm: "a",
    buffers,
    modules: [],
    steps: [],
    batch: { dimension: "items", items: 100, order: "independent", quantum: 1, minimum: 1 },
    extents: {},
    requires: { features: [], limits: {} },
    ...more,
  };
}

describe("buffers to compare", () => {
  it("are the ports and the intermediates that both plans name, of one type and size", () => {
    const base = exposed(
      planOf([
        buffer("x", "in"),
        buffer("y", "out"),
        buffer("mid", "scratch"),
        buffer("hits", "counter"),
        buffer("own", "scratch"),
      ]),
    );
    const candidate = exposed(
      planOf([
        buffer("x", "in"),
        buffer("out", "out", { port: "y" }),
        buffer("mid", "scratch", { itemBytes: 8 }),
        buffer("hits", "counter", { dtype: "u32" }),
      ]),
    );
    expect(commonBuffers(base, candidate, [1, 1])).toEqual([
      { name: "y", role: "port" },
      { name: "mid", role: "intermediate", skipped: "400 bytes against 800" },
      { name: "hits", role: "intermediate", skipped: "f32 against u32" },
    ]);
  });

  it("leave out intermediates of a batch that was cut, which hold its last piece alone", () => {
    const plan = exposed(planOf([buffer("y", "out"), buffer("mid", "scratch")]));
    expect(commonBuffers(plan, plan, [1, 3])).toEqual([
      { name: "y", role: "port" },
      { name: "mid", role: "intermediate", skipped: "holds the last of 3 pieces" },
    ]);
  });

  it("never expose what a once-step filled, because poison would destroy it", () => {
    const plan = planOf(
      [buffer("table", "scratch", { fixedBytes: 64, itemBytes: 0 }), buffer("mid", "scratch")],
      {
        steps: [
          {
            kind: "once",
            stage: "table",
            steps: [
              {
                ...{ kind: "dispatch", stage: "table", module: "m", entry: "e", groups: { fixed: 1 } },
                bindings: [{ buffer: "table", access: "read-write" }],
              },
            ],
          },
        ],
      },
    );
    expect(exposed(plan).buffers.map(({ name, port }) => [name, port])).toEqual([
      ["table", undefined],
      ["mid", "mid"],
    ]);
  });
});

describe("bits", () => {
  const floats = (...values: number[]) => Float32Array.from(values);

  it("differ word by word: a sign of zero counts, a NaN equals itself", () => {
    expect(differingWords(floats(0, 1, Number.NaN), floats(-0, 1, Number.NaN))).toEqual({
      differing: 1,
      first: 0,
    });
    expect(differingWords(floats(1, 2), floats(1, 2))).toEqual({ differing: 0 });
  });

  it("of inputs are the same only when every port is there and equal", () => {
    expect(sameBits({ a: floats(1) }, { a: floats(1) })).toBe(true);
    expect(sameBits({ a: floats(1) }, { a: floats(1), b: floats(1) })).toBe(false);
    expect(sameBits({ a: floats(1) }, { b: floats(1) })).toBe(false);
    expect(sameBits({ a: floats(1, 2) }, { a: floats(1) })).toBe(false);
  });

  it("add up over seeds, and the first difference stays the first", () => {
    const one = { name: "y", role: "port", words: 4, differing: 1, first: 3, unstable: 0 } as const;
    const none = { name: "y", role: "port", words: 4, differing: 0, unstable: 0 } as const;
    expect(addParity(addParity(addParity(undefined, none), one), { ...one, first: 1 })).toEqual({
      ...{ name: "y", role: "port", words: 12, differing: 2, first: 3, unstable: 0 },
    });
  });
});

describe("shapes that straddle limits", () => {
  const operation: Operation = {
    ...{ name: "o", doc: "", ports: () => [], algorithms: {}, accuracy: { bound: 0, measure: "" } },
    dimensions: [
      { name: "n", role: "shape", distance: { kind: "exact" }, doc: "" },
      { name: "items", role: "extent", distance: { kind: "log", weight: 1 }, doc: "" },
    ],
    refuse: ({ items }) => (Number(items) === 7 ? "seven is refused" : undefined),
  };
  const dispatching = (groups: number, items: number, quantum: number): Plan =>
    planOf([], {
      steps: [
        {
          ...{ kind: "dispatch", stage: "main", module: "m", entry: "e", bindings: [] },
          groups: { fixed: 0, perItem: { groups, items } },
        },
      ],
      batch: { dimension: "items", items: 100, order: "independent", quantum, minimum: 1 },
    });
  const around = (plans: readonly Plan[], most: number) =>
    straddlingShapes(operation, { n: 4, items: 100 }, plans, DEFAULT_LIMITS, most).map(
      ({ problem }) => problem.items,
    );

  it("are one item, either side of each side's quantum, and either side of the fold of workgroups", () => {
    expect(around([dispatching(1, 4, 4), dispatching(2, 1, 16)], 1e9)).toEqual([
      1, 3, 5, 9, 15, 17, 33, 32_767, 32_768, 262_140, 262_141,
    ]);
  });

  it("leave out what would take too long and what the operation refuses", () => {
    expect(around([dispatching(1, 8, 8)], 1_000)).toEqual([1, 9, 17]);
  });

  it("are none where the batch is not a dimension of the problem, or not its value", () => {
    const other = planOf([], {
      batch: { dimension: "rows", items: 100, order: "independent", quantum: 8, minimum: 1 },
    });
    expect(around([other, other], 1e9)).toEqual([]);
    expect(
      straddlingShapes(operation, { n: 4, items: 50 }, [dispatching(1, 1, 8)], DEFAULT_LIMITS, 1e9),
    ).toEqual([]);
  });
});
