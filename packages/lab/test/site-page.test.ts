import { describe, expect, it } from "vitest";
import { indexPage, markdownPage, titleOf } from "../src/site/markdown.ts";

describe("a page of the site", () => {
  it("has its headings under the names that a forge gives them, so that contents lead to them", () => {
    const page = markdownPage(
      "# a\n\n[x](#nvidia-h200-native)\n\n## NVIDIA H200, native\n\n### `radix` \\| 2\n",
    );
    expect(page).toContain('<h2 id="nvidia-h200-native">');
    expect(page).toContain('<h3 id="radix--2">');
    expect(page).toContain('href="#nvidia-h200-native"');
    expect(markdownPage('# " onload=alert(1) <b>\n')).toContain('<h1 id="-onloadalert1-b">');
  });

  it("may break a variant's id after each setting, in cells too, and changes no other code", () => {
    const page = markdownPage("# a\n\n| `fused/radix=4,tile=1` |\n| --- |\n| `<b>,x` |\n\n`pnpm tables`\n");
    expect(page).toContain("<code>fused/radix=4,<wbr>tile=1</code>");
    expect(page).toContain("<td><code>&lt;b&gt;,<wbr>x</code></td>");
    expect(page).toContain("<code>pnpm tables</code>");
  });

  it("is listed by its heading, plain and without markup, beside where it lies", () => {
    expect(titleOf("text\n# Does *width* \\[pay\\]?\n")).toBe("Does width [pay]?");
    expect(titleOf("no heading")).toBeUndefined();
    const index = indexPage([
      {
        title: "Reports",
        links: [
          { href: "/reports/x/README.md", name: "x", title: "<script>" },
          { href: "/reports/y.md", name: "y" },
        ],
      },
    ]);
    expect(index).toContain('<a href="/reports/x/README.md">&lt;script&gt;</a> <small>x</small>');
    expect(index).toContain('<a href="/reports/y.md">y</a>');
  });
});
