import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { embeddedFiles } from "@tunelab/devices";
import { type Browser, chromium as playwright } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const linux = process.platform === "linux" && process.arch === "x64";
if (!linux) console.warn("skipped: the browser that the install brings runs on x64 Linux only");

/** The page's scripts by path: operations and tables in chunks of their own, loaded when first needed. */
async function bundle(): Promise<ReadonlyMap<string, string>> {
  const entry = fileURLToPath(new URL("page.ts", import.meta.url));
  const built = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@tunelab/source", "module", "browser", "default"] },
    build: { write: false, lib: { entry, formats: ["es"], fileName: "page" } },
  });
  const { output } = (Array.isArray(built) ? built[0] : built) as {
    output: readonly { readonly fileName: string; readonly code: string }[];
  };
  return new Map(output.map(({ fileName, code }) => [`/${fileName}`, code]));
}

describe.skipIf(!linux)("in a real page", () => {
  let server: Server;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    const scripts = await bundle();
    server = createServer((request, response) => {
      const script = scripts.get(request.url ?? "");
      response.setHeader("content-type", script ? "text/javascript" : "text/html");
      response.end(
        script ?? '<!doctype html><title>page</title><script type="module" src="/page.js"></script>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // Chromium looks for its software GPU beside its binary; its own libraries lie in al2023/lib.
    const binary = await chromium.executablePath();
    const { folder: drivers } = await embeddedFiles();
    for (const file of await readdir(drivers))
      await copyFile(join(drivers, file), join(dirname(binary), file));
    folder = await mkdtemp(join(tmpdir(), "tunelab-page-"));
    const own = dirname(binary);
    browser = await playwright.launch({
      executablePath: binary,
      headless: true,
      args: ["--no-sandbox", "--no-zygote", "--disable-setuid-sandbox", "--enable-unsafe-webgpu"],
      env: { ...process.env, HOME: folder, LD_LIBRARY_PATH: `${own}:${join(own, "al2023", "lib")}` },
    });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it("the page's own WebGPU finds every planted lag, and masked names say only vendor and architecture", async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.findLags !== undefined");
    const report = (await page.evaluate("globalThis.findLags(256)")) as {
      lags: number[];
      found: number[];
      variant: string;
      identity: Record<string, string>;
    };
    expect(report.found).toEqual(report.lags);
    expect(report.variant).toMatch(/^fused\//);
    expect(report.identity).toMatchObject({
      vendor: "google",
      architecture: "swiftshader",
      device: "",
      adapterType: "cpu",
    });
  }, 120_000);
});
