import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedFiles } from "@tunelab/devices";
import { parseTable } from "@tunelab/selection";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab } from "./collect.ts";

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-session-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const TINY = [
  "--device",
  "swiftshader",
  "--kernel",
  "matched-filter",
  "--problem",
  "n=64,data=2,templates=2,pairs=4",
];

// The budget bounds the work, not a busy machine: hence the generous limits.
describe.skipIf(!embedded)("a session on the embedded software GPU", { timeout: 90_000 }, () => {
  it("that is refused for its --start leaves no session behind", async () => {
    const refused = join(folder, "refused");
    const words = ["tune", ...TINY, "--start", "fused/radix=3", "--trials", "1", "--out", refused];
    const { code, notes } = await lab(words);
    expect(code).toBe(2);
    expect(notes).toMatch(/no problem here has fused\/radix=3: radix cannot be 3/);
    expect((await lab(["results", "list", "--out", refused])).out).toContain("No sessions yet");
  });

  it("tunes, stores every trial and writes a table that reads back", async () => {
    // The trials end it on any machine that is not overwhelmed: 15 s were over after one where 18 others wanted the cores.
    const { code, out } = await lab([
      ...["tune", ...TINY, "--trials", "4", "--budget", "80s", "--out", folder, "--json"],
    ]);
    expect(code).toBe(0);
    const result = JSON.parse(out);
    expect(result.device).toBe("swiftshader");
    expect(result.trials).toBeGreaterThan(1);
    expect(result.files).toEqual([
      join(folder, "tables", "swiftshader", "tint-vulkan.portable", "matched-filter.json"),
    ]);
    const table = parseTable(await readFile(result.files[0], "utf8"));
    expect(table.sessions).toEqual([result.session]);
    const entry = table.entries[0]!;
    for (const { matched, total, grade } of entry.rows)
      expect([matched, grade]).toEqual([total, "certified"]);

    const shown = JSON.parse((await lab(["results", "show", result.session, "--out", folder, "--json"])).out);
    expect(shown.trials[0]).toMatchObject({ isDefault: true, grade: "screened" });
    expect(shown.trials).toHaveLength(result.trials);

    const listed = JSON.parse((await lab(["results", "list", "--out", folder, "--json"])).out);
    expect(listed).toMatchObject([{ id: result.session, status: "finished", trials: result.trials }]);
  });

  it("an interrupted session keeps what it has, says so and exits 130; --resume goes on with it", async () => {
    const out = join(folder, "interrupted");
    const stop = new AbortController();
    const running = lab(["tune", ...TINY, "--budget", "60s", "--out", out], stop.signal);
    // The session file appears when the device is open; what is measured by then is kept.
    const sessions = join(out, "sessions");
    while ((await readdir(sessions).catch(() => [])).length === 0)
      await new Promise((go) => setTimeout(go, 50));
    stop.abort();
    const { code, out: printed } = await running;
    expect(code).toBe(130);
    expect(printed).toContain("--resume");
    const list = async () => JSON.parse((await lab(["results", "list", "--out", out, "--json"])).out);
    const [{ id, status }] = await list();
    expect(status).not.toBe("finished");

    const resumed = await lab(["tune", ...TINY, "--budget", "2s", "--out", out, "--resume", "--json"]);
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.out).session).toBe(id);
    expect(await list()).toMatchObject([{ id, status: "finished" }]);
  });
});

describe("reading a lab folder", () => {
  it("that does not exist finds nothing and makes nothing", async () => {
    const absent = join(folder, "absent");
    expect(await lab(["results", "list", "--out", absent])).toMatchObject({ code: 0 });
    expect(await lab(["comparisons", "list", "--out", absent])).toMatchObject({ code: 0 });
    expect(await readdir(folder)).not.toContain("absent");
  });

  it("shows of a damaged session that it is damaged, not that there is none", async () => {
    const damagedLab = join(folder, "damaged");
    await mkdir(join(damagedLab, "sessions"), { recursive: true });
    await writeFile(join(damagedLab, "sessions", "01M8NWVCNW4A0BDFTCAKSY9AY2.parquet"), "PAR1 and no more");
    const { code, notes } = await lab(["results", "show", "01M8NWVCNW4A0BDFTCAKSY9AY2", "--out", damagedLab]);
    expect(code).toBe(1);
    expect(notes).toMatch(/01M8NWVCNW4A0BDFTCAKSY9AY2\.parquet cannot be read and is kept as it is/);
  });
});
