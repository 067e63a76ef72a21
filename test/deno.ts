import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { driver } from "./embedded.ts";

/** Where each platform's package of Deno keeps the binary. */
const PACKAGES: Readonly<Record<string, string>> = {
  "linux x64": "linux-x64-glibc/deno",
  "linux arm64": "linux-arm64-glibc/deno",
  "darwin x64": "darwin-x64/deno",
  "darwin arm64": "darwin-arm64/deno",
  "win32 x64": "win32-x64/deno.exe",
  "win32 arm64": "win32-arm64/deno.exe",
};

/** Deno's binary of the install (a package that `from` depends on), or undefined with a message: such tests are skipped. */
export function denoOf(from: URL): string | undefined {
  const platform = `${process.platform} ${process.arch}`;
  try {
    const launcher = createRequire(from).resolve("deno/package.json");
    return createRequire(launcher).resolve(`@deno/${PACKAGES[platform]}`);
  } catch {
    console.warn(`skipped: the install brings no Deno for ${platform}`);
    return undefined;
  }
}

/** Longest that a module may take unless told, ms. */
const TIMEOUT_MS = 60_000;

/**
 * Runs a TypeScript module in Deno on the embedded software GPU and gives what it printed. `environment` goes on top; nothing is
 * fetched, for every import resolves to the workspace.
 */
export async function runInDeno(
  deno: string,
  module: URL,
  environment: Readonly<Record<string, string>> = {},
  timeout: number = TIMEOUT_MS,
): Promise<string> {
  const whole = Object.fromEntries(
    Object.entries({ ...process.env, ...driver, ...environment }).filter(([, value]) => value !== undefined),
  );
  const own = { DENO_DIR: join(tmpdir(), "tunelab-deno"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(
    deno,
    ["run", "-A", "--no-lock", "--no-remote", "--conditions=@tunelab/source", fileURLToPath(module)],
    { env: { ...whole, ...own }, timeout, killSignal: "SIGKILL" },
  );
  return stdout;
}
