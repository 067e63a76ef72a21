import { describe, expect, it } from "vitest";
import { DEFAULT_CAPABILITIES, type Resources, supports } from "../src/index.ts";

const modest: Resources = {
  workgroupBytes: 16_384,
  invocations: 256,
  scratchBytesPerItem: 0,
  storageBuffers: 8,
  features: [],
};
const capable = {
  ...DEFAULT_CAPABILITIES,
  features: ["subgroups"],
  subgroup: { minimum: 8, maximum: 32 },
};

describe("supports", () => {
  it("accepts what needs exactly the default limits", () => {
    expect(supports(modest, DEFAULT_CAPABILITIES)).toEqual({ supported: true });
  });

  it.each([
    ["workgroupBytes", 16_388, "maxComputeWorkgroupStorageSize", "16388", "16384"],
    ["invocations", 257, "maxComputeInvocationsPerWorkgroup", "257", "256"],
    ["storageBuffers", 9, "maxStorageBuffersPerShaderStage", "9", "8"],
  ])("names the limit and both numbers when %s is %d", (name, need, limit, wanted, granted) => {
    const support = supports({ ...modest, [name]: need }, DEFAULT_CAPABILITIES);
    expect(support).toMatchObject({ supported: false, limit });
    expect(support).toHaveProperty("reason", expect.stringContaining(wanted));
    expect(support).toHaveProperty("reason", expect.stringContaining(granted));
  });

  it("refuses a workgroup wider than x allows although the invocations fit", () => {
    const limits = { ...DEFAULT_CAPABILITIES.limits, maxComputeWorkgroupSizeX: 128 };
    expect(supports(modest, { features: [], limits })).toMatchObject({ limit: "maxComputeWorkgroupSizeX" });
  });

  it("names a missing feature before any number", () => {
    const resources = { ...modest, features: ["shader-f16"], invocations: 4096 };
    expect(supports(resources, DEFAULT_CAPABILITIES)).toMatchObject({ limit: "shader-f16" });
  });

  it("needs the subgroup size to be known when the text depends on it", () => {
    const resources = { ...modest, subgroup: { minimum: 4, maximum: 64 } };
    expect(supports(resources, DEFAULT_CAPABILITIES)).toMatchObject({ limit: "subgroups" });
    expect(supports(resources, capable)).toEqual({ supported: true });
  });

  it("refuses a width that the device might choose and the text does not bear", () => {
    const wide = supports({ ...modest, subgroup: { minimum: 32, maximum: 64 } }, capable);
    expect(wide).toMatchObject({ limit: "subgroupSize", reason: expect.stringMatching(/32 to 64.*8 to 32/) });
    const narrow = supports({ ...modest, subgroup: { minimum: 8, maximum: 16 } }, capable);
    expect(narrow).toMatchObject({ limit: "subgroupSize" });
  });
});
