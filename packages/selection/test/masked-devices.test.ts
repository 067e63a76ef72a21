import type { DeviceIdentity } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { deviceDistance, explain, select } from "../src/index.ts";
import { ask, tableOf, variant, variants } from "./asking.ts";
import { BIG, H200 } from "./made.ts";

describe("devices that say little about themselves", () => {
  const masked: DeviceIdentity = {
    ...H200,
    implementation: "",
    compiler: "",
    backend: "",
    device: "",
    description: "",
    driver: "",
    adapterType: "unknown",
  };
  const closeness = (asked: DeviceIdentity, known: DeviceIdentity) =>
    deviceDistance({ identity: asked, capabilities: BIG }, { identity: known, capabilities: BIG }).closeness;
  const ampere = { ...H200, architecture: "ampere", device: "rtx-3090", description: "" };

  it("Chromium's masked H200, whose architecture is empty, borrows from its vendor", async () => {
    expect(closeness(masked, H200)).toBe("vendor");
    const selection = await select(ask({ identity: masked }));
    expect(explain(selection)).toMatchObject({ borrowed: true, why: expect.stringContaining("same vendor") });
  });

  it("an architecture is closer than a vendor", async () => {
    const asked = { ...masked, architecture: "ampere" };
    expect(closeness(asked, ampere)).toBe("architecture");
    expect(closeness(asked, H200)).toBe("vendor");
    const tables = [tableOf(H200), tableOf(ampere, [variant(128, 99)])];
    expect((await variants(ask({ tables, identity: asked })))[0]).toBe("plain/workgroup=128");
  });

  it("Safari's `apple` everywhere is a vendor and no device, even against a table of the same mask", () => {
    const safari = {
      ...masked,
      vendor: "apple",
      architecture: "apple",
      device: "apple",
      description: "apple",
    };
    expect(closeness(safari, safari)).toBe("vendor");
    expect(closeness(safari, { ...H200, vendor: "apple", architecture: "metal-3", device: "apple-m4" })).toBe(
      "vendor",
    );
  });

  it("Deno's decimal ids are the same device by its description, under another compiler", async () => {
    const deno = { ...H200, compiler: "naga", vendor: "4318", device: "9013" };
    expect(closeness(deno, H200)).toBe("device");
    expect(closeness({ ...deno, description: "NVIDIA A100" }, H200)).toBe("vendor");
    expect(explain(await select(ask({ identity: deno })))).toMatchObject({
      borrowed: true,
      why: expect.stringContaining("another compiler"),
    });
  });

  it("an unnamed device borrows by subgroup size and limits, and software is nobody's likeness", () => {
    const unknown = { ...masked, vendor: "", architecture: "" };
    expect(closeness(unknown, H200)).toBe("similar");
    expect(closeness({ ...unknown, adapterType: "cpu" }, H200)).toBe("any");
    const narrow = { ...BIG, subgroup: { minimum: 8, maximum: 8 } };
    const info = { identity: H200, capabilities: BIG };
    expect(deviceDistance({ identity: unknown, capabilities: narrow }, info).closeness).toBe("any");
    expect(deviceDistance({ capabilities: BIG }, info).closeness).toBe("similar");
  });

  it("a software GPU is known by its own name whatever reports it", () => {
    const software = { vendor: "google", architecture: "swiftshader", adapterType: "cpu" } as const;
    const swiftshader = { ...H200, ...software, device: "SwiftShader Device (LLVM 16)" };
    const page = { ...masked, ...software };
    expect(closeness(page, swiftshader)).toBe("device");
  });
});
