import { expect, it } from "vitest";
import { lab } from "./collect.ts";

// A compilation takes a third of a second on an idle machine: 240 of them, and a shared one is slower.
const WHOLE_MS = 1_200_000;

it.skipIf(process.platform !== "linux" || process.arch !== "x64")(
  "the published figures of every shipped variant and of the sample are made again, and nothing that ships is clamped beyond the ledger",
  async () => {
    const { code, out } = await lab(["spirv", "--report", "--check"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/\d{3} texts: of kernels that ship/)]);
  },
  WHOLE_MS,
);
