import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { dawnFlags, dawnPath, dawnVersion, toggleNames, togglesOf } from "../src/dawn.ts";
import { describeDevices } from "../src/describe.ts";
import { chooseDevice, type DeviceTarget, order, pick, withIds } from "../src/discover.ts";
import { embeddedDriver } from "../src/embedded.ts";
import { hostFacts } from "../src/facts.ts";
import { type AdapterReport, deviceInfoOf } from "../src/identity.ts";
import { probe } from "../src/probe.ts";

const onLinux = process.platform === "linux" && process.arch === "x64";
const root = mkdtempSync(join(tmpdir(), "discover-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const report = (name: string, info: Record<string, unknown>): AdapterReport => ({
  name,
  backend: "vulkan",
  info,
  features: ["subgroups", "shader-f16", "depth-clip-control"],
  limits: { maxBufferSize: 1024 },
});

const H200 = report("NVIDIA H200", {
  vendor: "nvidia",
  device: "nvidia-h200",
  subgroupMinSize: 32,
  subgroupMaxSize: 32,
});
const UHD = report("Intel UHD", { vendor: "intel", architecture: "gen-9", device: "intel-uhd" });
const LLVMPIPE = report("llvmpipe (LLVM 19.1.7, 256 bits)", {
  vendor: "mesa",
  device: "llvmpipe-llvm-19-1-7-256-bits-",
  description: "llvmpipe: Mesa 25.0.7",
});
const SWIFTSHADER = report("SwiftShader Device (Subzero)", {
  device: "swiftshader-device",
  isFallbackAdapter: true,
});

function candidate(origin: DeviceTarget["origin"], adapter: AdapterReport): Omit<DeviceTarget, "id"> {
  const info = deviceInfoOf(adapter, "0.6.2");
  const software = info.identity.adapterType === "cpu";
  return {
    kind: software ? "software" : "hardware",
    origin,
    info,
    environment: {},
    host: { backend: "vulkan", software, match: adapter.name },
    timestamps: true,
    tickNs: 1,
  };
}

const ids = (...found: Omit<DeviceTarget, "id">[]): readonly string[] =>
  withIds(order(found)).map(({ id }) => id);

describe("the order and names of devices", () => {
  it("puts discrete before integrated hardware, then the embedded GPU, then lavapipe", () => {
    expect(
      ids(
        candidate("lavapipe", LLVMPIPE),
        candidate("embedded", SWIFTSHADER),
        candidate("system", UHD),
        candidate("system", H200),
      ),
    ).toEqual(["nvidia-h200", "intel-uhd", "swiftshader", "llvmpipe-256"]);
  });

  it("lists a software driver once when the system's loader shows it as well", () => {
    expect(ids(candidate("system", LLVMPIPE), candidate("lavapipe", LLVMPIPE))).toEqual(["llvmpipe-256"]);
  });

  it("gives two devices with one slug distinct ids", () => {
    const older = { ...LLVMPIPE, info: { ...LLVMPIPE.info, description: "llvmpipe: Mesa 24.0.0" } };
    expect(ids(candidate("lavapipe", LLVMPIPE), candidate("lavapipe", older))).toEqual([
      "llvmpipe-256",
      "llvmpipe-256-2",
    ]);
  });

  it("refuses an unknown id by a line that lists those that exist", () => {
    const targets = withIds([candidate("system", H200), candidate("embedded", SWIFTSHADER)]);
    expect(pick(targets, "auto")?.id).toBe("nvidia-h200");
    expect(pick(targets, "swiftshader")?.origin).toBe("embedded");
    expect(() => pick(targets, "rtx")).toThrow(
      "unknown device rtx: this machine has nvidia-h200, swiftshader",
    );
    expect(pick([], "auto")).toBeUndefined();
  });

  it("keeps compute features alone, and subgroup widths only with the feature", () => {
    const { capabilities } = deviceInfoOf(H200, "0.6.2");
    expect(capabilities.features).toEqual(["shader-f16", "subgroups"]);
    expect(capabilities.subgroup).toEqual({ minimum: 32, maximum: 32 });
    expect(deviceInfoOf({ ...H200, features: [] }, "0.6.2").capabilities.subgroup).toBeUndefined();
  });
});

describe("a probe of adapters that misbehave", () => {
  /** A stand-in for dawn.node: the child loads whatever file it is told to. */
  function dawn(name: string, onRequest: string): string {
    const path = join(root, `${name}.cjs`);
    const script = `exports.globals = {};
      exports.create = (flags) => ({ requestAdapter: async () => {
        const name = flags.find((flag) => flag.startsWith("adapter=")).slice(8);
        if (name === "\\u0000none") throw new Error("no\\n * backend: 'vulkan', name: 'bad'\\n * backend: 'vulkan', name: 'good'");
        if (name === "bad") ${onRequest};
        return { info: {}, limits: {}, features: new Set(), requestDevice: async () => ({}) };
      } });`;
    writeFileSync(path, script);
    return path;
  }

  it.each([
    ["kills its process", "process.kill(process.pid, 'SIGSEGV')", /ended by SIGSEGV/],
    ["never answers", "for (;;);", /did not finish within 0\.4 s/],
    ["refuses", "throw new Error('out of order')", /out of order/],
  ])("finds the others when one %s", async (name, onRequest, reason) => {
    const result = await probe({ TUNELAB_DAWN: dawn(name, onRequest) }, 400);
    expect(result.adapters.map((each) => each.report.name)).toEqual(["good"]);
    expect(result.failures).toEqual([{ name: "bad", reason: expect.stringMatching(reason) }]);
  });
});

describe.skipIf(!onLinux)("the devices of this machine", () => {
  it("include the embedded software GPU with a fine clock, found once and remembered", async () => {
    const target = await chooseDevice("swiftshader");
    expect(target).toMatchObject({ kind: "software", timestamps: true });
    expect(target.info.capabilities.subgroup).toEqual({ minimum: 4, maximum: 4 });
    // Quantized timestamps would step by 65,536 ns.
    expect(target.tickNs).toBeGreaterThan(0);
    expect(target.tickNs).toBeLessThan(65_536);
    expect(await chooseDevice("swiftshader")).toBe(target);
    const described = await describeDevices();
    expect(described.find(({ id }) => id === "swiftshader")).toMatchObject({
      implementation: "dawn 0.6.2",
      tables: "swiftshader/tint-vulkan.portable",
    });
  });

  it("include it whatever drivers the user's variables force", async () => {
    vi.stubEnv("VK_DRIVER_FILES", "/nonexistent/icd.json");
    vi.stubEnv("VK_ICD_FILENAMES", "/nonexistent/icd.json");
    vi.stubEnv("VK_LOADER_DRIVERS_DISABLE", "*");
    const { adapters } = await probe(await embeddedDriver());
    vi.unstubAllEnvs();
    expect(adapters.map((each) => each.report.name)).toEqual(["SwiftShader Device (Subzero)"]);
  });
});

describe("Dawn's flags", () => {
  it("lift timestamp quantization in every profile and name it among the toggles", () => {
    expect(dawnFlags("vulkan", "NVIDIA H200", togglesOf("native", false))).toEqual([
      "backend=vulkan",
      "adapter=NVIDIA H200",
      "enable-dawn-features=disable_robustness,disable_workgroup_init",
      "disable-dawn-features=timestamp_quantization",
    ]);
    expect(toggleNames(togglesOf("portable", false))).toEqual(["!timestamp_quantization"]);
    expect(dawnFlags("null", undefined, togglesOf("portable", true))).toEqual(["backend=null"]);
    // One of native's alone, to time what it costs.
    expect(togglesOf("portable", true, ["disable_robustness"]).enabled).toEqual(["disable_robustness"]);
  });

  it("use names that this dawn.node knows: it takes unknown ones in silence", () => {
    const binary = readFileSync(dawnPath({}));
    const { enabled, disabled } = togglesOf("native", false);
    for (const name of [...enabled, ...disabled]) expect(binary.includes(`${name}\0`), name).toBe(true);
  });

  it("come with the version of the package that dawn.node comes from, also as a copy, else with its hash", () => {
    expect(dawnVersion(dawnPath({}))).toBe("0.6.2");
    const copy = join(root, "copied.node");
    if (onLinux) {
      copyFileSync(dawnPath({}), copy);
      expect(dawnVersion(copy)).toBe("0.6.2");
    }
    writeFileSync(copy, "some bytes");
    expect(dawnVersion(copy)).toMatch(/^sha-[0-9a-f]{12}$/);
  });

  it("refuse a TUNELAB_DAWN that names no file, and prefer one that does", () => {
    const own = join(root, "own.node");
    writeFileSync(own, "");
    expect(dawnPath({ TUNELAB_DAWN: own, GPU_DAWN: "/nonexistent" })).toBe(own);
    expect(() => dawnPath({ GPU_DAWN: "/nonexistent" })).toThrow(
      "GPU_DAWN names /nonexistent, which does not exist",
    );
    expect(() => dawnPath({ TUNELAB_DAWN: root })).toThrow(`TUNELAB_DAWN names ${root}, which is no file`);
  });
});

describe("facts about the machine", () => {
  it("name platform, runtime and processor for a session's header", () => {
    expect(hostFacts()).toMatchObject({
      platform: expect.stringContaining(process.platform),
      runtime: `node ${process.versions.node}`,
    });
    expect(hostFacts().cores).toBeGreaterThan(0);
  });
});
