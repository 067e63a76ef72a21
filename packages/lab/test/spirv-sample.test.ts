import type { Suite } from "@tunelab/contract";
import { expect, it } from "vitest";
import { requireCheckout } from "../src/places.ts";
import { readData, type SpirvData } from "../src/spirv/data.ts";
import { SAMPLED, sampleFor } from "../src/spirv/publish.ts";
import { sampleOf } from "../src/spirv/texts.ts";

const SEED = 1;

/** An operation of one algorithm with one parameter. */
const suiteOf = (values: number): Suite => {
  const parameter = {
    name: "workgroup",
    values: Array.from({ length: values }, (_, i) => i + 1),
    doc: "threads",
  };
  const plain = { name: "plain", space: () => ({ parameters: [parameter], constraints: [] }) };
  const operation = { name: "small", dimensions: [], algorithms: { plain: async () => plain } };
  return { operation, workloads: { quick: [{ n: 64 }] } } as unknown as Suite;
};

/** Figures as they are committed for a sample of variants, each with two texts. */
function committedOf(sample: Awaited<ReturnType<typeof sampleOf>>, seed: number, count: number): SpirvData {
  const figures = { ...({} as SpirvData["rows"][number]["portable"]) };
  const row = { stoodIn: false, portable: figures, native: figures, unnamed: 0, stays: [] };
  const texts = sample.flatMap((one) => ["first", "second"].map((stage) => ({ ...one, ...row, stage })));
  const shipped = { ...texts[0]!, variant: "plain/workgroup=1000", sources: ["default"] };
  return { device: "d", implementation: "i", sample: { count, seed }, rows: [shipped, ...texts] };
}

it("the page's own sample stays when spaces grow; another seed or size, or no page, draws one anew", async () => {
  const before = await sampleOf([suiteOf(200)], SAMPLED, SEED);
  const now = [suiteOf(300)];
  const fresh = await sampleOf(now, SAMPLED, SEED);
  expect(fresh).not.toEqual(before);
  expect(await sampleFor(committedOf(before, SEED, SAMPLED), SEED)(now)).toEqual(before);
  expect(await sampleFor(undefined, SEED)(now)).toEqual(fresh);
  expect(await sampleFor(committedOf(before, SEED + 1, SAMPLED), SEED)(now)).toEqual(fresh);
  expect(await sampleFor(committedOf(before, SEED, SAMPLED - 1), SEED)(now)).toEqual(fresh);
});

it("the committed page is made again with the sample that it has, a variant of several texts once", async () => {
  const data = await readData(requireCheckout());
  const kept = await sampleFor(data, data.sample.seed)([]);
  expect(kept.length).toBeGreaterThan(SAMPLED / 2);
  expect(new Set(kept.map((one) => JSON.stringify(one))).size).toBe(kept.length);
  const known = new Set(data.rows.map(({ kernel, variant }) => `${kernel} ${variant}`));
  expect(kept.every(({ kernel, variant }) => known.has(`${kernel} ${variant}`))).toBe(true);
});
