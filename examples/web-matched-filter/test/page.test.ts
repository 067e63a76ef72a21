import { createRuntime, matchedFilter } from "@tunelab/runtime";
import { describe, expect, it } from "vitest";
import { plotText } from "../src/plot.ts";
import { CHIRPS, parseNumbers, SAMPLES, WINDOW } from "../src/signals.ts";
import { analyse, chirpSpectra, THRESHOLD, windowSpectra } from "../src/windows.ts";

const runtime = await createRuntime({ backend: "cpu" });
const analysis = async (signal: Float64Array) =>
  analyse(
    await matchedFilter(runtime, { n: WINDOW, data: windowSpectra(signal), templates: chirpSpectra() }),
  );

describe("the page's signals", () => {
  it.each(SAMPLES.map((sample) => [sample.name, sample] as const))(
    "%s: what was planted is found where it starts, and nothing else",
    async (_name, sample) => {
      const { found } = await analysis(sample.samples());
      expect(found.map(({ start, chirp }) => ({ start, chirp }))).toEqual(
        sample.planted.map(({ start, chirp }) => ({ start, chirp: CHIRPS[chirp]!.name })),
      );
    },
  );

  it("a plot marks what is over the threshold and no other bar", async () => {
    const { windows } = await analysis(SAMPLES[0]!.samples());
    const text = plotText(windows);
    expect(text.match(/class="bar found"/g)).toHaveLength(windows.filter((over) => over >= THRESHOLD).length);
    expect(text.match(/<rect/g)).toHaveLength(windows.length);
  });
});

describe("numbers as text", () => {
  it("are taken however they are separated", () => {
    const text = Array.from({ length: WINDOW }, (_, t) => t % 7).join(",\n");
    expect([...parseNumbers(text).subarray(0, 8)]).toEqual([0, 1, 2, 3, 4, 5, 6, 0]);
  });

  it("name the piece that is none, and say when they are too few", () => {
    expect(() => parseNumbers("1, 2, three")).toThrow(/"three" \(number 3\)/);
    expect(() => parseNumbers("1 2 3")).toThrow(/3 samples are fewer than a window of 1024/);
  });
});
