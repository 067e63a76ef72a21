import { basename, isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { type Algorithm, Fault, firstLine, type Space, type Suite } from "@tunelab/contract";

/** Where an error of a module was thrown, as far as it says: the module's own line, else that of a file it imports. */
export function placeOf(error: unknown, file: string): string {
  const text = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : "";
  const places = [...text.matchAll(/([^\s:()?]+\.[cm]?[jt]sx?)(?:\?[^:\s]*)?:(\d+)/g)];
  // By its name alone: a compiler tells the path as seen from where it runs.
  const own = places.find(([, path]) => basename(path!) === basename(file));
  if (own) return `${file}:${own[2]}`;
  const imported = places.find(([, path]) => isOfModule(path!));
  // A frame tells a path or a URL: `file:///tmp/a.ts` begins with three slashes here.
  return imported ? `${imported[1]!.replace(/^\/+/, "/")}:${imported[2]}` : file;
}

const isOfModule = (path: string): boolean =>
  isAbsolute(path) && !path.includes("/node_modules/") && !path.startsWith(LABORATORY);

/** Where the laboratory itself lies: its frames say nothing of a module's fault. */
const LABORATORY = fileURLToPath(new URL("./", import.meta.url));

/** What went wrong in one line; a compiler's first line says only that something did. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /ERROR: (.+)/.exec(text)?.[1] ?? firstLine(text);
}

/**
 * The suite with its algorithms' functions and constraints guarded: what they throw becomes a Fault `usage` that names the module, the
 * line and the function, where it would read as a fault of the laboratory.
 */
export function guarded(suite: Suite, file: string): Suite {
  const algorithms = Object.fromEntries(
    Object.entries(suite.operation.algorithms).map(([name, load]) => [
      name,
      async () => guardedAlgorithm(await load(), file),
    ]),
  );
  return { ...suite, operation: { ...suite.operation, algorithms } };
}

function guardedAlgorithm(algorithm: Algorithm, file: string): Algorithm {
  return new Proxy(algorithm, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const called = withPlace(value.bind(target), `${algorithm.name}.${String(name)}`, file);
      return name === "space" ? (...of: unknown[]) => guardedSpace(called(...of) as Space, file) : called;
    },
  });
}

const guardedSpace = (space: Space, file: string): Space => ({
  ...space,
  constraints: space.constraints.map((one) => ({
    ...one,
    holds: withPlace((config) => one.holds(config), `the constraint ${one.name}`, file),
  })),
});

function withPlace<A extends unknown[], T>(called: (...of: A) => T, what: string, file: string) {
  return (...of: A): T => {
    try {
      return called(...of);
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault("usage", `${placeOf(error, file)} ${what} throws: ${reasonOf(error)}`);
    }
  };
}
