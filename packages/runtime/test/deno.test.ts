import { describe, expect, it } from "vitest";
import { denoOf, runInDeno } from "../../../test/deno.ts";

const deno = denoOf(new URL("../package.json", import.meta.url));

describe.skipIf(!deno)("in Deno without an adapter", () => {
  it("backend gpu refuses with what to do, cpu and auto compute, and auto says that there is no GPU", async () => {
    // An empty backend list is how Deno is told to find none.
    const none = { DENO_WEBGPU_BACKEND: "" };
    const out = await runInDeno(deno!, new URL("deno.child.ts", import.meta.url), none);
    const { refusal, answers, lags, events } = JSON.parse(out);
    expect(refusal).toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/no adapter.*driver.*backend: "auto"/),
    });
    expect(answers).toEqual([`cpu ${lags}`, `cpu ${lags}`]);
    expect(events).toMatchObject([{ kind: "no-gpu" }]);
  });
});
