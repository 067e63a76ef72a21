import { DEFAULT_LIMITS, type Plan, type SimpleStep } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { type BindOptions, cutBatch } from "../src/index.ts";
import { fault, open } from "./gpu/null.ts";
import { itemwise, words } from "./gpu/plans.ts";

/** Compute units of the device, and what a submission may take before the system declares it lost. */
const UNITS = 16;
const LIMIT_MS = 200;
const BUDGET_MS = 100;

/** How often an item's work is done: by one dispatch, in rounds of a host-driven loop, or by a repeated step. */
type Form = "once" | "loop" | "repeat";

/** Sweeps of the loop's whole run, none of which is read back before, or of the repeated step. */
const SWEEPS = 12;

/**
 * A device on which each item is a workgroup of `itemMs`, UNITS of them side by side; it is lost when a submission takes more than LIMIT_MS.
 * The clock moves with it.
 */
async function strict(itemMs: number) {
  let now = 0;
  let lose = (): void => {};
  const submissions: { readonly ms: number; readonly items: readonly number[] }[] = [];
  const opened = await open(
    { now: () => now },
    {
      mapped: { "loop condition": Uint32Array.of(0) },
      onSubmit: (dispatches) => {
        if (dispatches.length === 0) return;
        const items = dispatches.map(([x, y, z]) => x * y * z);
        const ms = items.reduce((sum, count) => sum + itemMs * Math.max(1, count / UNITS), 0);
        submissions.push({ ms, items });
        now += ms;
        if (ms > LIMIT_MS) lose();
      },
    },
  );
  lose = () => opened.device.destroy();
  return { ...opened, submissions };
}

function plan(items: number, form: Form): Plan {
  const made = itemwise(items, [words("y", "out", 64)], "y[i * 64u] = i;", { minimum: 32 });
  if (form === "once") return made;
  const steps = made.steps as readonly SimpleStep[];
  if (form === "repeat")
    return { ...made, steps: [{ kind: "repeat", stage: "sweeps", steps, count: SWEEPS }] };
  const counter = { name: "left", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 } as const;
  return {
    ...made,
    buffers: [...made.buffers, counter],
    steps: [
      {
        kind: "loop",
        stage: "sweeps",
        steps,
        maximum: SWEEPS,
        checkEvery: SWEEPS,
        until: { buffer: "left", offset: 0, equals: 0 },
      },
    ],
  };
}

async function ran(itemMs: number, items: number, form: Form, options: BindOptions) {
  const { device, executor, submissions } = await strict(itemMs);
  const instance = await (await executor.prepare(plan(items, form))).bind(
    {},
    { budgets: { submitMs: BUDGET_MS }, ...options },
  );
  const run = instance.run();
  return { run, submissions, done: () => device.destroy() };
}

describe("a device that is lost when a submission exceeds its limit", () => {
  const cases: readonly (readonly [name: string, itemMs: number, items: number, form: Form])[] = [
    ["cheap items", 0.02, 4096, "once"],
    ["items that fill the budget together", 5, 1000, "once"],
    ["items of almost the budget each", 90, 100, "once"],
    ["cheap sweeps", 0.5, 512, "loop"],
    ["sweeps of almost the budget each", 80, 200, "loop"],
    ["cheap passes", 0.5, 512, "repeat"],
    ["passes of almost the budget each", 80, 200, "repeat"],
  ];
  it.each(cases)(
    "survives %s when a model knows them, in pieces of no fewer items than compute units",
    async (...row) => {
      const [, itemMs, items, form] = row;
      const passes = form === "once" ? 1 : SWEEPS;
      // The model's word on an item: its own time alone, of which a full device gets UNITS through; a sweep's times the sweeps.
      const expectedMsPerItem = (1.5 * itemMs * passes) / UNITS;
      const { run, submissions, done } = await ran(itemMs, items, form, {
        expectedMsPerItem,
        computeUnits: UNITS,
      });
      await run;
      const all = submissions.flatMap((one) => one.items);
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(items * passes);
      expect(Math.max(...submissions.map(({ ms }) => ms))).toBeLessThanOrEqual(LIMIT_MS);
      for (const one of all) expect(one).toBeGreaterThanOrEqual(UNITS);
      done();
    },
  );

  it.each<Form>(["loop", "repeat"])(
    "splits the passes of a %s over submissions before the batch: as long as one of all fits, every dispatch is of all items",
    async (form) => {
      const { run, submissions, done } = await ran(2, 512, form, {
        expectedMsPerItem: (2 * SWEEPS) / UNITS,
        computeUnits: UNITS,
      });
      await run;
      expect(submissions.length).toBeGreaterThan(1);
      expect(new Set(submissions.flatMap(({ items }) => items))).toEqual(new Set([512]));
      done();
    },
  );

  it("counts what is left of a step's passes to what follows them: no submission is over the budget once costs are known", async () => {
    const { device, executor, submissions } = await strict(2.5);
    const made = plan(256, "once");
    const steps = made.steps as readonly SimpleStep[];
    // Passes of 40 ms, two to a submission, so that of three one is left: with two of the next step's it would take 120 ms.
    const sweeps = ["first", "second"].map((stage) => ({ kind: "repeat", stage, steps, count: 3 }) as const);
    const instance = await (await executor.prepare({ ...made, steps: sweeps })).bind(
      {},
      { budgets: { submitMs: BUDGET_MS }, computeUnits: UNITS },
    );
    await instance.run();
    submissions.splice(0);
    await instance.run({ repeats: 2 });
    expect(submissions.map(({ ms }) => ms)).toEqual([80, 40, 80, 40, 80, 40, 80, 40]);
    device.destroy();
  });

  it("takes fewer submissions with a model than by feeling its way, and never starts with a lone item of a device it knows", async () => {
    const feeling = await ran(5, 1000, "once", {});
    await feeling.run;
    const told = await ran(5, 1000, "once", { expectedMsPerItem: 5 / UNITS, computeUnits: UNITS });
    await told.run;
    const known = await ran(5, 1000, "once", { computeUnits: UNITS });
    await known.run;
    expect(feeling.submissions[0]!.items).toEqual([1]);
    expect(known.submissions[0]!.items).toEqual([UNITS]);
    expect(told.submissions[0]!.items[0]).toBeGreaterThan(UNITS);
    expect(told.submissions.length).toBeLessThan(feeling.submissions.length);
    for (const { done } of [feeling, told, known]) done();
  });

  it("is lost by a model that is short by three: the budget holds because the model's bound does", async () => {
    const { run } = await ran(5, 4096, "once", { expectedMsPerItem: 5 / UNITS / 3, computeUnits: UNITS });
    expect(await fault(run as never)).toMatchObject({ kind: "device-lost" });
  });

  it("learns from the first piece where the model was too careful", async () => {
    const { run, submissions, done } = await ran(1, 4096, "once", {
      expectedMsPerItem: 10 / UNITS,
      computeUnits: UNITS,
    });
    await run;
    const sizes = submissions.flatMap(({ items }) => items);
    expect(sizes[0]).toBe(160);
    expect(Math.max(...sizes)).toBeGreaterThan(1000);
    done();
  });
});

describe("a cut on a device whose compute units are known", () => {
  const cut = (items: number, msPerItem: number) =>
    cutBatch({
      plan: plan(items, "once"),
      limits: DEFAULT_LIMITS,
      budgets: { submitMs: BUDGET_MS, memoryBytes: 2 ** 30 },
      msPerItem,
      computeUnits: UNITS,
    });

  it("leaves no piece with fewer items than units, the last one neither, where the batch has as many", () => {
    for (let items = UNITS; items < 300; items++) {
      for (const msPerItem of [0.01, 3, 8, 1000]) {
        const { pieces } = cut(items, msPerItem);
        expect(pieces.reduce((sum, piece) => sum + piece.items, 0)).toBe(items);
        const least = Math.min(...pieces.map((piece) => piece.items));
        expect(least, `${items} ${msPerItem}`).toBeGreaterThanOrEqual(UNITS);
      }
    }
  });

  it("is by the plan's own minimum where they are not", () => {
    const request = { plan: plan(120, "once"), limits: DEFAULT_LIMITS, msPerItem: 1000 };
    const budgets = { submitMs: BUDGET_MS, memoryBytes: 2 ** 30 };
    expect(cutBatch({ ...request, budgets }).cut.itemsPerPiece).toBe(32);
    expect(cutBatch({ ...request, budgets, computeUnits: 4 }).cut.itemsPerPiece).toBe(4);
  });
});
