import { expect, test } from "vitest";
import {
  anchorOf,
  devicePage,
  operationPage,
  REPORT_FOLDERS,
  reportFiles,
  reportPages,
} from "../src/index.ts";
import { input, operation, SESSIONS, session } from "./evidence.ts";
import { entry, IDENTITY, table, WIDE } from "./tables.ts";

const NATIVE = table([entry(64, [1, 2])], { profile: "native" });
const device = (change: Partial<typeof IDENTITY>) => ({
  ...WIDE.device,
  identity: { ...IDENTITY, ...change },
});

test("there is a page a device, one an operation, one across devices and an index that links them all", async () => {
  const other = { ...NATIVE, device: device({ device: "gpu-b", description: "GPU B" }) };
  const files = await reportFiles(input([WIDE, other]));
  const pages = [...files.keys()].filter((path) => path.endsWith(".md")).sort();
  expect(pages).toEqual([
    "README.md",
    "across-devices/README.md",
    "devices/nvidia-gpu-b/README.md",
    "devices/nvidia-h200/README.md",
    "operations/matched-filter/README.md",
  ]);
  for (const path of pages.slice(1)) {
    expect(files.get("README.md")).toContain(`(${path})`);
    expect(REPORT_FOLDERS).toContain(path.split("/")[0]);
  }
});

test("every link of every page leads to a file: charts beside it, other pages, the tables", async () => {
  const files = await reportFiles(input([WIDE, NATIVE], { operations: [operation()] }));
  const known = new Set([...files.keys()].map((path) => `reports/${path}`));
  for (const profile of ["portable", "native"])
    known.add(`tables/nvidia-h200/tint-vulkan.${profile}/matched-filter.md`);
  let links = 0;
  for (const [path, text] of files) {
    if (!path.endsWith(".md")) continue;
    for (const [, target] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const { pathname, hash } = new URL(target!, `http://x/reports/${path}`);
      const page = pathname === `/reports/${path}` ? text : files.get(pathname.slice("/reports/".length));
      const headings = [...(page ?? "").matchAll(/^#+ (.+)$/gm)].map(([, words]) => anchorOf(words!));
      if (hash) expect(headings, `${path} links ${hash}`).toContain(decodeURIComponent(hash.slice(1)));
      expect(known, `${path} links ${target}`).toContain(pathname.slice(1));
      links++;
    }
  }
  const drawn = [...files.keys()].filter((path) => path.endsWith(".svg"));
  expect(drawn.length).toBeGreaterThan(8);
  expect(links).toBeGreaterThan(drawn.length);
});

test("reports have the same bytes again, and whatever order the tables come in", async () => {
  const made = input([WIDE, NATIVE], { operations: [operation()] });
  const first = await reportFiles(made);
  expect([...(await reportFiles(made))]).toEqual([...first]);
  const turned = await reportFiles({ ...made, tables: [...made.tables].reverse() });
  expect(new Map([...turned].sort())).toEqual(new Map([...first].sort()));
});

const NAMES: readonly (readonly [string, Partial<typeof IDENTITY>])[] = [
  ["slashes", { device: "../../etc/passwd", description: "a/../../b\\..\\c" }],
  ["quotes", { device: `"gpu" 'x' \`y\``, description: `it's "the" GPU` }],
  ["emoji", { device: "🚀", description: "🚀🚀" }],
  ["nothing", { device: "", description: "", vendor: "", architecture: "" }],
  [
    "script",
    { device: "<script>alert(1)</script>", description: "GPU | <img src=x onerror=alert(1)>\n# Pro" },
  ],
  ["a link", { device: "x", description: "[click](javascript:alert(1))" }],
];

test.each(NAMES)(
  "a device named with %s escapes no path, breaks no page and injects no script",
  async (_what, change) => {
    const evil = [WIDE, NATIVE].map((one) => ({ ...one, device: device(change), deviceSlug: "../../evil" }));
    const files = await reportFiles(input(evil, { operations: [operation()] }));
    for (const [path, text] of files) {
      expect(path).toMatch(/^(README\.md|[a-z-]+\/([a-z0-9-]+\/)?[A-Za-z0-9-]+\.(md|svg))$/);
      expect(text).not.toMatch(/<script|<img|onerror=(?!alert\(1\)&gt;)/i);
      if (path.endsWith(".svg")) expect(text).not.toMatch(/href=|<foreignObject/i);
      else expect(text.replaceAll("\\]", "")).not.toMatch(/\]\(javascript:/i);
    }
    const page = [...files].find(([path]) => /^devices\/[^/]+\/README\.md$/.test(path))![1];
    expect(page.split("\n")[0]).toMatch(/^# \S/);
    expect(page.match(/^# /gm)).toHaveLength(1);
  },
);

test("words from a problem or a variant are text in pictures too", async () => {
  const nasty = "</text><script>alert(1)</script>";
  const entries = [64, 128].map((n) => ({
    ...entry(n, [1, 2]),
    problem: { n, kind: nasty },
    rows: entry(n, [1, 2]).rows.map((row) => ({ ...row, algorithm: nasty, config: { [nasty]: row.rank } })),
  }));
  for (const [path, text] of await reportFiles(input([table(entries)]))) {
    // In Markdown, what stands between backticks is text whatever it says.
    const markup = path.endsWith(".md") ? text.replace(/`[^`\n]*`/g, "") : text;
    expect(markup).not.toContain("<script");
  }
});

test("a withdrawn session stays on the device's page, struck through and with its reason", async () => {
  const made = input([WIDE, NATIVE]);
  const reason = "the fan | had stopped";
  const withdrawn = { ...made, retracted: [{ session: SESSIONS[1], reason }] };
  const page = (await devicePage(withdrawn, "nvidia-h200")).markdown();
  const line = page.split("\n").find((one) => one.includes(SESSIONS[1]) && one.startsWith("| ~~"))!;
  expect(line).toContain("~~retracted: the fan \\| had stopped~~");
  expect(page.split("\n").find((one) => one.startsWith(`| \`${SESSIONS[0]}`))).toContain("| counts |");
});

test("a withdrawn trial is struck through beside its reason; a device that lost all its sessions keeps its page", async () => {
  const trial = `${SESSIONS[0]}.0`;
  const made = input([WIDE]);
  const one = await devicePage(
    { ...made, retracted: [{ session: SESSIONS[0], trial, reason: "throttled" }] },
    "nvidia-h200",
  );
  expect(one.markdown()).toMatch(/\| ~~`01M8NJP7H4341XK7RTPXBHPT83\.0`~~ \|.*380 µs~~.*~~throttled~~/);
  const none = { ...made, tables: [], retracted: [{ session: SESSIONS[0], reason: "wrong card" }] };
  expect((await devicePage(none, "nvidia-h200")).markdown()).toContain("~~retracted: wrong card~~");
});

test("stale rows are counted above the device's summary", async () => {
  const stale = input([WIDE], { isStale: (_table, { n }) => n === 64 });
  const page = (await devicePage(stale, "nvidia-h200")).markdown();
  expect(page).toContain("**Stale:** 3 of 9 rows");
  expect(page).toContain("stale |");
});

test("a table of one problem with one candidate, and one without a time, still have whole pages", async () => {
  for (const entries of [[entry(64, [7])], [{ ...entry(64, []), rows: [] }], []]) {
    const bare = table(entries, { ceilings: {} });
    const files = await reportFiles(input([bare], { operations: [operation()] }));
    for (const text of files.values()) expect(text).not.toMatch(/NaN|undefined|Infinity/);
    expect(files.get("devices/nvidia-h200/README.md")).toContain("### Noise");
  }
});

test("the index lists pages that others wrote by their headings, which are text", async () => {
  const others = [{ path: "search/strategies [1].md", title: "Search <b> strategies" }];
  const files = await reportFiles({ ...input([WIDE]), others });
  expect(files.get("README.md")).toMatch(
    /^- \[Search &lt;b&gt; strategies\]\(search\/strategies%20%5B1%5D\.md\): search$/m,
  );
});

test("nothing published gives an index that says so, and nothing else", async () => {
  const files = await reportFiles({ ...input([]), tables: [] });
  expect([...files.keys()]).toEqual(["README.md"]);
  expect(files.get("README.md")).toContain("Nothing is published yet");
});

test("a page of what is not published is refused by name", async () => {
  await expect(devicePage(input([WIDE]), "tpu")).rejects.toThrow("nothing is published of a device tpu");
  await expect(operationPage(input([WIDE]), "sort")).rejects.toThrow(
    "nothing is published of the operation sort",
  );
});

test("a session without a noise probe says so instead of drawing one", async () => {
  const made = input([WIDE]);
  const silent = { ...session(SESSIONS[0], made.tables[0]!), events: [] };
  const page = await devicePage({ ...made, evidence: [silent] }, "nvidia-h200");
  expect(page.markdown()).toContain("No session probed it.");
});

test("the operation's page says where one algorithm takes over from another", async () => {
  const by = (n: number, algorithm: string) => ({
    ...entry(n, [n]),
    rows: entry(n, [n]).rows.map((row) => ({ ...row, algorithm })),
  });
  const pages = await reportPages(input([table([by(64, "small"), by(128, "small"), by(256, "large")])]));
  expect(pages.get("operations/matched-filter")!.markdown()).toContain(
    "`small` up to n=128, `large` from n=256",
  );
  // Where another dimension goes with the size, as a batch that fills the device, both problems are named.
  const filling = (n: number, algorithm: string) => ({
    ...by(n, algorithm),
    problem: { n, batch: 4096 / n },
  });
  const others = await reportPages(input([table([filling(64, "small"), filling(256, "large")])]));
  expect(others.get("operations/matched-filter")!.markdown()).toContain(
    "`small` at batch=64,n=64, `large` at batch=16,n=256",
  );
});
