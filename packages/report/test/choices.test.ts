import { describe, expect, test } from "vitest";
import { choices, devicePage, operationPage, type Point } from "../src/index.ts";
import { input, operation } from "./evidence.ts";
import { entry, row, table } from "./tables.ts";

/** A timed variant whose samples scatter by `cv`. */
const point = (
  us: number,
  config: Point["config"],
  more: Partial<Point> & { readonly cv?: number } = {},
): Point => ({
  problem: { n: 64, pairs: 32768 },
  key: "n=64,pairs=32768",
  algorithm: "fused",
  variant: `fused/${JSON.stringify(config)}`,
  config,
  us,
  spread: { minUs: us, medianUs: us * 1.001, cv: more.cv ?? 0.001, samples: 24 },
  certified: true,
  isDefault: false,
  flops: 1e6,
  bytes: 1e6,
  ...more,
});
const none = entry(64, []);

describe("a parameter's choice", () => {
  test("is resolved where the other value's fastest variant is slower beyond the noise of both", () => {
    const [staging] = choices(
      none,
      [point(100, { staging: "split" }), point(105, { staging: "whole" }), point(120, { staging: "whole" })],
      false,
    );
    expect(staging).toEqual({
      parameter: "staging",
      value: "split",
      others: [{ value: "whole", factor: 1.05, timed: 2, standing: "slower" }],
    });
  });

  test.each([
    ["within the gate", "tied", point(100.3, { staging: "whole" })],
    ["within the scatter of the samples", "tied", point(105, { staging: "whole" }, { cv: 0.2 })],
    ["screened only, and close", "screened", point(110, { staging: "whole" }, { certified: false })],
    ["of one sample", "screened", (({ spread: _, ...rest }) => rest)(point(300, { staging: "whole" }))],
    ["faster by a screening", "screened", point(99, { staging: "whole" }, { certified: false })],
  ])("is not told from a value that is %s: %s", (_what, standing, rival) => {
    const best = point(100, { staging: "split" }, { variant: "best" });
    const first = entry(64, [100], { rows: [row(1, 100, { variant: "best" })] });
    const [staging] = choices(first, [best, rival], false);
    expect([staging!.value, staging!.others[0]!.standing]).toEqual(["split", standing]);
  });

  test("is resolved against a screened value far behind, and on a noisy device only from 35%", () => {
    const others = (us: number, certified: boolean, noisy: boolean): string =>
      choices(none, [point(100, { a: 1 }), point(us, { a: 2 }, { certified })], noisy)[0]!.others[0]!
        .standing;
    expect(others(120, false, false)).toBe("slower");
    expect(others(130, true, true)).toBe("tied");
    expect(others(140, true, true)).toBe("slower");
  });

  test("is the value of the variant that ranks first, not of the fastest sample; parameters of one value are left out", () => {
    const ranked = entry(64, [100], { rows: [row(1, 100, { variant: "simple" })] });
    const found = choices(
      ranked,
      [
        point(100, { radix: 4, pad: 0, tile: 1 }, { variant: "simple" }),
        point(99.9, { radix: 16, pad: 8, tile: 1 }),
        point(200, { radix: 2, pad: 8, tile: 1 }),
      ],
      false,
    );
    expect(found.map(({ parameter, value }) => [parameter, value])).toEqual([
      ["pad", "0"],
      ["radix", "4"],
    ]);
    expect(found[1]!.others.map(({ value, factor }) => [value, Number(factor.toFixed(6))])).toEqual([
      ["16", 0.999],
      ["2", 2],
    ]);
  });
});

test("a reader finds under the problem's name on the device's page what to use, how sure that is and what the others cost", async () => {
  const times = [100, 104, 150, 151];
  const one = entry(8192, times, {
    rows: times.map((us, index) =>
      row(index + 1, us, {
        variant: `fused/v${index}`,
        config: { staging: index === 0 ? "split" : "whole", chunk: index < 2 ? 16 : 8 },
      }),
    ),
  });
  const made = input([table([one])], { operations: [operation()] });
  const graded = (grade: "certified" | "screened") => ({
    ...made,
    evidence: made.evidence.map((session) => ({
      ...session,
      trials: session.trials.map((trial) => ({
        ...trial,
        grade: trial.variant === "fused/v0" ? ("certified" as const) : grade,
        timing: {
          ...trial.timing!,
          samplesNs: trial.timing!.samplesNs.slice(0, 1).flatMap((ns) => [ns, ns, ns]),
        },
      })),
    })),
  });
  const page = (await devicePage(graded("certified"), "nvidia-h200")).markdown();
  const title = "What to choose: matched-filter, tint on vulkan, portable";
  expect(page).toContain(`### ${title}`);
  // From the top of the page, and from the operation's.
  const anchor = "#what-to-choose-matched-filter-tint-on-vulkan-portable";
  expect(page.slice(0, page.indexOf("## "))).toContain(`(${anchor})`);
  expect((await operationPage(made, "matched-filter")).markdown()).toContain(
    `../../devices/nvidia-h200/README.md${anchor})`,
  );
  expect(page).toMatch(/\| problem \| time \| algorithm \| staging \| chunk \|/);
  const own = page.slice(page.indexOf("#### n=8192"));
  expect(own).toMatch(/^#### n=8192\S*: 100 µs\n/);
  expect(own).toMatch(/\| `staging` \| split \| resolved \| whole 1\.04x \(3\) \|/);
  expect(own).toMatch(/\| `chunk` \| 16 \| resolved, few tried \| 8 1\.50x \(2\) \|/);
  const screened = (await devicePage(graded("screened"), "nvidia-h200")).markdown();
  expect(screened).toMatch(/\| `staging` \| split \| whole only screened \| whole 1\.04x \(3\) \|/);
  expect(screened).toMatch(/\| split ≈ whole \|/);
});

test("others' figures stand on the operation's page as theirs, with their device, beside our rate at the same size", async () => {
  const made = input(
    [table([entry(4096, [1000]), { ...entry(4096, [10]), problem: { n: 4096, pairs: 8 } }])],
    {
      operations: [operation()],
      references: [
        {
          operation: "matched-filter",
          source: "notes | <b>",
          device: "Radeon 8060S",
          problem: { n: 4096, pairs: 2048 },
          what: "fused",
          us: 134,
          flops: 5e8,
        },
        { operation: "other", source: "x", device: "y", problem: { n: 1 }, what: "z", us: 1, flops: 1 },
      ],
    },
  );
  const page = (await operationPage(made, "matched-filter")).markdown();
  const section = page.slice(page.indexOf("## Others' figures"));
  expect(section).toContain("Not measured here");
  expect(section).toContain(
    "| notes \\| &lt;b&gt; | Radeon 8060S | n=4096,pairs=2048 | fused | 134 µs | 3.73 TFLOP/s | 5.00 GFLOP/s |",
  );
  expect(section.match(/^\| /gm)).toHaveLength(3);
  expect((await operationPage(input([table([entry(64, [1])])]), "matched-filter")).markdown()).not.toContain(
    "Others",
  );
});
