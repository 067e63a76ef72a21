/** Text that came from a driver or a configuration, safe to stand in Markdown: one line, nothing of it taken as markup. */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\\`*_[\]|~#$@]/g, "\\$&");
}

/** A table cell: escaped, or as code when `code` (empty text stays empty). */
export function cell(text: string, code = false): string {
  return code && /[a-z0-9]/i.test(text) ? codeSpan(text) : escapeMarkdown(text);
}

/** Code that may hold backticks and pipes, also inside a table (where GFM wants the pipe escaped even in code). */
export function codeSpan(text: string): string {
  const inside = oneLine(text).replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...inside.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${inside} ${fence}` : `${fence}${inside}${fence}`;
}

/** Line breaks, tabs and other control characters as single spaces. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/ +/g, " ")
    .trim();
}

/** The name by which a forge links a heading: lowercase, words joined by dashes, other signs left out. */
export function anchorOf(heading: string): string {
  return oneLine(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
