import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Every module that a source file reaches by imports that survive compilation. */
function reached(file: URL, found: Set<string> = new Set()): Set<string> {
  if (found.has(file.href)) return found;
  found.add(file.href);
  const text = readFileSync(file, "utf8");
  for (const [, clause, source] of text.matchAll(/^(?:import|export) ([^;]*?)from "([^"]+)"/gms)) {
    if (clause!.startsWith("type ")) continue;
    if (source!.startsWith(".")) reached(new URL(source!, file), found);
    else found.add(source!);
  }
  return found;
}

describe("the timing entry point", () => {
  it("reaches no third-party package and no verification", () => {
    const modules = [...reached(new URL("../src/timing.ts", import.meta.url))];
    expect(modules.filter((name) => !name.startsWith("file:"))).toEqual([]);
    expect(modules.filter((name) => /verify|estimate|gate\.ts/.test(name))).toEqual([]);
    expect(modules.length).toBeGreaterThan(5);
  });
});
