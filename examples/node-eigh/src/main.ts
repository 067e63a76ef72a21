import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chooseDevice } from "@tunelab/devices";

/**
 * Starts the application in a process that sees the best GPU of this machine: a graphics driver is chosen by the environment that a
 * process is started with, so the embedded software GPU (used when there is no other) needs this step. Takes the picture's file.
 */
const target = await chooseDevice("auto");
const environment = Object.fromEntries(
  Object.entries({ ...process.env, ...target.environment }).filter(([, value]) => value !== undefined),
);
const application = fileURLToPath(new URL("principal-axes.ts", import.meta.url));
const flags = [`backend=${target.host.backend}`];
if (target.host.match) flags.push(`adapter=${target.host.match}`);
const [file = "principal-axes.svg"] = process.argv.slice(2);

console.log(`device: ${target.id}${target.kind === "software" ? " (software: right, but slow)" : ""}`);
const child = spawn(process.execPath, [...process.execArgv, application, file, ...flags], {
  env: environment,
  stdio: "inherit",
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
