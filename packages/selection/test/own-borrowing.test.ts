import { describe, expect, it } from "vitest";
import { bestSetOfAtMost, type Member, ownBorrowing } from "../src/index.ts";
import { H200, scale, session, trial } from "./made.ts";

/** The small operation with a length that specialises its text. */
const shaped = {
  ...scale,
  dimensions: scale.dimensions.map((one) => (one.name === "n" ? { ...one, role: "shape" as const } : one)),
};

/** A session on a device: time in us of each variant at a length. */
const on = (device: string, n: number, times: Readonly<Record<string, number>>, id = `${device}${n}`) =>
  session(
    id,
    Object.entries(times).map(([variant, us]) =>
      trial(`${variant}-${n}`, us, { variant, problem: { n }, grade: "screened" }),
    ),
    {
      deviceSlug: device,
      device: { identity: { ...H200, device }, capabilities: { features: [], limits: {} as never } },
    },
  );

const borrow = (...sessions: Parameters<typeof ownBorrowing>[0]) =>
  ownBorrowing(sessions, [], [shaped], 4)[0]!;

describe("what devices can borrow, by the published evidence", () => {
  const evidence = [
    on("left", 64, { narrow: 10, middle: 12, wide: 40, own: 9 }),
    on("right", 64, { narrow: 40, middle: 12, wide: 10 }),
    on("left", 128, { narrow: 20 }),
  ];

  it("sets each device's best beside its time on the others, and leaves open what was not measured there", () => {
    const { shapes } = borrow(...evidence);
    expect(shapes.map(({ shape }) => shape)).toEqual(["n=64"]);
    const [{ borrowed, shared }] = shapes as [(typeof shapes)[0]];
    expect(shared).toBe(3);
    expect(borrowed[0]).toEqual([1, undefined]);
    expect(borrowed[1]![0]).toBeCloseTo(9 / 40, 3);
  });

  it("one for all is the variant whose worst is best; two reach the best of each", () => {
    const [{ oneForAll, ofAtMost }] = borrow(...evidence).shapes as [ReturnType<typeof borrow>["shapes"][0]];
    expect(oneForAll!.variants).toEqual(["middle"]);
    expect(oneForAll!.worst).toBeCloseTo(9 / 12, 3);
    expect(ofAtMost[1]).toMatchObject({ variants: ["own", "wide"], worst: 1 });
  });

  it("a device left out is judged on variants that it was measured with, against its own best", () => {
    const [{ leftOut }] = borrow(...evidence).shapes as [ReturnType<typeof borrow>["shapes"][0]];
    // Right chose wide, which left was measured with: 40 us against its own 9.
    expect(leftOut[0]).toMatchObject({ candidates: 3 });
    expect(leftOut[0]!.oneForAll).toBeCloseTo(9 / 40, 3);
    // Left's best, own, is unknown on right: narrow is the best that can be judged.
    expect(leftOut[1]!.oneForAll).toBeCloseTo(10 / 40, 3);
  });

  it("takes the least time of a variant over sessions, and nothing that failed or was wrong", () => {
    const again = on("left", 64, { narrow: 8 }, "again");
    const failed = session(
      "failed",
      [
        trial("a", 1, { variant: "crashing", problem: { n: 64 }, status: "crashed" }),
        trial("b", 1, {
          variant: "wrong",
          problem: { n: 64 },
          verdict: { matched: 3, total: 4, sampled: 4, maxError: 1, nearTies: 0 },
        }),
      ],
      { deviceSlug: "left" },
    );
    const { members } = borrow(...evidence, again, failed);
    const left = members.find(({ name }) => name === "left portable n=64")!;
    expect([...left.times.keys()].sort()).toEqual(["middle", "narrow", "own", "wide"]);
    expect(left.times.get("narrow")).toBeCloseTo(8, 6);
    expect(members.map(({ problem }) => problem.n)).toEqual([64, 64, 128]);
  });

  it("a retracted session counts for nothing", () => {
    const retracted = [{ session: "right64", reason: "a loose fan", at: "2026-11-30T00:00:00Z" }] as never;
    expect(ownBorrowing(evidence, retracted, [shaped], 4)[0]!.shapes).toEqual([]);
  });
});

describe("the best set of a size", () => {
  it("is none where no set of that size runs everywhere, or none of its variants is a member's best", () => {
    const member = (name: string, times: Record<string, number>, best?: number): Member => ({
      ...{ name, times: new Map(Object.entries(times)) },
      ...(best === undefined ? {} : { best }),
    });
    expect(bestSetOfAtMost([member("a", { x: 1 }), member("b", { y: 1 })], 1)).toBeUndefined();
    // The best of both is known to be 1, by variants that are no candidates here: half of it is what the set reaches.
    const capped = bestSetOfAtMost([member("a", { x: 2 }, 1), member("b", { x: 4 }, 1)], 1);
    expect(capped).toMatchObject({ variants: ["x"], efficiency: [0.5, 0.25] });
  });
});
