import type { Problem } from "@tunelab/contract";
import { expect, it } from "vitest";
import { holdable, whyTooLarge } from "../src/holdable.ts";

const operation = {
  name: "double",
  ports: ({ n }: Problem) => [
    { name: "x", dtype: "f32", shape: [Number(n), 2], role: "in", doc: "" },
    { name: "scratch", dtype: "f32", shape: [Number(n), 1000], role: "intermediate", doc: "" },
  ],
} as never;

it("a problem whose port is over the device's buffers, or over any array, is told with the port and both numbers", () => {
  expect(whyTooLarge(operation, { n: 128 }, 1024)).toBeUndefined();
  expect(whyTooLarge(operation, { n: 129 }, 1024)).toBe(
    "double n=129: port x has 1032 bytes, over the device's maxBufferSize of 1024: give a smaller --problem",
  );
  expect(whyTooLarge(operation, { n: 129 }, 4096, 512)).toMatch(/over the longest array of this Node of 512/);
});

it("a session goes on with the problems that fit, and is a usage fault where none does", () => {
  const notes: string[] = [];
  const io = { note: (line: string) => void notes.push(line) };
  const of = (...ns: readonly number[]) =>
    [{ suite: { operation }, problems: ns.map((n) => ({ n })) }] as never;
  expect(holdable(of(1, 500, 2), 1024, io).map(({ problems }) => problems)).toEqual([[{ n: 1 }, { n: 2 }]]);
  expect(notes).toEqual([expect.stringMatching(/^Without double n=500: port x has 4000 bytes/)]);
  expect(() => holdable(of(500), 1024, io)).toThrow(/^double n=500: port x has 4000 bytes/);
  expect(holdable(of(1), 1024, io)).toHaveLength(1);
});
