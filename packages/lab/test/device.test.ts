import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedFiles } from "@tunelab/devices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-device-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const DEVICE = ["--device", "swiftshader"];

describe.skipIf(!embedded)("looking at a machine that has the embedded GPU", () => {
  it("devices lists it with its limits, marks exactly one default and says how to tune on that", async () => {
    const found = JSON.parse((await lab(["devices", "--json"])).out);
    expect(found.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toHaveLength(1);
    const one = found.find(({ id }: { id: string }) => id === "swiftshader");
    expect(one).toMatchObject({ kind: "software", compiler: "tint", backend: "vulkan" });
    expect(one.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(128);
    const { code, out } = await lab(["devices"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^swiftshader.*tint.*vulkan/m);
    expect(out).toContain(`pnpm tune --device ${found[0].id}`);
  });

  it("check-gpu exits 0 exactly when hardware works, and otherwise gives each cause a fix", async () => {
    const { code, out } = await lab(["check-gpu", "--json"]);
    const { hardware, auto, findings } = JSON.parse(out);
    expect(code).toBe(hardware.length > 0 ? 0 : 1);
    expect(auto).toBe(hardware[0] ?? "swiftshader");
    if (hardware.length === 0) expect(findings.length).toBeGreaterThan(0);
    for (const { cause, evidence, fix } of findings) {
      expect([cause, evidence, fix].every((text) => text.length > 0)).toBe(true);
    }
  });

  it("noise prints figures of exactly the samples that it took", async () => {
    const { code, out, notes } = await lab([
      "noise",
      ...DEVICE,
      "--samples",
      "15",
      "--out",
      folder,
      "--json",
    ]);
    expect(code).toBe(0);
    expect(notes).toContain("swiftshader");
    expect(notes).toMatch(/^The machine is (quiet|BUSY): load/m);
    const { samplesNs, minNs, medianNs, maxNs, spread, machine, session } = JSON.parse(out);
    expect(samplesNs).toHaveLength(15);
    expect([minNs, maxNs]).toEqual([Math.min(...samplesNs), Math.max(...samplesNs)]);
    expect(samplesNs).toContain(medianNs);
    expect(spread).toBeCloseTo((maxNs - minNs) / minNs, 12);
    const shown = await lab(["results", "show", session, "--out", folder, "--json"]);
    const { events, trials } = JSON.parse(shown.out);
    expect(trials).toEqual([]);
    expect(events).toMatchObject([{ kind: "noise", noise: { samplesNs }, machine }, { kind: "finished" }]);
  });

  it("ceilings are rates above zero", async () => {
    const { code, out } = await lab(["ceilings", ...DEVICE, "--json"]);
    expect(code).toBe(0);
    const measured = JSON.parse(out);
    for (const name of ["fmaFlopsPerSecond", "copyBytesPerSecond"]) {
      expect(measured[name], name).toBeGreaterThan(0);
    }
  });
});
