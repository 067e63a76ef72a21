import { fork } from "node:child_process";
import { expect, test } from "vitest";
import { embeddedDriver } from "../../../packages/devices/src/embedded.ts";
import { probes } from "../src/index.ts";

interface Report {
  readonly description: string;
  readonly results: readonly {
    readonly name: string;
    readonly scale: number;
    readonly poisoned: boolean;
    readonly right: boolean;
  }[];
}

test("on the embedded GPU every probe computes what it claims, and poison is not taken for it", async () => {
  const child = fork(new URL("swiftshader-child.ts", import.meta.url), {
    env: { ...process.env, ...(await embeddedDriver()) },
    execArgv: ["--conditions=@tunelab/source", "--import", import.meta.resolve("tsx")],
  });
  const report = await new Promise<Report>((resolve, reject) => {
    child.once("message", (message) => resolve(message as Report));
    child.once("exit", (code, signal) => reject(new Error(`the child ended with ${signal ?? code}`)));
  });
  expect(report.description).toMatch(/swiftshader/i);
  expect(report.results).toEqual(
    probes.flatMap(({ name }) => [1, 3].map((scale) => ({ name, scale, poisoned: false, right: true }))),
  );
});
