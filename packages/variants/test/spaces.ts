import type { Config, Constraint, Space, Value } from "@tunelab/contract";
import fc from "fast-check";

/** Seven parameters of ten values: 10^7 raw combinations, of which the pair constraints leave 10 * 10^3 = 10^4. */
export const TEN_MILLION: Space = {
  parameters: Array.from({ length: 7 }, (_, index) => ({
    name: `p${index}`,
    values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    doc: "a digit",
  })),
  constraints: [1, 3, 5].map((index) => ({
    name: `tied-${index}`,
    doc: `p${index} equals p${index - 1}`,
    parameters: [`p${index - 1}`, `p${index}`],
    holds: (config) => config[`p${index}`] === config[`p${index - 1}`],
  })),
};

/** A kernel's space in small. */
export const KERNEL: Space = {
  parameters: [
    { name: "radix", values: [2, 4, 8, 16], unit: "points", doc: "points of a butterfly" },
    { name: "workgroup", values: [64, 128, 256], unit: "invocations", doc: "workgroup size" },
    { name: "exchange", values: ["whole", "split"], doc: "how points change hands" },
    { name: "unroll", values: [true, false], doc: "whether the loop is written out" },
  ],
  constraints: [
    {
      name: "registers",
      doc: "radix times workgroup is at most 1024",
      parameters: ["workgroup", "radix"],
      holds: ({ radix, workgroup }) => Number(radix) * Number(workgroup) <= 1024,
    },
    {
      name: "whole-fits",
      doc: "a whole exchange needs a workgroup of at most 64",
      parameters: ["exchange", "workgroup"],
      holds: ({ exchange, workgroup }) => exchange === "split" || Number(workgroup) <= 64,
    },
  ],
};

/** The whole cartesian product, filtered: what enumeration must agree with. */
export function bruteForce(space: Space): Config[] {
  let all: Config[] = [{}];
  for (const { name, values } of space.parameters) {
    all = all.flatMap((config) => values.map((value) => ({ ...config, [name]: value })));
  }
  return all.filter((config) => space.constraints.every((constraint) => constraint.holds(config)));
}

/** Random spaces of up to 5 parameters and 4 constraints, each a random subset of what two parameters may be together. */
export const anySpace: fc.Arbitrary<Space> = fc
  .array(
    fc.uniqueArray(
      fc.oneof(
        fc.integer({ min: -99, max: 99 }),
        fc.boolean(),
        fc.constantFrom("a", "b.c", "coarse(4)", "é"),
      ),
      {
        minLength: 1,
        maxLength: 4,
        selector: String,
      },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .chain((valueLists) => {
    const names = valueLists.map((_, index) => `p${index}`);
    const position = fc.nat({ max: names.length - 1 });
    const constraint = fc.record({
      first: position,
      second: position,
      salt: fc.nat(1000),
      share: fc.integer({ min: 1, max: 9 }),
    });
    return fc.array(constraint, { maxLength: 4 }).map(
      (drawn): Space => ({
        parameters: valueLists.map((values, index) => ({
          name: names[index]!,
          values: values as Value[],
          doc: "",
        })),
        constraints: drawn.map(({ first, second, salt, share }, index): Constraint => {
          const read = [...new Set([names[first]!, names[second]!])];
          return {
            name: `c${index}`,
            doc: "",
            parameters: read,
            holds: (config) => digit(read.map((name) => String(config[name])).join() + salt) <= share,
          };
        }),
      }),
    );
  });

function digit(text: string): number {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return sum % 10;
}
