/** A session that a test kills: opens a bench, starts a request that never ends, says its host's process id. */
import type { MeasureRequest } from "@tunelab/contract";
import { chooseDevice } from "../src/discover.ts";
import { openBench } from "../src/supervise.ts";

const bench = await openBench(await chooseDevice("swiftshader"), {
  entry: new URL("./host-main.ts", import.meta.url),
});
const request: MeasureRequest = {
  operation: process.argv[2] ?? "",
  algorithm: "only",
  problem: {},
  config: { first: 1, second: 2 },
  isDefault: true,
  grade: "screened",
  seeds: [1],
  oracleSample: 1,
};
void bench.measure(request).catch(() => {});
setTimeout(() => console.log(bench.hello.pid), 400);
