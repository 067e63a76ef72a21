import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { Fault } from "@tunelab/contract";
import { type Group, indexPage, markdownPage, titleOf } from "./markdown.ts";

/** What is served: folders of the checkout that hold pages, and the built notebooks where there are some. */
export interface SiteFolders {
  readonly root: string;
  readonly notebooks?: string;
}

/** Folders of the checkout that may be read, with the titles of their pages in the index. */
const SHOWN: Readonly<Record<string, string>> = {
  reports: "Reports",
  experiments: "Experiments",
  tables: "Tables",
};

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Pages made from Markdown run no script and load nothing from elsewhere. */
const STRICT = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'";
/** Vega compiles its expressions: notebooks may evaluate text, and load only from here. */
const NOTEBOOK =
  "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly policy: string;
  readonly body: string | Buffer;
}

const html = (body: string, status = 200): Answer => ({
  status,
  type: TYPES[".html"]!,
  policy: STRICT,
  body,
});

/**
 * The answer to one path: the index, a Markdown file as a page, or a file of the folders that are shown. A path that leads
 * anywhere else, by dots or by a link's spelling, is not found.
 */
export async function answer({ root, notebooks }: SiteFolders, path: string): Promise<Answer> {
  if (path === "/") return html(indexPage(await groups({ root, ...(notebooks ? { notebooks } : {}) })));
  const missing = html(markdownPage("# Not found\n\nThere is no such page here."), 404);
  const parts = normalize(decoded(path)).split(/[\\/]/).filter(Boolean);
  const [first = ""] = parts;
  if (parts.includes("..") || parts.some((part) => part.startsWith(".") || part.includes("\0")))
    return missing;
  if (first === "notebooks") {
    if (!notebooks) return missing;
    return file(notebooks, join(notebooks, ...parts.slice(1)), NOTEBOOK, missing);
  }
  if (!Object.hasOwn(SHOWN, first)) return missing;
  const target = join(root, ...parts);
  const folder = (await stat(target).catch(() => undefined))?.isDirectory();
  return file(join(root, first), folder ? join(target, "README.md") : target, STRICT, missing);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "/..";
  }
}

async function file(inside: string, path: string, policy: string, missing: Answer): Promise<Answer> {
  const extension = extname(path);
  // A symbolic link could lead anywhere: what counts is where the file really lies.
  const real = await realpath(path).catch(() => undefined);
  if (!real?.startsWith((await realpath(inside)) + sep)) return missing;
  const body = await readFile(real).catch(() => undefined);
  if (!body) return missing;
  if (extension === ".md") return html(markdownPage(body.toString("utf8")));
  const type = TYPES[extension];
  return type ? { status: 200, type, policy, body } : missing;
}

/** Every page that there is, by folder. */
async function groups({ root, notebooks }: SiteFolders): Promise<readonly Group[]> {
  const shown = await Promise.all(
    Object.entries(SHOWN).map(async ([folder, title]): Promise<Group> => {
      const files = await readdir(join(root, folder), { recursive: true }).catch(() => []);
      const pages = files.filter((name) => name.endsWith(".md") && !name.includes("node_modules")).sort();
      const links = pages.map(async (name) => {
        const heading = titleOf(await readFile(join(root, folder, name), "utf8"));
        return { ...linkTo(folder, name.split(sep).join("/")), ...(heading ? { title: heading } : {}) };
      });
      return { title, links: await Promise.all(links) };
    }),
  );
  const names = notebooks ? (await readdir(notebooks)).filter((name) => name.endsWith(".html")).sort() : [];
  const own = names.map((name) => ({
    href: `/notebooks/${name}`,
    name: name.replace(/\.html$/, "").replaceAll("-", " "),
  }));
  return [{ title: "Notebooks", links: own }, ...shown];
}

const linkTo = (folder: string, name: string): Group["links"][number] => ({
  href: `/${folder}/${name}`,
  name: name.replace(/\/?README\.md$/, "").replace(/\.md$/, "") || folder,
});

/** Names by which a browser on this machine calls it: another name in the request is a page of somebody else's. */
const HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** Serves the site on the loopback interface alone. Throws a usage Fault when the port is taken. */
export async function serveSite(
  folders: SiteFolders,
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const own =
      HOST.test(request.headers.host ?? "") && (request.method === "GET" || request.method === "HEAD");
    const path = (request.url ?? "/").split(/[?#]/, 1)[0]!;
    const answered = own ? answer(folders, path) : Promise.resolve(html(markdownPage("# Refused"), 403));
    void answered
      .catch(() => html(markdownPage("# Something failed here"), 500))
      .then(({ status, type, policy, body }) => {
        response.writeHead(status, {
          "content-type": type,
          "content-security-policy": policy,
          "x-content-type-options": "nosniff",
        });
        response.end(body);
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Fault("usage", `port ${port} is taken: choose another with --port`)
          : error,
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const at = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${at}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
