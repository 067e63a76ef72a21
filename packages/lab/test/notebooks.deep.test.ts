import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { bestNs, problemKey } from "@tunelab/contract";
import { buildNotebooks, notebookNames, serveNotebooks } from "@tunelab/notebooks";
import { indexSessions, readEvidence } from "@tunelab/store";
import { type Browser, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveSite } from "../src/site/server.ts";

const linux = process.platform === "linux" && process.arch === "x64";
if (!linux) console.warn("skipped: the browser that the install brings runs on x64 Linux only");

const root = fileURLToPath(new URL("../../..", import.meta.url));

let folder: string;
let store: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-notebooks-"));
  ({ path: store } = await indexSessions(join(folder, "lab"), [join(root, "tables", "evidence")]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What each notebook must show: fewest marks in its pictures, and tables. */
const EXPECTED: Readonly<
  Record<string, { readonly marks: number | (() => Promise<number>); readonly tables: number }>
> = {
  "comparing-two-commits": { marks: 60, tables: 1 },
  "exploring-a-session": { marks: pointsOfTheNewest, tables: 0 },
  noise: { marks: 60, tables: 1 },
  "workgroup-memory": { marks: 40, tables: 1 },
};

/** The newest published session that is no study opens with its first problem: a point for each trial with a time in either picture, and a line. */
async function pointsOfTheNewest(): Promise<number> {
  const evidence = join(root, "tables", "evidence");
  const sealed = (await readdir(evidence)).filter((name) => name.endsWith(".parquet")).sort();
  for (const name of sealed.reverse()) {
    const { header, trials } = await readEvidence(join(evidence, name));
    const [first] = trials;
    if (!first || header.command.workload === "study") continue;
    const timed = trials.filter(
      (trial) => problemKey(trial.problem) === problemKey(first.problem) && bestNs(trial) !== undefined,
    );
    expect(timed.length).toBeGreaterThan(0);
    return 2 * timed.length + 1;
  }
  throw new Error("no session is published");
}

describe.skipIf(!linux)("the notebooks in a browser", { timeout: 180_000 }, () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;

  beforeAll(async () => {
    const notebooks = join(folder, "site");
    await buildNotebooks({ store, out: notebooks });
    site = await serveSite({ root, notebooks }, 0);
    const executablePath = await chromium.executablePath();
    const own = dirname(executablePath);
    browser = await playwright.launch({
      executablePath,
      headless: true,
      args: ["--no-sandbox", "--no-zygote", "--disable-setuid-sandbox", "--disable-gpu"],
      env: {
        ...process.env,
        HOME: folder,
        LD_LIBRARY_PATH: `${own}:${join(own, "al2023", "lib")}`,
      } as Record<string, string>,
    });
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await site.close();
  });

  /** Opens a page and waits for its pictures; gives what it said and asked for. */
  async function open(
    url: string,
    pictures: number,
  ): Promise<{ errors: string[]; foreign: string[]; marks: number; tables: number }> {
    const page = await browser.newPage();
    const errors: string[] = [];
    const foreign: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("request", (request) => {
      if (!/^(http:\/\/127\.0\.0\.1[:/]|data:|blob:)/.test(request.url())) foreign.push(request.url());
    });
    await page.goto(url);
    await page.waitForFunction((count) => document.querySelectorAll("svg.marks").length >= count, pictures);
    await page.waitForLoadState("networkidle");
    const failed = await page.locator(".observablehq--error").allTextContents();
    const marks = await page.locator("svg.marks .role-mark > path, svg.marks .mark-rect > path").count();
    const tables = await page.locator("form table").count();
    if (process.env.TUNELAB_SCREENSHOTS)
      await page.screenshot({
        path: join(process.env.TUNELAB_SCREENSHOTS, `${basename(new URL(url).pathname)}.png`),
        fullPage: true,
      });
    await page.close();
    return { errors: [...errors, ...failed], foreign, marks, tables };
  }

  it("all of them are known here", async () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(await notebookNames());
  });

  it.each(Object.keys(EXPECTED))(
    "%s, built, draws its marks without an error or a request elsewhere",
    async (name) => {
      const { errors, foreign, marks, tables } = await open(`${site.url}notebooks/${name}.html`, 2);
      expect(errors).toEqual([]);
      expect(foreign).toEqual([]);
      const fewest = EXPECTED[name]!.marks;
      expect(marks).toBeGreaterThanOrEqual(typeof fewest === "number" ? fewest : await fewest());
      expect(tables).toBeGreaterThanOrEqual(EXPECTED[name]!.tables);
    },
  );

  it("a report's page shows its pictures, runs no script and asks for nothing elsewhere", async () => {
    const page = await browser.newPage();
    const said: string[] = [];
    page.on("console", (message) => message.type() === "error" && said.push(message.text()));
    page.on("requestfailed", (request) => said.push(request.url()));
    await page.goto(`${site.url}reports/devices/nvidia-h200/README.md`, { waitUntil: "networkidle" });
    // The page's own policy lets no script run on it, so nothing is asked of it but its markup.
    const widths = await page.locator("img").all();
    expect(widths.length).toBeGreaterThan(4);
    for (const image of widths) expect((await image.boundingBox())!.height).toBeGreaterThan(50);
    if (process.env.TUNELAB_SCREENSHOTS)
      await page.screenshot({ path: join(process.env.TUNELAB_SCREENSHOTS, "device.png") });
    await page.close();
    expect(said).toEqual([]);
  });

  it("the served pages read the store at each load", async () => {
    const served = await serveNotebooks({ store, port: 0 });
    try {
      expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      const { errors, foreign, marks } = await open(`${served.url}noise.html`, 2);
      expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
      expect(marks).toBeGreaterThanOrEqual(EXPECTED.noise!.marks);
    } finally {
      await served.close();
    }
  });
});

describe("a notebook that is wrong", { timeout: 120_000 }, () => {
  const made = async (name: string, cell: string): Promise<string> => {
    const pages = join(folder, name);
    await mkdir(pages, { recursive: true });
    await writeFile(
      join(pages, `${name}.html`),
      `<!doctype html>\n<notebook>\n<title>x</title>\n${cell}\n</notebook>\n`,
    );
    return pages;
  };

  it("in its SQL, its database or its JavaScript does not build, and says where in one line", async () => {
    const sql =
      '<script id="1" type="application/sql" database="evidence" output="x">SELECT nothing FROM trials</script>';
    const out = join(folder, "out");
    await expect(buildNotebooks({ store, pages: await made("sql", sql), out })).rejects.toThrow(
      /^.*sql\.html: the query fails: .*nothing[^\n]*$/,
    );
    const other = sql.replace('"evidence"', '"postgres"');
    await expect(buildNotebooks({ store, pages: await made("other", other), out })).rejects.toThrow(
      /asks the database "postgres"/,
    );
    const js = '<script id="1" type="module">const = 1</script>';
    await expect(buildNotebooks({ store, pages: await made("js", js), out })).rejects.toThrow(/do not build/);
  });
});
