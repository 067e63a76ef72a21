import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "../campaigns");
const scripts = readdirSync(folder).filter((name) => name.endsWith(".sh") && name !== "enter.sh");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("a campaign", () => {
  it("is named in the index, and the index names no other", () => {
    const named = [...read("README.md").matchAll(/^\| \[([\w-]+\.sh)\]/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(scripts.sort());
  });

  it.each(scripts)(
    "%s says its question, how to begin and how to rehearse, and measures through the packed laboratory",
    (name) => {
      const text = read(name);
      const head = text.slice(0, text.search(/^[^#]/m));
      expect(head).toMatch(/^#!\/usr\/bin\/env bash\n# \S/);
      expect(head).toContain(`bash campaigns/${name}`);
      expect(head).toMatch(/rehears/i);
      expect(text).toContain('. "$(dirname "$0")/enter.sh"');
      expect(text).not.toMatch(/lab\/lab\.mjs/);
    },
  );
});
