import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { driver } from "../../../test/embedded.ts";

/** MiB by which the process may grow from the 250th cycle to the last: readings scatter by 15; runtimes that are kept take 0.7 each, 510 here. */
const GROWTH = 100;

describe.skipIf(!driver)("a thousand runtimes, each with a device of its own", () => {
  it("made and disposed of one after the other leave the process no larger than a quarter of them did", async () => {
    const child = fileURLToPath(new URL("cycles.child.ts", import.meta.url));
    const environment = Object.fromEntries(
      Object.entries({ ...process.env, ...driver }).filter(([, value]) => value !== undefined),
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx"), child],
      { env: environment, timeout: 600_000, killSignal: "SIGKILL" },
    );
    const readings = JSON.parse(stdout.trim().split("\n").at(-1)!) as number[];
    console.log(`MiB after each 125 cycles: ${readings.map((mib) => mib.toFixed(0)).join(", ")}`);
    expect(readings).toHaveLength(8);
    expect(readings.at(-1)! - readings[1]!).toBeLessThan(GROWTH);
  }, 620_000);
});
