import type { DispatchStep, Plan } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { blockEigh, scalarEigh } from "../../contract/test/paper-plans/eigh.ts";
import { gatedDeltaNet } from "../../contract/test/paper-plans/gated-delta-net.ts";
import { deltaInputs } from "./gpu/inputs.ts";
import { double, fault, open, ticking } from "./gpu/null.ts";
import { counting, itemwise, words } from "./gpu/plans.ts";

describe("run", () => {
  it.each([
    [65_535, [65_535, 1, 1]],
    [65_536, [32_768, 2, 1]],
    [131_073, [43_691, 3, 1]],
  ])("folds %d workgroups into %j", async (items, grid) => {
    const { device, executor, log } = await open();
    const plan = itemwise(items, [words("y", "out")], "y[i] = i;");
    const instance = await (await executor.prepare(plan)).bind({}, { msPerItem: 1e-6 });
    await instance.run();
    expect(log.dispatches).toEqual([grid]);
    device.destroy();
  });

  it("puts as many repeats into a submission as the time budget holds", async () => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(double);
    const submissions = async (msPerItem: number, repeats: number) =>
      (await (await prepared.bind({ x: counting(64) }, { msPerItem })).run({ repeats })).submissions;
    expect(await submissions(0.1, 15)).toBe(1); // 15 x 6.4 ms
    expect(await submissions(0.1, 16)).toBe(2);
    expect(await submissions(1, 4)).toBe(4);
    device.destroy();
  });

  it("zeroes probes before every repeat and reports them by name", async () => {
    const { device, executor, log } = await open();
    const seen = { ...words("seen", "probe"), fixedBytes: 8, itemBytes: 0 };
    const plan = itemwise(4, [words("y", "out"), seen], "", {});
    const fields = { count: { offset: 0, dtype: "u32" }, worst: { offset: 4, dtype: "f32" } } as const;
    const buffers = plan.buffers.map((spec) => (spec.role === "probe" ? { ...spec, fields } : spec));
    const instance = await (await executor.prepare({ ...plan, buffers })).bind({}, { msPerItem: 1e-6 });
    expect(Object.keys((await instance.run({ repeats: 3 })).probes)).toEqual(["seen.count", "seen.worst"]);
    expect(log.clears).toEqual([8, 8, 8]);
    device.destroy();
  });

  it("stops a loop as soon as its word is right, and at its bound at the latest", async () => {
    // Nothing runs on the null backend, so the word that the loop reads back is given.
    const { device, executor, log } = await open(ticking(), {
      mapped: { "loop condition": Uint32Array.of(7) },
    });
    const plan = blockEigh({ n: 8, matrices: 3 });
    const until = (equals: number): Plan => ({
      ...plan,
      steps: plan.steps.map((step) =>
        step.kind === "loop"
          ? { ...step, maximum: 8, checkEvery: 3, until: { ...step.until, equals } }
          : step,
      ),
    });
    const run = async (equals: number) => {
      const instance = await (await executor.prepare(until(equals))).bind(
        { matrix: new Float32Array(192) },
        { msPerItem: 1e-6 },
      );
      const from = log.dispatches.length;
      const { converged, submissions } = await instance.run();
      return { converged, submissions, dispatches: log.dispatches.length - from };
    };
    // Start and finish are one dispatch each, an iteration is two.
    expect(await run(7)).toEqual({ converged: true, submissions: 2, dispatches: 2 + 3 * 2 });
    expect(await run(8)).toEqual({ converged: false, submissions: 4, dispatches: 2 + 8 * 2 });
    device.destroy();
  });

  describe("of a host-driven loop", () => {
    /** A device on which a workgroup takes `ms`, lost when a submission takes over `limitMs`; and what each submission held. */
    async function watched(ms: number, limitMs: number) {
      let now = 0;
      const held: number[] = [];
      const opened = await open(
        { now: () => now },
        {
          mapped: { "loop condition": Uint32Array.of(7) },
          onSubmit: (dispatches) => {
            const groups = dispatches.reduce((sum, [x, y, z]) => sum + x * y * z, 0);
            if (groups === 0) return;
            held.push(groups);
            now += groups * ms;
            if (groups * ms > limitMs) opened.device.destroy();
          },
        },
      );
      return { ...opened, held };
    }
    /** A loop of `maximum` rounds, a workgroup an item in each, that never ends by itself. */
    const looping = (items: number, maximum: number, checkEvery: number, closing: boolean): Plan => {
      const plan = itemwise(items, [words("y", "out", 64)], "y[i * 64u] = i;");
      const step = plan.steps[0] as DispatchStep;
      return {
        ...plan,
        buffers: [
          ...plan.buffers,
          { name: "left", role: "counter", dtype: "u32", fixedBytes: 4, itemBytes: 0 },
        ],
        steps: [
          {
            kind: "loop",
            stage: "rounds",
            steps: [step],
            ...(closing ? { closing: [{ ...step, groups: { fixed: 1 } }] } : {}),
            maximum,
            checkEvery,
            until: { buffer: "left", offset: 0, equals: 0 },
          },
        ],
      };
    };

    it("encodes what closes a submission once for each, after its iterations", async () => {
      const { device, executor, log } = await watched(1e-6, 100);
      const instance = await (await executor.prepare(looping(4, 6, 3, true))).bind({}, { msPerItem: 1e-6 });
      expect((await instance.run()).submissions).toBe(2);
      expect(log.dispatches.map(([x]) => x)).toEqual([4, 4, 4, 1, 4, 4, 4, 1]);
      device.destroy();
    });

    it("splits iterations over submissions before it splits the batch, and no submission exceeds the budget", async () => {
      // 10 items of 2 ms an iteration: 20 ms a round, 16 rounds between two looks.
      const { device, executor, held } = await watched(2, 100);
      const instance = await (await executor.prepare(looping(10, 32, 16, false))).bind({});
      await instance.run();
      expect(instance.cut.pieces).toBe(1);
      held.length = 0;
      const { converged } = await instance.run();
      expect(converged).toBe(false);
      // 5 rounds of 20 ms a submission, and what is left of an interval.
      expect(held).toEqual([50, 50, 50, 10, 50, 50, 50, 10]);
      device.destroy();
    });

    it("splits the batch where one iteration of all items is over the budget", async () => {
      const { device, executor, held } = await watched(2, 100);
      const instance = await (await executor.prepare(looping(120, 4, 2, false))).bind({});
      await instance.run();
      await instance.run();
      expect(instance.cut.pieces).toBe(3);
      expect(Math.max(...held)).toBeLessThanOrEqual(50);
      device.destroy();
    });

    it("keeps pieces as large as the plan demands where the device is not filled by fewer", async () => {
      const { device, executor } = await watched(2, 1000);
      const plan = looping(120, 4, 2, false);
      const filled = { ...plan, batch: { ...plan.batch, minimum: 100 } };
      const instance = await (await executor.prepare(filled)).bind({}, { msPerItem: 4 });
      expect(instance.cut.itemsPerPiece).toBe(100);
      device.destroy();
    });
  });

  describe("of a kernel of unknown cost", () => {
    /** A device whose submissions take `msPerItem` for each workgroup by an injected clock, and the sizes they had. */
    async function slow(msPerItem: number, times?: readonly [bigint, bigint]) {
      let now = 0;
      const ran: number[] = [];
      const opened = await open(
        { now: () => now },
        {
          onSubmit: (dispatches) => {
            for (const [x, y, z] of dispatches) {
              ran.push(x * y * z);
              now += x * y * z * msPerItem;
            }
          },
          ...(times ? { mapped: { "pass times read back": BigUint64Array.from(times) } } : {}),
        },
        times ? ["timestamp-query"] : [],
      );
      return { ...opened, ran };
    }
    const plan = (items: number) => itemwise(items, [words("y", "out", 64)], "y[i * 64u] = i;");

    it.each([
      ["10 ms an item", 10, 100, [1, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1], 10],
      ["nearly nothing", 1e-6, 1000, [1, 8, 64, 512, 415], 1],
      ["more than the budget", 500, 4, [1, 1, 1, 1], 4],
    ])("that costs %s submits nothing over the budget that it can cut", async (...row) => {
      const [, msPerItem, items, sizes, pieces] = row;
      const { device, executor, ran } = await slow(msPerItem);
      const instance = await (await executor.prepare(plan(items))).bind({});
      await instance.run();
      expect(ran).toEqual(sizes);
      expect(instance.cut.pieces).toBe(pieces);
      const { wallMs } = await instance.run();
      expect(wallMs).toBeCloseTo(items * msPerItem);
      device.destroy();
    });

    it.each<[string, readonly [bigint, bigint], readonly number[]]>([
      ["are believed within the wall time", [10n, 2_000_010n], [1, 8, 64, 27]], // 2 ms each
      ["of zero are not", [0n, 0n], [1, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1]],
      ["that run backwards are not", [10n, 9n], [1, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1]],
      ["over the wall time are not", [1n, 10n ** 15n], [1, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1]],
    ])("timestamps %s", async (_name, times, sizes) => {
      const { device, executor, ran } = await slow(10, times);
      await (await (await executor.prepare(plan(100))).bind({})).run();
      expect(ran).toEqual(sizes);
      device.destroy();
    });
  });

  it("reports what the device refuses as a fault and can go on", async () => {
    const { device, executor } = await open();
    const uncaptured: string[] = [];
    device.addEventListener("uncapturederror", ({ error }) => uncaptured.push(error.message));
    const readOnly = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
    const prepared = await executor.prepare(double);
    const instance = await prepared.bind({ x: counting(64), y: readOnly });
    await instance.run();
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    const gone = device.createBuffer({ size: 256, usage });
    const other = await prepared.bind({ x: counting(64), y: gone });
    gone.destroy();
    expect(await fault(other.read(["y"]))).toMatchObject({
      kind: "validation",
      message: expect.stringMatching(/^reading y: .*destroyed/),
    });
    instance.poison();
    expect((await fault(instance.run())).message).toMatch(/^test\/itemwise: .*CopyDst/);
    expect((await instance.run()).submissions).toBe(1);
    expect(uncaptured).toEqual([]);
    device.destroy();
  });

  it("refuses nonsense, overlap and use after dispose", async () => {
    const { device, executor } = await open();
    const instance = await (await executor.prepare(double)).bind({ x: counting(64) });
    expect((await fault(instance.run({ repeats: 0 }))).message).toBe("repeats is 0, not a positive integer");
    expect(() => instance.recut(0)).toThrow("an item cannot cost 0 ms");
    const first = instance.run();
    expect((await fault(instance.run())).message).toMatch(/is running: await it first/);
    expect(() => instance.write({ x: counting(64) })).toThrow(/is running/);
    await first;
    expect((await fault(instance.read(["x"]))).message).toBe("port x cannot be read: readable are y");
    instance.dispose();
    instance.dispose();
    expect((await fault(instance.run())).message).toMatch(/was disposed/);
    executor.dispose();
    expect((await fault(executor.prepare(double))).message).toMatch(/was disposed/);
    device.destroy();
  });
});

describe("intermediates and encode", () => {
  it("intermediates are read only while a piece holds the whole batch", async () => {
    const { device, executor } = await open();
    const buffers = [words("y", "out"), { ...words("half", "scratch"), port: "half" }];
    const plan = itemwise(640, buffers, "half[i] = i; y[i] = half[i];");
    const instance = await (await executor.prepare(plan)).bind({}, { msPerItem: 1e-6 });
    await instance.run();
    expect((await instance.read(["half"])).half).toHaveLength(640);
    expect(Object.keys(await instance.read())).toEqual(["y"]);
    instance.recut(1);
    await instance.run();
    expect((await fault(instance.read(["half"]))).message).toMatch(/half holds only the last of 10 pieces/);
    device.destroy();
  });

  it("scratch grows to the whole batch after small pieces have taught what an item costs", async () => {
    const { device, executor } = await open();
    const buffers = [words("y", "out"), { ...words("half", "scratch"), port: "half" }];
    const plan = itemwise(640, buffers, "half[i] = i; y[i] = half[i];");
    const instance = await (await executor.prepare(plan)).bind({});
    await instance.run();
    await instance.run();
    expect(instance.cut.pieces).toBe(1);
    expect((await instance.read(["half"])).half).toHaveLength(640);
    device.destroy();
  });

  it("a host-driven loop cannot be encoded into a caller's encoder", async () => {
    const { device, executor } = await open();
    const instance = await (await executor.prepare(scalarEigh({ n: 8, matrices: 3 }))).bind({
      matrix: new Float32Array(192),
    });
    expect(() => instance.encode(device.createCommandEncoder())).toThrow(/has a host-driven loop/);
    device.destroy();
  });
});

describe("a lost device", () => {
  it("rejects what is pending and what comes later, and says so once", async () => {
    const { device, executor } = await open();
    const prepared = await executor.prepare(double);
    const instance = await prepared.bind({ x: counting(64) }, { msPerItem: 1 });
    const pending = [instance.run({ repeats: 20 }), executor.prepare(scalarEigh({ n: 32, matrices: 64 }))];
    device.destroy();
    for (const call of pending) expect((await fault(call)).kind).toBe("device-lost");
    expect(await executor.lost).toMatchObject({ kind: "device-lost", details: { reason: "destroyed" } });
    expect((await fault(executor.prepare(double))).kind).toBe("device-lost");
    expect((await fault(prepared.bind({ x: counting(64) }))).kind).toBe("device-lost");
    expect((await fault(instance.run())).kind).toBe("device-lost");
    expect((await fault(instance.read())).kind).toBe("device-lost");
    instance.dispose();
    executor.dispose();
  });
});

describe("memory", () => {
  it("is all given back by dispose, after 1000 instances as after one", async () => {
    const { device, executor, log } = await open(ticking(), {}, ["timestamp-query"]);
    const prepared = await executor.prepare(gatedDeltaNet({ heads: 1, d: 4, tokens: 8 }, 4));
    const ports = deltaInputs({ heads: 1, d: 4, tokens: 8 });
    for (let cycle = 0; cycle < 1000; cycle++) {
      const instance = await prepared.bind(ports);
      if (cycle % 100 === 0) {
        instance.poison();
        await instance.run({ repeats: 2, timing: "total" });
        await instance.read();
        instance.recut(1e-6);
        await instance.run();
      }
      instance.dispose();
    }
    expect(log.created).toBeGreaterThan(10_000);
    expect(log.live).toBeLessThanOrEqual(1); // the shared resolve buffer
    executor.dispose();
    expect(log.live).toBe(0);
    device.destroy();
  });

  it("of instances that were left open is given back with the executor; a caller's buffer never is", async () => {
    const { device, executor, log } = await open();
    const mine = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
    await (await executor.prepare(double)).bind({ x: counting(64), y: mine });
    executor.dispose();
    expect(log.live).toBe(1);
    device.destroy();
  });
});
