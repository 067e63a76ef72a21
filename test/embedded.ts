import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
// By path: packages that devices depends on use this in their tests, and a dependency back would be a cycle.
import { type Environment, embeddedDriver } from "../packages/devices/src/embedded.ts";

/** The environment of the embedded software GPU, or undefined with a message where there is none: such tests are skipped. */
export const driver: Environment | undefined = await embeddedDriver().catch((error: Error) => {
  console.warn(`skipped: ${error.message}`);
  return undefined;
});

/**
 * Runs a TypeScript module on the embedded software GPU and reads the last line that it prints as JSON, `words` its arguments. A child, for the driver must
 * be in the environment before its process starts.
 */
export async function reportOf<T>(
  child: URL,
  { words = [], timeout = 60_000 }: { readonly words?: readonly string[]; readonly timeout?: number } = {},
): Promise<T> {
  const environment = Object.fromEntries(
    Object.entries({ ...process.env, ...driver }).filter(([, value]) => value !== undefined),
  );
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx"), fileURLToPath(child), ...words],
    { env: environment, timeout, killSignal: "SIGKILL" },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as T;
}
