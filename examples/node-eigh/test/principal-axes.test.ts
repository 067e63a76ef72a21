import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { driver } from "../../../test/embedded.ts";
import { cloud, covariance, normals } from "../src/clouds.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe("covariance matrices", () => {
  it("are symmetric and have the variances along the axes", () => {
    const [xx, xy, yx, yy] = covariance(cloud({ degrees: 90, long: 3, short: 1 }, 20_000, normals(3)));
    expect(xy).toBe(yx);
    expect(xx).toBeCloseTo(1, 1);
    expect(yy! / 9).toBeCloseTo(1, 1);
  });
});

describe.skipIf(!driver)("the example on the embedded GPU", () => {
  it("finds every planted axis and draws the picture of its README", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tunelab-axes-"));
    const file = join(folder, "axes.svg");
    try {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          ...["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx")],
          ...[here("../src/principal-axes.ts"), file, "backend=vulkan"],
        ],
        { env: { ...process.env, ...driver, TZ: "UTC" }, timeout: 25_000, killSignal: "SIGKILL" },
      );
      expect(stdout).toContain("6 of 6 axes within 4 degrees; not converged: 0, not finite: 0");
      expect(stdout).toMatch(/^ran (scalar|one-sided|block|tridiagonal)\//m);
      expect(await readFile(file, "utf8")).toBe(await readFile(here("../principal-axes.svg"), "utf8"));
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 30_000);
});
