import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Resolves a module as the workspace's root would. */
export const fromRoot = (name: string): string =>
  createRequire(import.meta.url).resolve(name, { paths: [root] });

/** What a program prints; one that fails tells it there too (type checkers do). */
export async function run(
  command: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const whole = Object.fromEntries(
    Object.entries({ ...process.env, NODE_OPTIONS: "", ...env }).filter(([, value]) => value !== undefined),
  ) as NodeJS.ProcessEnv;
  const { stdout } = await promisify(execFile)(command, [...words], {
    cwd,
    env: whole,
    timeout: 120_000,
  }).catch((error: { stdout?: string }) => {
    throw error.stdout ? new Error(error.stdout) : error;
  });
  return stdout;
}

/** Builds a package of the workspace and packs it into a folder as a registry would get it; the tarball's path. */
export async function packInto(folder: string, name: string): Promise<string> {
  const here = join(root, "packages", name);
  await run(process.execPath, [join(dirname(fromRoot("tsdown/package.json")), "dist/run.mjs")], here);
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await run("npx", ["-y", packageManager, "pack", "--pack-destination", folder], here);
  const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  return join(folder, `tunelab-${name}-${version}.tgz`);
}
