import { DEFAULT_CAPABILITIES } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { explain, type SelectRequest, select } from "../src/index.ts";
import { ask, faultOf, variants } from "./asking.ts";
import { H200, scale } from "./made.ts";

describe("a pinned variant", () => {
  const pin = (text: string, changes: Partial<SelectRequest> = {}) =>
    ask({ demand: { variant: text }, ...changes });

  it("is the only candidate, whatever the tables say", async () => {
    const selection = await select(pin("plain/workgroup=128"));
    expect(selection.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=128"]);
    expect(explain(selection)).toMatchObject({ why: "pinned by the call", borrowed: false });
  });

  it("that cannot run throws with the limit instead of running something else", async () => {
    const fault = await faultOf(pin("plain/workgroup=512", { capabilities: DEFAULT_CAPABILITIES }));
    expect(fault.kind).toBe("unsupported");
    expect(fault.message).toMatch(/pinned variant plain\/workgroup=512.*32768 bytes.*WorkgroupStorageSize/);
  });

  it("that is no variant of the operation is a usage fault with what there is", async () => {
    expect(await faultOf(pin("clever/workgroup=64"))).toMatchObject({
      kind: "usage",
      message: expect.stringContaining("it has plain"),
    });
    expect((await faultOf(pin("plain/workgroup=7"))).message).toMatch(/workgroup cannot be 7.*32, 64/);
  });
});

describe("the winner of a race on the device itself", () => {
  const calibrated = { variant: "plain/workgroup=128", problem: { n: 64 }, us: 7, raced: 3 };

  it("goes before every table and says what it was raced on", async () => {
    const selection = await select(ask({ calibrated }));
    expect(explain(selection)).toMatchObject({
      variant: "plain/workgroup=128",
      expectedUs: 7,
      why: "fastest of 3 that raced on this device: 7 us",
    });
    const other = explain(await select(ask({ calibrated, problem: { n: 128 } })));
    expect(other.why).toContain("at n=64");
    expect(other.expectedUs).toBeUndefined();
  });

  it("gives way, with the reason, where it no longer exists or the call demands another", async () => {
    const gone = await select(ask({ calibrated: { ...calibrated, variant: "plain/workgroup=7" } }));
    expect(gone.candidates[0].variant).toBe("plain/workgroup=256");
    expect(gone.refused).toMatchObject([{ source: "calibrated", limit: "space" }]);
    const pinned = await select(ask({ calibrated, demand: { variant: "plain/workgroup=32" } }));
    expect(pinned.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=32"]);
  });
});

describe("a run that goes into the caller's encoder", () => {
  it("takes no plan with a loop that the host drives", async () => {
    const plain = await scale.algorithms.plain!();
    const looping = {
      ...scale,
      algorithms: {
        plain: async () => ({
          ...plain,
          plan: (...args: Parameters<typeof plain.plan>) => {
            const plan = plain.plan(...args);
            if (args[1].workgroup === 64) return plan;
            const until = { buffer: "spare", offset: 0, equals: 1 };
            const loop = { kind: "loop", stage: "scale", maximum: 2, checkEvery: 1, until } as const;
            return { ...plan, steps: [{ ...loop, steps: plan.steps as never }] };
          },
        }),
      },
    };
    const selection = await select(ask({ operation: looping, demand: { encodable: true } }));
    expect(selection.candidates.map((each) => each.variant)).toEqual(["plain/workgroup=64"]);
    expect(selection.refused.map(({ limit }) => limit)).toEqual(["encodable", "encodable"]);
  });
});

describe("accuracy that was measured elsewhere", () => {
  const plain = scale.algorithms.plain!;
  /** The operation, with a variant of 256 threads that leans on the device's own cosines. */
  const leaning = {
    ...scale,
    algorithms: {
      plain: async () => {
        const made = await plain();
        return {
          ...made,
          resources: (
            problem: Parameters<typeof made.resources>[0],
            config: Parameters<typeof made.resources>[1],
          ) => ({
            ...made.resources(problem, config),
            looseBuiltins: config.workgroup === 256 ? ["cos"] : [],
          }),
        };
      },
    },
  };
  const other = { ...H200, vendor: "amd", device: "radeon-x", architecture: "" };

  it("stands on the device that measured it", async () => {
    expect(await variants(ask({ operation: leaning }))).toContain("plain/workgroup=256");
  });

  it("is not borrowed by another device, which runs the next row and says why", async () => {
    const selection = await select(ask({ operation: leaning, identity: other }));
    expect(selection.candidates[0].variant).toBe("plain/workgroup=32");
    expect(selection.refused).toMatchObject([
      { variant: "plain/workgroup=256", limit: "accuracy", reason: expect.stringContaining("cos") },
    ]);
  });
});
