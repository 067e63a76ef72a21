import { expect, test } from "vitest";
import { checkWhere, enumerate, formatId, parseWhere, restrict } from "../src/index.ts";
import { KERNEL } from "./spaces.ts";

const [first, second] = KERNEL.parameters;
const kept = [String(first!.values[0]), String(first!.values[1])];

test("a restriction keeps exactly the variants that have its values, under the same ids and in the same order", () => {
  const where = parseWhere(`${first!.name}=${kept.join("|")}`);
  const wanted = [...enumerate(KERNEL)].filter((config) => kept.includes(String(config[first!.name])));
  const found = [...enumerate(restrict(KERNEL, where))];
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.length).toBeLessThan([...enumerate(KERNEL)].length);
  expect(found).toEqual(wanted);
  expect(found.map((config) => formatId("a", restrict(KERNEL, where), config))).toEqual(
    wanted.map((config) => formatId("a", KERNEL, config)),
  );
});

test("a parameter that the space has not restricts nothing: another algorithm may have it", () => {
  expect([...enumerate(restrict(KERNEL, { elsewhere: ["1"] }))]).toEqual([...enumerate(KERNEL)]);
});

test("values are compared as text, so that numbers and booleans are named as ids name them", () => {
  const space = { parameters: [{ name: "hoist", values: [false, true], doc: "" }], constraints: [] };
  expect([...enumerate(restrict(space, parseWhere("hoist=true")))]).toEqual([{ hoist: true }]);
});

test("what is no restriction, a name nobody has and a value nobody takes are each told in one line", () => {
  expect(() => parseWhere("tile")).toThrow('"tile" restricts nothing: write parameter=value');
  expect(() => parseWhere("tile=1,tile=2")).toThrow("tile is restricted twice: write tile=value|value");
  expect(() => parseWhere("tile=1=2")).toThrow("restricts nothing");
  expect(() => parseWhere("")).toThrow("restricts nothing");
  expect(() => checkWhere({ magic: ["1"] }, [KERNEL])).toThrow(
    `no parameter is called magic: there is ${KERNEL.parameters.map(({ name }) => name).join(", ")}`,
  );
  expect(() => checkWhere({ [second!.name]: ["none-such"] }, [KERNEL])).toThrow(
    `${second!.name} cannot be none-such here: there is ${second!.values.join(", ")}`,
  );
  expect(() => checkWhere({ [first!.name]: kept }, [KERNEL])).not.toThrow();
});
