import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CauseName, type Diagnosis, diagnose, findings } from "../src/diagnose.ts";
import { driverManifests } from "../src/drivers.ts";
import { type EmbeddedFiles, type Environment, embeddedFiles } from "../src/embedded.ts";
import { type Evidence, gatherEvidence, renderNodesIn } from "../src/evidence.ts";
import { returningNull, withoutDynamicIndexing } from "./elf.ts";

const onLinux = process.platform === "linux" && process.arch === "x64";
const root = mkdtempSync(join(tmpdir(), "diagnose-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let embedded: EmbeddedFiles;
let bare: Environment;

/** A folder of files made for one provocation. */
function folder(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  for (const [file, content] of Object.entries(files))
    writeFileSync(join(path, file), content, { mode: 0o755 });
  return path;
}

const manifest = (library: string): string =>
  JSON.stringify({ file_format_version: "1.0.0", ICD: { library_path: library, api_version: "1.3.0" } });

const named = (found: readonly Diagnosis[], name: CauseName): Diagnosis | undefined =>
  found.find((each) => each.name === name);

/** The system's library of that name, by the dynamic linker's cache. */
function systemLibrary(name: string): string | undefined {
  try {
    const cache = execFileSync("/sbin/ldconfig", ["-p"], { encoding: "utf8" });
    return new RegExp(`${name.replaceAll("+", "\\+")} \\(libc6,x86-64.*=> (\\S+)`).exec(cache)?.[1];
  } catch {
    return undefined;
  }
}

describe.skipIf(!onLinux)("what keeps a machine from its GPU, provoked for real", () => {
  beforeAll(async () => {
    embedded = await embeddedFiles();
    const empty = folder("empty", {});
    // No driver of this machine is seen, the loader that came with the install is.
    bare = {
      HOME: empty,
      XDG_CONFIG_HOME: empty,
      XDG_CONFIG_DIRS: empty,
      XDG_DATA_HOME: empty,
      XDG_DATA_DIRS: empty,
      VK_DRIVER_FILES: undefined,
      VK_ICD_FILENAMES: undefined,
      LD_LIBRARY_PATH: embedded.folder,
    };
  });

  it("says nothing about VK_DRIVER_FILES that the caller itself set, and calls a working software driver no hardware", async () => {
    const found = await diagnose({ ...bare, VK_DRIVER_FILES: embedded.manifest });
    expect(found.map((each) => each.name)).toEqual(["software-only"]);
  });

  it("names the libstdc++ that LD_LIBRARY_PATH puts before the system's", async ({ skip }) => {
    const libm = systemLibrary("libm.so.6");
    if (!libm) return skip("no libm to put in libstdc++'s place");
    const shadow = folder("shadow", { "libstdc++.so.6": readFileSync(libm) });
    const found = named(await diagnose({ ...bare, LD_LIBRARY_PATH: shadow }), "old-libstdcxx");
    expect(found?.cause).toMatch(/libstdc\+\+ on LD_LIBRARY_PATH shadows the system's/);
    expect(found?.evidence).toContain(`${shadow}/libstdc++.so.6`);
    expect(found?.fix).toBe(`remove ${shadow} from LD_LIBRARY_PATH`);
  });

  it("names the version that dawn.node misses in a libstdc++ that is new enough for Node", async ({
    skip,
  }) => {
    const library = systemLibrary("libstdc++.so.6");
    if (!library) return skip("no libstdc++ to age");
    const aged = readFileSync(library);
    const at = aged.indexOf("GLIBCXX_3.4.30\0");
    if (at < 0) return skip("this libstdc++ has no GLIBCXX_3.4.30");
    aged.write("GLIBCXX_9.9.99\0", at, "latin1");
    const shadow = folder("aged", { "libstdc++.so.6": aged });
    const found = named(await diagnose({ ...bare, LD_LIBRARY_PATH: shadow }), "old-libstdcxx");
    expect(found?.cause).toMatch(/dawn\.node needs GLIBCXX_3\.4\.30/);
    expect(found?.evidence).toContain(shadow);
  });

  it.each(["VK_ICD_FILENAMES", "VK_DRIVER_FILES"])(
    "names %s with its value and the file that does not exist",
    async (name) => {
      vi.stubEnv(name, "/nonexistent/icd.json");
      try {
        const found = named(await diagnose({ LD_LIBRARY_PATH: embedded.folder }), "driver-variables");
        expect(found?.evidence).toBe(
          `${name}=/nonexistent/icd.json, of which /nonexistent/icd.json does not exist`,
        );
        expect(found?.fix).toBe(`unset ${name}`);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );

  it("gives Dawn's own reason for refusing a driver without dynamic indexing, as Mesa 22.3's lavapipe is", async () => {
    const driver = withoutDynamicIndexing(readFileSync(join(embedded.folder, "libvk_swiftshader.so")));
    const poor = folder("poor", { "libvk_poor.so": driver, "poor_icd.json": manifest("./libvk_poor.so") });
    const path = join(poor, "poor_icd.json");
    const found = named(await diagnose({ ...bare, VK_DRIVER_FILES: path }), "driver-refused");
    expect(found?.cause).toMatch(/ArrayDynamicIndexing required$/);
    expect(found?.cause).toContain(path);
    // Beside a driver that works, it is still this one that is named.
    const two = await diagnose({ ...bare, VK_DRIVER_FILES: `${embedded.manifest}:${path}` });
    expect(two.map(({ name, cause }) => [name, cause])).toEqual([["driver-refused", found?.cause]]);
    expect(found?.fix).toMatch(/Mesa 23\.1 or newer/);
  });

  it("names the GLVND libraries an NVIDIA driver misses when it gives the loader no vkCreateInstance", async () => {
    const driver = returningNull(
      readFileSync(join(embedded.folder, "libvk_swiftshader.so")),
      "vk_icdGetInstanceProcAddr",
    );
    const nvidia = folder("nvidia", {
      "libGLX_nvidia.so.0": driver,
      "nvidia_icd.json": manifest("./libGLX_nvidia.so.0"),
      // Files that are no libraries: to the dynamic linker as good as absent, on machines that have them too.
      "libEGL.so.1": "",
      "libOpenGL.so.0": "",
    });
    const found = named(
      await diagnose({
        ...bare,
        VK_DRIVER_FILES: join(nvidia, "nvidia_icd.json"),
        LD_LIBRARY_PATH: `${embedded.folder}:${nvidia}`,
      }),
      "glvnd-missing",
    );
    expect(found?.cause).toMatch(/GLVND libraries: .*libEGL\.so\.1.*libOpenGL\.so\.0/);
    expect(found?.evidence).toMatch(/Could not get 'vkCreateInstance' via 'vk_icdGetInstanceProcAddr'/);
    expect(found?.fix).toMatch(/libegl1 libglx0 libgl1 libopengl0 libgles2/);
  });

  it("calls a driver broken when its library is not one", async () => {
    const broken = folder("broken", {
      "libvk_broken.so": "no library",
      "broken_icd.json": manifest("./libvk_broken.so"),
    });
    const found = named(
      await diagnose({ ...bare, VK_DRIVER_FILES: join(broken, "broken_icd.json") }),
      "driver-broken",
    );
    expect(found?.cause).toContain("libvk_broken.so");
    expect(found?.evidence).toMatch(/broken_icd\.json: .+/);
  });

  it("says that there is no Vulkan loader, in the linker's words", async () => {
    const hidden = folder("hidden", { "libvulkan.so.1": "" });
    const found = named(await diagnose({ ...bare, LD_LIBRARY_PATH: hidden }), "no-loader");
    expect(found?.evidence).toMatch(/libvulkan\.so\.1: /);
    expect(found?.fix).toMatch(/install libvulkan1/);
  });

  it("says that no driver is installed and where it looked", async ({ skip }) => {
    if (driverManifests({ ...process.env, ...bare }).length) return skip("a driver in /etc cannot be hidden");
    const evidence = await gatherEvidence(bare, join(root, "empty"));
    const found = named(findings(evidence), "no-driver");
    expect(found?.evidence).toContain(join(root, "empty", "vulkan", "icd.d"));
  });

  it("suggests the embedded software GPU only where the install brought one", async () => {
    const evidence = await gatherEvidence(bare, join(root, "none"));
    const bareMachine: Evidence = {
      ...evidence,
      probe: { adapters: [], failures: [], words: [] },
      loader: { name: "libvulkan.so.1", problem: "not found" },
      manifests: [],
      variables: [],
    };
    const fixes = (embedded: boolean) =>
      [
        findings({ ...bareMachine, embedded }),
        findings({ ...bareMachine, embedded, loader: { name: "x" }, linux: false }),
      ]
        .flat()
        .map(({ fix }) => fix);
    expect(fixes(true).filter((fix) => fix.includes("embedded"))).toHaveLength(3);
    expect(fixes(false).join()).not.toContain("embedded");
    expect(fixes(false)).toHaveLength(3);
  });

  it("says that an NVIDIA card's driver is not mounted into a container", async ({ skip }) => {
    if (driverManifests({ ...process.env, ...bare }).length) return skip("a driver in /etc cannot be hidden");
    const evidence = await gatherEvidence(bare, folder("dev", { nvidia0: "", nvidiactl: "" }));
    const found = findings(evidence);
    expect(found.map((each) => each.name)).toEqual(["driver-not-mounted"]);
    expect(found[0]?.fix).toMatch(/NVIDIA_DRIVER_CAPABILITIES/);
  });

  it("says that the user may not open the card's device file", async () => {
    const dri = folder("dri", { renderD128: "" });
    chmodSync(join(dri, "renderD128"), 0o000);
    const asUser = process.getuid?.() === 0;
    chmodSync(root, 0o755);
    if (asUser) process.seteuid?.(65_534);
    let nodes: Evidence["renderNodes"];
    try {
      nodes = renderNodesIn(dri);
    } finally {
      if (asUser) process.seteuid?.(0);
    }
    const found = findings({ ...(await gatherEvidence(bare)), renderNodes: nodes });
    expect(named(found, "device-permission")?.cause).toBe(
      `${dri}/renderD128 exists but this user may not open it`,
    );
  });

  it("says that TUNELAB_DAWN names no file, or a file that is no addon", async () => {
    const missing = named(
      await diagnose({ ...bare, TUNELAB_DAWN: "/nonexistent/dawn.node" }),
      "dawn-missing",
    );
    expect(missing?.evidence).toMatch(/TUNELAB_DAWN names \/nonexistent\/dawn\.node/);
    const text = join(folder("text", { "dawn.node": "no addon at all" }), "dawn.node");
    const unloadable = named(await diagnose({ ...bare, TUNELAB_DAWN: text }), "dawn-unloadable");
    expect(unloadable?.evidence).toMatch(/file too short|invalid ELF header/);
  });
});
