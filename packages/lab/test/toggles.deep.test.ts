import { embeddedFiles } from "@tunelab/devices";
import { expect, it } from "vitest";
import { TOGGLE_SETS } from "../src/spirv/toggle-times.ts";
import { lab } from "./collect.ts";

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);

it.skipIf(!embedded)(
  "toggles times a variant under every set, each time verified",
  async () => {
    const problem = ["--problem", "n=64,data=2,templates=2,pairs=4"];
    const words = [
      "toggles",
      "matched-filter",
      ...problem,
      "--device",
      "swiftshader",
      "--rounds",
      "2",
      "--json",
    ];
    const { code, out, notes } = await lab(words);
    expect(code, notes).toBe(0);
    const [times] = JSON.parse(out);
    expect(Object.keys(times.leastUs)).toEqual(TOGGLE_SETS.map(({ name }) => name));
    expect(times).toMatchObject({ kernel: "matched-filter", rounds: 2, matched: 32, total: 32 });
  },
  120_000,
);
