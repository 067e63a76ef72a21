import { anchorOf } from "@tunelab/report";
import MarkdownIt from "markdown-it";

// Raw HTML stays text: what a page says of a driver's name never becomes markup. Tables and strike-through are part of the preset.
const markdown = MarkdownIt({ html: false, linkify: false });

/** Headings get the names by which a forge links them: lowercase words joined by dashes, other signs left out. */
markdown.renderer.rules.heading_open = (tokens, index, options, _env, self) => {
  const words = tokens[index + 1]?.children?.map(({ content }) => content).join("") ?? "";
  tokens[index]!.attrSet("id", anchorOf(words));
  return self.renderToken(tokens, index, options);
};

/** A variant's id, a hundred characters without a space, may break after each setting: else it pushes all figures off the page. */
markdown.renderer.rules.code_inline = (tokens, index) =>
  `<code>${escapeHtml(tokens[index]!.content).replaceAll(",", ",<wbr>")}</code>`;

/** Light or dark as the reader's system is; tables and pictures scroll where they are wider than the page. */
const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e6edf3); --line: light-dark(#d0d7de, #3d444d); }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: light-dark(#fff, #0d1117); }
p, li, h1, h2, h3 { overflow-wrap: anywhere; max-width: 64rem; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 14px; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; min-width: 4rem; }
th:empty { padding: 0; border: 0; }
code { font-size: 0.9em; }
td code { white-space: normal; }
td code:has(wbr) { display: inline-block; min-width: 16rem; }
p:has(> img) { overflow-x: auto; }
img { max-width: 100%; min-width: 30rem; }
a { color: light-dark(#0969da, #4493f8); }
nav { font-size: 14px; }
`;

const escapeHtml = (text: string): string => markdown.utils.escapeHtml(text);

/** A Markdown text as a whole page; its title is its first heading. */
export function markdownPage(text: string): string {
  return page(titleOf(text) ?? "Tunelab", `<nav><a href="/">all pages</a></nav>\n${markdown.render(text)}`);
}

/** A Markdown text's first heading as plain text. */
export function titleOf(text: string): string | undefined {
  const heading = /^# (.+)$/m.exec(text)?.[1];
  const inline = heading && markdown.parseInline(heading, {})[0]?.children;
  return inline ? inline.map(({ content }) => content).join("") || undefined : undefined;
}

/** A list of pages under headings. */
export function indexPage(groups: readonly Group[]): string {
  const sections = groups
    .filter(({ links }) => links.length > 0)
    .map(({ title, links }) => {
      const items = links.map(
        ({ href, name, title }) =>
          `<li><a href="${escapeHtml(href)}">${escapeHtml(title ?? name)}</a>${title ? ` <small>${escapeHtml(name)}</small>` : ""}</li>`,
      );
      return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
    });
  const body = sections.length > 0 ? sections.join("\n") : "<p>Nothing is published yet.</p>";
  return page("Tunelab", `<h1>Tunelab</h1>\n${body}`);
}

export interface Group {
  readonly title: string;
  readonly links: readonly {
    readonly href: string;
    readonly name: string;
    /** The page's own heading, where it has one. */
    readonly title?: string;
  }[];
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
