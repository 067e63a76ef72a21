import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { embeddedFiles } from "@tunelab/devices";
import { type Browser, type Page, chromium as playwright } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const linux = process.platform === "linux" && process.arch === "x64";
if (!linux) console.warn("skipped: the browser that the install brings runs on x64 Linux only");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

describe.skipIf(!linux)("the built page in Chromium", () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let folder: string;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tunelab-page-"));
    const root = fileURLToPath(new URL("..", import.meta.url));
    await build({ root, logLevel: "error", build: { outDir: join(folder, "site"), emptyOutDir: true } });
    server = createServer(async (request, response) => {
      const path = request.url === "/" ? "/index.html" : (request.url ?? "");
      const body = await readFile(join(folder, "site", path)).catch(() => undefined);
      response.writeHead(body ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "text/plain" });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // Chromium looks for its software GPU beside its binary; its own libraries lie in al2023/lib.
    const binary = await chromium.executablePath();
    const { folder: drivers } = await embeddedFiles();
    for (const file of await readdir(drivers)) {
      await copyFile(join(drivers, file), join(dirname(binary), file));
    }
    const own = dirname(binary);
    browser = await playwright.launch({
      executablePath: binary,
      headless: true,
      args: ["--no-sandbox", "--no-zygote", "--disable-setuid-sandbox", "--enable-unsafe-webgpu"],
      env: { ...process.env, HOME: folder, LD_LIBRARY_PATH: `${own}:${join(own, "al2023", "lib")}` },
    });
    page = await browser.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForSelector("#found tbody tr", { timeout: 60_000 });
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const rows = () => page.locator("#found tbody tr td:first-child").allTextContents();

  it("shows the three planted chirps where they start, the variant and the time", async () => {
    expect(await rows()).toEqual(["5000", "30333", "51207"]);
    expect(await page.textContent("#variant")).toMatch(/^fused\/.* \(gpu\)$/);
    expect(await page.textContent("#time")).toMatch(/ms for \d+ correlations of 1024 points/);
    expect(await page.locator("#plot .bar.found").count()).toBeGreaterThan(2);
  });

  it("on the CPU finds the same", async () => {
    await page.selectOption("#backend", "cpu");
    await page.waitForFunction("document.querySelector('#variant').textContent.includes('cpu')");
    expect(await rows()).toEqual(["5000", "30333", "51207"]);
    await page.selectOption("#backend", "gpu");
    await page.waitForFunction("document.querySelector('#variant').textContent.includes('gpu')");
  });

  it("takes a file of numbers, and says what is wrong with one that holds none", async () => {
    const bad = join(folder, "bad.csv");
    await writeFile(bad, "1,2,what");
    await page.setInputFiles("#file", bad);
    await page.waitForFunction("document.querySelector('#status').textContent.includes('is no number')");
    const flat = join(folder, "flat.txt");
    await writeFile(flat, Array.from({ length: 4096 }, (_, t) => (t * 7919) % 13).join(" "));
    await page.setInputFiles("#file", flat);
    await page.waitForFunction("document.querySelectorAll('#plot rect').length === 7");
  });

  it("calibrates, keeps what it found, and runs it", async () => {
    await page.click("#calibrate");
    await page.waitForFunction(
      "document.querySelector('#status').textContent.startsWith('calibrated')",
      null,
      {
        timeout: 90_000,
      },
    );
    await page.waitForFunction("document.querySelector('#why').textContent.includes('raced on this device')");
    const kept = (await page.evaluate("Object.keys(localStorage)")) as string[];
    expect(kept.filter((key) => key.startsWith("tunelab matched-filter n=1024"))).toHaveLength(1);
  }, 120_000);

  it("on a narrow screen nothing runs over the edge, also while it calibrates, and the progress is shown", async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await page.evaluate("localStorage.clear()");
    await page.click("#calibrate");
    await page.waitForFunction(
      "document.querySelector('#status').textContent.includes(' ready, compiling ')",
    );
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
    expect(await page.locator("#progress").isVisible()).toBe(true);
    await page.waitForFunction("!document.querySelector('#calibrate').disabled", null, { timeout: 90_000 });
    expect(await page.locator("#progress").isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
  }, 120_000);

  it("without WebGPU computes on the CPU, says why, and offers nothing that needs a GPU", async () => {
    const without = await browser.newPage();
    await without.addInitScript("Object.defineProperty(navigator, 'gpu', { value: undefined })");
    await without.goto(page.url());
    await without.waitForSelector("#found tbody tr", { timeout: 60_000 });
    expect(await without.textContent("#variant")).toBe("cpu/fft.js (cpu)");
    expect(await without.textContent("#status")).toMatch(/no GPU: there is no WebGPU here/);
    expect(await without.inputValue("#backend")).toBe("cpu");
    expect(await without.isDisabled("#calibrate")).toBe(true);
    await without.close();
  });

  it("asks no other server for anything, and nothing was thrown", () => {
    expect(requests.filter((url) => !url.startsWith("http://127.0.0.1:"))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
