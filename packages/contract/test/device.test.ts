import { describe, expect, it } from "vitest";
import { type DeviceIdentity, deviceSlug, slug, tableFolder } from "../src/index.ts";

const identity = (fields: Partial<DeviceIdentity>): DeviceIdentity => ({
  implementation: "dawn",
  implementationVersion: "",
  compiler: "tint",
  backend: "vulkan",
  vendor: "",
  architecture: "",
  device: "",
  description: "",
  driver: "",
  adapterType: "unknown",
  ...fields,
});

describe("slug", () => {
  it.each([
    ["NVIDIA H200", "nvidia-h200"],
    ["a/b\\..\\c", "a-b-c"],
    ["../../etc", "etc"],
    ["🦄", "unnamed"],
    ["", "unnamed"],
    ["Café  GPU™", "cafe-gputm"],
    ["Grafikgerät", "grafikgerat"],
  ])("turns %j into %j", (text, name) => {
    expect(slug(text)).toBe(name);
  });

  it("is at most 60 characters and never ends in a dash", () => {
    const long = slug(`${"x".repeat(59)} y`);
    expect(long).toBe("x".repeat(59));
  });
});

describe("deviceSlug", () => {
  it.each<[string, string, Partial<DeviceIdentity>]>([
    [
      "an H200 through Dawn",
      "nvidia-h200",
      { vendor: "nvidia", device: "nvidia-h200", description: "NVIDIA H200" },
    ],
    [
      "an H200 through Deno, whose ids are decimal numbers",
      "nvidia-h200",
      { vendor: "4318", device: "9013", description: "NVIDIA H200" },
    ],
    [
      "a card in Chromium with the developer flag, whose ids are hexadecimal",
      "nvidia-geforce-rtx-3090",
      {
        vendor: "nvidia",
        architecture: "ampere",
        device: "0x2204",
        description: "NVIDIA GeForce RTX 3090",
      },
    ],
    [
      "SwiftShader, whose description is its driver",
      "swiftshader",
      { vendor: "google", architecture: "swiftshader", description: "SwiftShader driver 5.0.0" },
    ],
    [
      "llvmpipe by its vector width",
      "llvmpipe-256",
      { vendor: "mesa", description: "llvmpipe (LLVM 19.1.7, 256 bits)" },
    ],
    [
      "a browser that tells vendor and architecture only",
      "intel-xe",
      { vendor: "intel", architecture: "xe" },
    ],
    ["a browser that tells the vendor only", "apple", { vendor: "apple" }],
    ["a device that tells nothing", "unnamed", {}],
  ])("names %s", (_who, name, fields) => {
    expect(deviceSlug(identity(fields))).toBe(name);
  });

  it("keeps profiles, compilers and backends of one device in folders of their own", () => {
    const h200 = identity({ vendor: "nvidia", device: "nvidia-h200" });
    expect(tableFolder(h200, "portable")).toBe("nvidia-h200/tint-vulkan.portable");
    expect(tableFolder({ ...h200, compiler: "naga" }, "native")).toBe("nvidia-h200/naga-vulkan.native");
  });
});
