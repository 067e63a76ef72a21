import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = new URL("..", import.meta.url).pathname;

/**
 * Which room may import which (ARCHITECTURE: imports point one way). A room may import itself and what is listed;
 * kernels/* may import each other along their declared dependencies.
 */
const ALLOWED: Record<string, readonly string[]> = {
  contract: [],
  variants: ["contract"],
  executor: ["contract"],
  selection: ["contract", "variants"],
  harness: ["contract", "executor"],
  devices: ["contract", "executor", "harness"],
  store: ["contract"],
  compare: ["contract", "harness", "devices"],
  tuner: ["contract", "variants", "selection", "harness", "devices"],
  report: ["contract", "selection"],
  experiment: ["contract", "variants", "selection", "harness", "devices", "report"],
  runtime: ["contract", "executor", "selection", "harness", "kernel-*"],
  "kernel-*": ["contract", "variants", "kernel-*"],
  lab: ["*"],
};

/** Packages whose code runs unchanged in Node, Deno and a page. */
const PURE = ["contract", "variants", "executor", "selection", "harness", "runtime", "kernel-*"];

/** Libraries that pure packages may import; the shipped half of kernels and everything under the runtime's GPU half may import none. */
const PURE_LIBRARIES: Record<string, readonly string[]> = {
  harness: ["simple-statistics"],
  // The float64 solver of its oracle: in the suite alone, which the shipped half never imports.
  "kernel-eigh": ["ml-matrix"],
  // The CPU backend, a chunk of its own that only calls on the CPU load.
  runtime: ["fft.js", "ml-matrix"],
};

interface Room {
  readonly name: string;
  readonly rule: string;
  readonly folder: string;
  readonly dependencies: readonly string[];
}

function rooms(): Room[] {
  return ["packages", "kernels"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, parent, folder, "package.json"), "utf8"));
      const name = String(manifest.name).replace("@tunelab/", "");
      return {
        name,
        rule: name.startsWith("kernel-") ? "kernel-*" : name,
        folder: join(root, parent, folder),
        dependencies: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
      };
    }),
  );
}

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    if (statSync(path).isDirectory()) return sources(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}

function imports(path: string): string[] {
  const text = readFileSync(path, "utf8");
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\b[^;"']*?from\s+["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? "");
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

describe("the rooms of the workspace", () => {
  for (const room of rooms()) {
    const files = sources(join(room.folder, "src"));
    const bare = files.flatMap((file) =>
      imports(file)
        .filter((specifier) => !specifier.startsWith("."))
        .map((specifier) => ({ file: file.slice(root.length), specifier })),
    );

    it(`${room.name} imports only the rooms below it`, () => {
      const allowed = ALLOWED[room.rule];
      expect(allowed, `${room.name} has no rule in ALLOWED`).toBeDefined();
      const wrong = bare.filter(({ specifier }) => {
        if (!specifier.startsWith("@tunelab/")) return false;
        const target = packageOf(specifier).replace("@tunelab/", "");
        const rule = target.startsWith("kernel-") ? "kernel-*" : target;
        return target !== room.name && !allowed?.includes(rule) && !allowed?.includes("*");
      });
      expect(wrong).toEqual([]);
    });

    if (room.name === "runtime") {
      it("runtime takes of the harness its timing alone, and only to calibrate", () => {
        const taken = bare.filter(({ specifier }) => packageOf(specifier) === "@tunelab/harness");
        expect(
          taken.filter(({ file, specifier }) => !/timing$/.test(specifier) || !file.includes("/calibrate/")),
        ).toEqual([]);
      });
    }

    it(`${room.name} imports only what its manifest declares`, () => {
      const wrong = bare.filter(
        ({ specifier }) =>
          !specifier.startsWith("node:") &&
          packageOf(specifier) !== `@tunelab/${room.name}` &&
          !room.dependencies.includes(packageOf(specifier)),
      );
      expect(wrong).toEqual([]);
    });

    if (PURE.includes(room.rule)) {
      it(`${room.name} runs anywhere: no Node module, no undeclared library`, () => {
        const wrong = bare.filter(
          ({ specifier }) =>
            !specifier.startsWith("@tunelab/") && !PURE_LIBRARIES[room.name]?.includes(packageOf(specifier)),
        );
        expect(wrong).toEqual([]);
      });
    }

    if (room.rule === "kernel-*") {
      it(`the shipped half of ${room.name} never imports its suite`, () => {
        const wrong = files
          .filter((file) => !/\/suite(\.ts|\/)/.test(file))
          .filter((file) => imports(file).some((specifier) => /suite/.test(specifier)));
        expect(wrong).toEqual([]);
      });
    }

    it(`the files of ${room.name} hold one idea each (at most 350 lines)`, () => {
      const long = files
        .filter((file) => !file.includes("/generated/"))
        .map((file) => ({
          file: file.slice(root.length),
          lines: readFileSync(file, "utf8").split("\n").length,
        }))
        .filter(({ lines }) => lines > 350);
      expect(long).toEqual([]);
    });
  }
});
