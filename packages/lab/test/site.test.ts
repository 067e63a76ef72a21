import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { markdownPage } from "../src/site/markdown.ts";
import { answer, serveSite } from "../src/site/server.ts";

let root: string;
const NASTY = "<script>alert(1)</script>";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "tunelab-site-"));
  const files: Readonly<Record<string, string>> = {
    "reports/README.md": "# Reports\n\n[GPU](devices/gpu/README.md)\n",
    "reports/devices/gpu/README.md": `# GPU ${NASTY}\n\n| a | b |\n| :-- | --: |\n| ~~1~~ | 2 |\n\n![x](x.svg)\n`,
    "reports/devices/gpu/x.svg": "<svg/>",
    "tables/published.json": "{}",
    "secret.txt": "key",
    "packages/a.ts": "code",
    "reports/.hidden/x.svg": "<svg/>",
    "reports/run.sh": "rm",
    "site/noise.html": "<p>noise</p>",
    "site/assets/a.js": "1",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

const get = (path: string) => answer({ root, notebooks: join(root, "site") }, path);

describe("the local site", () => {
  it("lists every page and notebook on its index", async () => {
    const { body } = await get("/");
    for (const link of ["/reports/devices/gpu/README.md", "/reports/README.md", "/notebooks/noise.html"])
      expect(body).toContain(`href="${link}"`);
  });

  it("shows Markdown as a page: tables, struck-through cells and pictures; a folder by its README", async () => {
    const page = await get("/reports/devices/gpu/");
    expect(page).toEqual(await get("/reports/devices/gpu/README.md"));
    expect(page.type).toContain("text/html");
    for (const words of ["<td", "<s>1</s>", 'src="x.svg"']) expect(page.body).toContain(words);
    expect((await get("/reports/devices/gpu/x.svg")).type).toBe("image/svg+xml");
  });

  it("never takes a page's words for markup, and lets no script run on it", async () => {
    const { body, policy } = await get("/reports/devices/gpu/README.md");
    expect(body).not.toContain("<script>");
    expect(body).toContain("&lt;script&gt;");
    expect(policy).toContain("default-src 'none'");
    expect(markdownPage(`# a\n\n[x](javascript:alert(1)) ${NASTY}`)).not.toMatch(/href="javascript|<script>/);
  });

  it.each([
    "/secret.txt",
    "/packages/a.ts",
    "/reports/../secret.txt",
    "/reports/%2e%2e/secret.txt",
    "/reports/..%2f..%2fsecret.txt",
    "/reports\\..\\secret.txt",
    "/reports/.hidden/x.svg",
    "/reports/run.sh",
    "/reports/%",
    "/reports/%00",
    "/notebooks/../secret.txt",
    "/nothing",
    "/constructor",
  ])("does not find %s", async (path) => {
    const { status, body } = await get(path);
    expect(status).toBe(404);
    expect(String(body)).not.toContain("key");
  });

  it("has no notebooks when none were built", async () => {
    expect((await answer({ root }, "/notebooks/noise.html")).status).toBe(404);
    expect((await get("/notebooks/noise.html")).status).toBe(200);
    expect((await get("/notebooks/assets/a.js")).type).toContain("javascript");
  });

  it("does not follow a link out of its folders", async () => {
    await symlink(join(root, "secret.txt"), join(root, "reports", "link.json"));
    expect((await get("/reports/link.json")).status).toBe(404);
  });

  it("listens on the loopback interface, to requests by its own name only", async () => {
    const served = await serveSite({ root }, 0);
    try {
      expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      const response = await fetch(`${served.url}reports/`);
      expect([response.status, response.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
      expect((await fetch(served.url, { method: "POST" })).status).toBe(403);
      await expect(serveSite({ root }, Number(new URL(served.url).port))).rejects.toThrow(
        /is taken: choose another/,
      );
    } finally {
      await served.close();
    }
  });
});
