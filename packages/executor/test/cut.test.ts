import { type BufferSpec, DEFAULT_LIMITS, Fault, type Plan } from "@tunelab/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchCut, type CutRequest, cutBatch, DEFAULT_BUDGETS } from "../src/index.ts";

const buffer = (name: string, change: Partial<BufferSpec>): BufferSpec => ({
  name,
  role: "in",
  dtype: "f32",
  fixedBytes: 0,
  itemBytes: 0,
  ...change,
});

interface Shape {
  readonly items: number;
  readonly buffers: readonly BufferSpec[];
  readonly quantum?: number;
  readonly minimum?: number;
  readonly order?: "independent" | "carried";
}

const plan = ({ items, buffers, quantum = 1, minimum = 1, order = "independent" }: Shape): Plan => ({
  contract: 1,
  operation: "test",
  algorithm: "test",
  buffers,
  modules: [],
  steps: [],
  batch: { dimension: "items", items, order, quantum, minimum },
  extents: {},
  requires: { features: [], limits: {} },
});

const cut = (shape: Shape, change: Partial<CutRequest> = {}): BatchCut =>
  cutBatch({ plan: plan(shape), limits: DEFAULT_LIMITS, budgets: DEFAULT_BUDGETS, ...change });

const thousand = buffer("x", { itemBytes: 1024 });

describe("cutBatch", () => {
  it("leaves whole what fits", () => {
    const { cut: whole, pieces } = cut({ items: 1000, buffers: [thousand] }, { msPerItem: 0.1 });
    expect(whole).toEqual({ pieces: 1, itemsPerPiece: 1000, boundBy: "whole" });
    expect(pieces).toEqual([{ first: 0, items: 1000 }]);
  });

  it("cuts by time into even pieces of at most 100 ms", () => {
    const { cut: timed, pieces } = cut({ items: 103, buffers: [thousand] }, { msPerItem: 1 });
    expect(timed).toEqual({ pieces: 2, itemsPerPiece: 52, boundBy: "time" });
    expect(pieces).toEqual([
      { first: 0, items: 52 },
      { first: 52, items: 51 },
    ]);
  });

  it("cuts by binding although the buffer itself is allowed", () => {
    const { cut: bound } = cut({ items: 200_000, buffers: [thousand] });
    expect(bound).toEqual({ pieces: 2, itemsPerPiece: 100_000, boundBy: "binding" });
  });

  it("cuts by memory when scratch for all items would not fit beside the ports", () => {
    const budgets = { submitMs: 100, memoryBytes: 2_048_000 };
    const buffers = [thousand, buffer("work", { role: "scratch", itemBytes: 2048 })];
    expect(cut({ items: 1000, buffers }, { budgets }).cut).toEqual({
      pieces: 2,
      itemsPerPiece: 500,
      boundBy: "memory",
    });
  });

  it("counts a pristine copy of inout, and nothing for a caller's buffer", () => {
    const budgets = { submitMs: 100, memoryBytes: 1_500_000 };
    const buffers = [buffer("state", { role: "inout", itemBytes: 1024 })];
    expect(() => cut({ items: 1000, buffers }, { budgets })).toThrow(/2048000 bytes, over the memory budget/);
    expect(cut({ items: 1000, buffers }, { budgets, borrowed: new Set(["state"]) }).pieces).toHaveLength(1);
  });

  it("starts every piece at an offset that can be bound", () => {
    const { unit, pieces } = cut(
      { items: 1000, buffers: [buffer("a", { itemBytes: 12 }), buffer("b", { itemBytes: 64 })] },
      { msPerItem: 1 },
    );
    expect(unit).toBe(64);
    expect(pieces.every(({ first }) => first % 64 === 0)).toBe(true);
  });

  it("lets the minimum outweigh time and the limits outweigh the minimum", () => {
    const shape = { items: 1000, buffers: [thousand], minimum: 400 };
    expect(cut(shape, { msPerItem: 50 }).pieces.map(({ items }) => items)).toEqual([400, 400, 200]);
    const limits = { ...DEFAULT_LIMITS, maxStorageBufferBindingSize: 300 * 1024 };
    expect(cut(shape, { limits }).pieces.map(({ items }) => items)).toEqual([300, 300, 300, 100]);
  });

  it("never cuts below the quantum, however slow an item is", () => {
    const { pieces } = cut(
      { items: 40, buffers: [thousand], quantum: 16, order: "carried" },
      { msPerItem: 1e9 },
    );
    expect(pieces.map(({ items }) => items)).toEqual([16, 16, 8]);
  });

  const refusals: readonly (readonly [string, Shape, Partial<CutRequest>, RegExp])[] = [
    [
      "one item over the binding limit",
      { items: 1, buffers: [buffer("huge", { role: "scratch", itemBytes: 134_217_732 })] },
      {},
      /one item of buffer huge needs 134217732 bytes, over maxStorageBufferBindingSize = 134217728/,
    ],
    [
      "a buffer over maxBufferSize",
      { items: 300_000, buffers: [thousand] },
      {},
      /buffer x needs 307200000 bytes, over maxBufferSize = 268435456/,
    ],
    [
      "a fixed buffer over the binding limit",
      { items: 1, buffers: [buffer("table", { role: "scratch", fixedBytes: 200_000_000 })] },
      {},
      /buffer table needs 200000000 bytes, over maxStorageBufferBindingSize/,
    ],
    [
      "scratch of one item over the memory budget",
      { items: 9, buffers: [buffer("work", { role: "scratch", itemBytes: 1000 })] },
      { budgets: { submitMs: 100, memoryBytes: 999 } },
      /one item of buffer work needs 1000 bytes, over memoryBytes = 999/,
    ],
    [
      "an aligned piece over the binding limit",
      { items: 100, buffers: [buffer("odd", { itemBytes: 2_097_156 })] },
      {},
      /the smallest piece, 64 items, of buffer odd needs 134217984 bytes/,
    ],
  ];
  it.each(refusals)("refuses %s by number and limit", (_name, shape, change, words) => {
    const attempt = () => cut(shape, change);
    expect(attempt).toThrow(words);
    expect(attempt).toThrow(Fault);
    try {
      attempt();
    } catch (error) {
      expect(error).toMatchObject({ kind: "unsupported", details: { limit: expect.any(String) } });
    }
  });

  it("covers every item once, in order, aligned, within every budget it can keep", () => {
    const word = fc.integer({ min: 1, max: 4096 }).map((count) => 4 * count);
    const buffers = fc.record({ in: word, scratch: word, fixed: word });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 5000 }),
        buffers,
        fc.double({ min: 1e-4, max: 1e3, noNaN: true }),
        fc.integer({ min: 0, max: 2 ** 28 }),
        (items, quantum, minimum, bytes, msPerItem, spare) => {
          const specs = [
            buffer("in", { itemBytes: bytes.in }),
            buffer("scratch", { role: "scratch", itemBytes: bytes.scratch }),
            buffer("fixed", { role: "constant", fixedBytes: bytes.fixed }),
          ];
          const limits = { ...DEFAULT_LIMITS, maxBufferSize: 2 ** 31, maxStorageBufferBindingSize: 2 ** 24 };
          const memoryBytes = items * bytes.in + bytes.fixed + spare;
          const request = { msPerItem, limits, budgets: { submitMs: 100, memoryBytes } };
          let result: BatchCut;
          try {
            result = cut({ items, quantum, minimum, buffers: specs }, request);
          } catch (error) {
            expect(error).toMatchObject({ kind: "unsupported" });
            return;
          }
          const { pieces, unit, most } = result;
          expect(result.cut.pieces).toBe(pieces.length);
          let next = 0;
          for (const piece of pieces) {
            expect(piece.first).toBe(next);
            expect(piece.items).toBeGreaterThan(0);
            next += piece.items;
            expect((piece.first * bytes.in) % 256).toBe(0);
            expect(piece.items * Math.max(bytes.in, bytes.scratch)).toBeLessThanOrEqual(2 ** 24);
            expect(piece.items * bytes.scratch).toBeLessThanOrEqual(spare);
            const last = next === items;
            if (!last) expect(piece.items % quantum).toBe(0);
            if (!last) expect(piece.items).toBeGreaterThanOrEqual(Math.min(minimum, most));
            const allowed = Math.max(100 / msPerItem, unit, minimum + unit);
            expect(piece.items).toBeLessThanOrEqual(allowed);
          }
          expect(next).toBe(items);
        },
      ),
      { numRuns: 500 },
    );
  });
});
