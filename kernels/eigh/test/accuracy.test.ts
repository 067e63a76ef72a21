import { describe, expect, it } from "vitest";
import { failureText, ORDERS, wantedOf } from "../bench/accuracy/options.ts";
import { pageOf } from "../bench/accuracy/page.ts";
import { parseRecord, type Row } from "../bench/accuracy/records.ts";

const row = (n: number, error: number, rest: Partial<Row> = {}): Row => ({
  n,
  plan: "0123456789abcdef",
  matrices: 17,
  right: 17,
  residual: { error, kind: "random" },
  orthogonality: { error: error / 2, kind: "zero" },
  value: { error: error / 4, kind: "ones" },
  sweeps: 3,
  ...rest,
});
const page = (...rows: Row[]): string =>
  pageOf([{ form: "block", device: "a device", rows }], [1, 2, 3, 7, 8]);

describe("the page of errors", () => {
  it("names the largest error of a form with its order and kind, and the orders as ranges", () => {
    const text = page(row(1, 0.5), row(2, 3), row(3, 2), row(7, 1), row(8, 0.25));
    expect(text).toContain(
      "| block | 1 to 3, 7 to 8 | 85 of 85 | 3.000 at n = 2 (random) | 1.500 at n = 2 (zero) | 0.750 at n = 2 (ones) |",
    );
    expect(text).toContain("every error at most 10 n eps");
    expect(text).not.toContain("not run");
    expect(text).toContain("| 7 | 17/17 | 1.000 | random | 0.500 | zero | 0.250 | ones | 3 |");
  });

  it("says of which orders there is nothing", () => {
    expect(page(row(1, 0.5), row(8, 0.5))).toContain("- block: not at n = 2 to 3, 7");
  });

  it("does not call right what is over the bound or was not decomposed", () => {
    const text = page(
      row(1, 10.01),
      row(2, 1, { right: 16, faults: ["tiny: value is off by NaN n eps"] }),
      row(3, 1, { right: 16, faults: ["huge: status 1 after 40 sweeps"] }),
      row(7, 10),
    );
    expect(text).not.toContain("every error at most");
    expect(text).toContain("- block at n = 1: over the bound");
    expect(text).toContain("- block at n = 2: tiny: value is off by NaN n eps");
    expect(text).toContain("- block at n = 3: huge: status 1 after 40 sweeps");
    expect(text).not.toContain("- block at n = 7");
  });
});

describe("the command line of the accuracy run", () => {
  it("runs every form at every order unless told otherwise, and takes pnpm's own --", () => {
    expect(wantedOf([])).toMatchObject({ orders: ORDERS, page: false });
    expect(wantedOf(["--", "--forms", "block,scalar", "--orders", "3,512", "--page"])).toEqual({
      ...{ forms: ["block", "scalar"], orders: [3, 512], page: true },
    });
  });

  it("has a help with an example", () => {
    expect(wantedOf(["--help"])).toMatchObject({ exit: 0, say: expect.stringContaining("Example: ") });
  });

  it.each([
    [["--form", "block"], /^accuracy: Unknown option '--form'/],
    [["--forms", "blocks"], /^accuracy: --forms takes scalar, .*, not "blocks"/],
    [["--orders", "1,x"], /^accuracy: --orders takes whole numbers from 1 to 512, not "x"/],
    [["--orders", "513"], /not "513"/],
    [["--orders"], /^accuracy: Option '--orders <value>' argument missing/],
    [["block"], /^accuracy: Unexpected argument 'block'/],
  ])("refuses %j in one line", (words, said) => {
    const wanted = wantedOf(words) as { exit: number; say: string };
    expect(wanted.exit).toBe(2);
    expect(wanted.say).toMatch(said);
    expect(wanted.say).not.toContain("\n");
  });
});

describe("a record that is not whole", () => {
  it.each([["[{"], ['{"form":"scalar","rows":[\n  {"n":1'], ["null"], ['{"form":"scalar"}'], [""]])(
    "%j is refused in one line that names the file and says to remove it",
    (text) => {
      let said = "";
      try {
        parseRecord(text, "reports/scalar.json");
      } catch (error) {
        said = failureText(error);
      }
      expect(said).toBe(
        "accuracy: reports/scalar.json is no whole record: remove it, and its form is measured again",
      );
    },
  );

  it("does not stand in the way of one that is", () => {
    expect(parseRecord('{"form":"scalar","device":"d","rows":[]}', "x").rows).toEqual([]);
  });
});
