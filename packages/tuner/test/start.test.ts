import { describe, expect, it } from "vitest";
import { session, variantsOf } from "./bed.ts";
import { algorithmNamed, sized, toySuite } from "./toy.ts";

describe("variants to try first", () => {
  it("are measured in the order given, right after the default, whatever the strategy", async () => {
    for (const strategy of ["random", "exhaustive", "local"] as const) {
      const { result } = await session({ tune: { strategy, start: ["only/x=13", "only/x=4,label=b"] } });
      expect(variantsOf(result.trials).slice(0, 3), strategy).toEqual([
        "screened only/x=7,label=a,memory=0",
        "screened only/x=13,label=a,memory=0",
        "screened only/x=4,label=b,memory=0",
      ]);
    }
  });

  it("are left out of the problems that do not have them", async () => {
    const even = algorithmNamed("only", {
      space: (problem) => ({
        ...algorithmNamed("only").space(problem),
        constraints: [
          {
            name: "large",
            doc: "x < 5 n",
            parameters: ["x"],
            holds: ({ x }) => Number(x) < 5 * Number(problem.n),
          },
        ],
      }),
    });
    const suite = toySuite({ algorithms: [even] });
    const { result } = await session({ suite, problems: sized(2, 4), tune: { start: ["only/x=13"] } });
    const tried = result.trials.filter(({ variant }) => variant === "only/x=13,label=a,memory=0");
    expect(new Set(tried.map(({ problem }) => problem.n))).toEqual(new Set([4]));
  });

  it("that no problem has are refused before anything is measured, with the reason", async () => {
    const refused = async (...start: string[]): Promise<unknown> => session({ tune: { start } });
    await expect(refused("other/x=1")).rejects.toThrow(
      /no problem here has other\/x=1: no algorithm other: there is only/,
    );
    await expect(refused("only/x=99")).rejects.toThrow(/no problem here has only\/x=99: x cannot be 99/);
    await expect(refused("only/x")).rejects.toThrow(/"x" is not parameter=value/);
  });
});
