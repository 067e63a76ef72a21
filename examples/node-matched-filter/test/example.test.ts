import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chooseDevice } from "@tunelab/devices";
import { describe, expect, it } from "vitest";
import { denoOf, runInDeno } from "../../../test/deno.ts";
import { driver } from "../../../test/embedded.ts";

const target = await chooseDevice("auto").catch((error: Error) => {
  console.warn(`skipped: ${error.message}`);
  return undefined;
});

describe.skipIf(!target)("the example", () => {
  it("finds every planted echo on the best device of this machine and says which variant ran", async () => {
    const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx"), main],
      { timeout: 25_000, killSignal: "SIGKILL" },
    );
    expect(stdout).toContain("8 of 8 echoes found");
    expect(stdout).toMatch(/^ran (fused|corr-reduce)\//m);
  });
});

const deno = denoOf(new URL("../package.json", import.meta.url));

describe.skipIf(!deno || !driver)("the same script in Deno", () => {
  it("finds every planted echo with Deno's own WebGPU", async () => {
    const stdout = await runInDeno(deno!, new URL("../src/find-echoes.ts", import.meta.url));
    expect(stdout).toContain("8 of 8 echoes found");
    expect(stdout).toMatch(/^ran (fused|corr-reduce)\//m);
  });
});
