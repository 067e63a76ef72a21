import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { MeasureRequest } from "@tunelab/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseDevice, type DeviceTarget } from "../src/discover.ts";
import { type Bench, OutOfTime } from "../src/protocol.ts";
import { openBench } from "../src/supervise.ts";

const onLinux = process.platform === "linux" && process.arch === "x64";
const entry = new URL("./host-main.ts", import.meta.url);

const request = (operation: string): MeasureRequest => ({
  operation,
  algorithm: "only",
  problem: {},
  config: { first: 1, second: 2 },
  isDefault: true,
  grade: "screened",
  seeds: [1],
  oracleSample: 1,
});

/** Whether a process exists. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && alive(pid); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return !alive(pid);
}

describe.skipIf(!onLinux)("a device host under supervision", () => {
  let target: DeviceTarget;
  let bench: Bench;
  const restarts: string[] = [];
  beforeAll(async () => {
    target = await chooseDevice("swiftshader");
    bench = await openBench(target, { entry });
    bench.onRestart((reason, guilty) => restarts.push(`${guilty?.operation ?? "nobody"}: ${reason}`));
  });
  afterAll(() => bench?.close());

  it("says who it is: the same identity as discovery found, profile, toggles and tick", () => {
    expect(bench.hello.info).toEqual(target.info);
    expect(bench.hello).toMatchObject({
      profile: "portable",
      toggles: ["!timestamp_quantization"],
      timestamps: true,
    });
    expect(bench.hello.tickNs).toBeLessThan(65_536);
    expect(bench.hello.pid).not.toBe(process.pid);
  });

  it("beside another runs nothing on the device before it is asked to, not even for the clock's tick; then it measures what it compiled", async () => {
    const compiler = await openBench(target, { entry, beside: { fmaFlopsPerSecond: 1e12 } });
    expect(compiler.hello.tickNs).toBe(0);
    expect(await compiler.compile([request("double-well")], 60_000)).toEqual({});
    const outcome = await compiler.measure(request("double-well"));
    expect(outcome).toMatchObject({ status: "ok", verdict: { matched: 256, total: 256 } });
    expect(outcome.timing?.tickNs).toBeGreaterThan(0);
    await compiler.close();
  });

  it("measures a verified variant", async () => {
    const outcome = await bench.measure(request("double-well"));
    expect(outcome.reason).toBeUndefined();
    expect(outcome).toMatchObject({ status: "ok", variant: "only/second=2,first=1", epoch: 7 });
    expect(outcome.verdict).toMatchObject({ matched: 256, total: 256 });
    expect(outcome.timing?.samplesNs.length).toBeGreaterThan(0);
  });

  it.each([
    ["double-killed", "crashed", /ended by SIGKILL in phase verify/],
    ["double-aborts", "crashed", /ended by SIGABRT in phase verify/],
    ["double-exits", "crashed", /exited with code 3 in phase verify/],
    ["double-device-lost", "device-lost", /lost/],
  ])("records %s as %s with all that was known of it, and goes on", async (operation, status, reason) => {
    await misbehaves(bench, operation, status, reason);
    expect(restarts.at(-1)).toMatch(new RegExp(`^${operation}: `));
  });

  it.each([
    ["double-endless-script", "hung", /no answer in phase verify after 2 s/, { verify: 2_000 }],
    ["double-endless-shader", "hung", /no answer in phase verify after 2 s/, { verify: 2_000 }],
    ["double-slow-compile", "compile-timeout", /no answer in phase compile after 2 s/, { compile: 2_000 }],
  ])(
    "records %s as %s when its deadline passes, and goes on",
    async (operation, status, reason, deadlines) => {
      const impatient = await openBench(target, { entry, deadlines });
      await misbehaves(impatient, operation, status, reason);
      await impatient.close();
    },
  );

  it("compiles a batch ahead, and names the variant that hangs a compiler when the others are done", async () => {
    const told: (string | undefined)[] = [];
    const ahead = await openBench(target, { entry, deadlines: { compile: 3_000 } });
    ahead.onRestart((_reason, guilty) => told.push(guilty?.operation));
    expect(await ahead.compile([request("double-well"), request("double-fine")])).toEqual({});
    expect(await ahead.measure(request("double-fine"))).toMatchObject({ status: "ok" });
    // The software driver compiles one after another: the quick ones first, so that one is left.
    const batch = [request("double-well"), request("double-fine"), request("double-slow-compile")];
    const { guilty } = await ahead.compile(batch);
    expect(guilty).toMatchObject({
      index: 2,
      outcome: { operation: "double-slow-compile", status: "compile-timeout" },
    });
    expect(guilty!.outcome.reason).toMatch(/no answer in phase compile after 3 s/);
    expect(await ahead.measure(request("double-well"))).toMatchObject({ status: "ok" });
    expect(told).toEqual(["double-slow-compile"]);
    await ahead.close();
  });

  it("gives a hanging request up when the caller's time is over, and blames nobody", async () => {
    const before = restarts.length;
    const start = performance.now();
    await expect(bench.measure(request("double-endless-shader"), 4_000)).rejects.toThrow(OutOfTime);
    // Far under the deadline of any phase: 60 s.
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(await bench.measure(request("double-well"))).toMatchObject({ status: "ok" });
    expect(restarts.slice(before)).toEqual([
      expect.stringMatching(/^nobody: no answer .* within the 4\.00 s that were left$/),
    ]);
  });

  it("replaces a host that was killed between two requests, and blames nobody", async () => {
    const fresh = await openBench(target, { entry });
    const told: unknown[] = [];
    fresh.onRestart((_reason, guilty) => told.push(guilty));
    // Ctrl-C in a terminal is for the session to answer: the host does not mind it.
    process.kill(fresh.hello.pid, "SIGINT");
    expect((await fresh.measure(request("double-well"))).status).toBe("ok");
    expect(told).toEqual([]);
    process.kill(fresh.hello.pid, "SIGKILL");
    expect((await fresh.measure(request("double-well"))).status).toBe("ok");
    expect(told).toEqual([undefined]);
    await fresh.close();
    expect(await gone(fresh.hello.pid)).toBe(true);
  });

  it("opens with another profile, and with the coarse clock of a browser, when asked", async () => {
    const native = await openBench(target, { entry, profile: "native", quantizedTimestamps: true });
    expect(native.hello).toMatchObject({
      profile: "native",
      toggles: ["disable_robustness", "disable_workgroup_init"],
      tickNs: 65_536,
    });
    await native.close();
  });

  it("opens Dawn's null backend, which validates without a driver", async () => {
    const nothing = { id: "null", environment: {}, host: { backend: "null", software: false } };
    const validating = await openBench(nothing, { entry });
    expect(validating.hello.info.identity).toMatchObject({ backend: "null", device: "null-backend" });
    // It computes nothing: the poison stays, or zeros.
    expect((await validating.measure(request("double-well"))).status).toBe("wrong");
    await validating.close();
  });

  it.each([
    ["double-unknown-name", /line 8, column 13: unresolved value 'nobody'/],
    ["double-too-wide", /workgroup_size\(4096, 1, 1\) that exceeds the maximum/],
  ])(
    "refuses %s by the device's own validation, in the words of the null backend",
    async (operation, says) => {
      const nothing = { id: "null", environment: {}, host: { backend: "null", software: false } };
      const validating = await openBench(nothing, { entry });
      for (const one of [bench, validating]) {
        const { status, reason } = await one.measure(request(operation));
        expect([status, reason]).toEqual(["compile-failed", expect.stringMatching(says)]);
      }
      await validating.close();
    },
  );

  it("passes on faults that are not the variant's, with their kind", async () => {
    await expect(bench.measure(request("triple"))).rejects.toMatchObject({
      kind: "usage",
      message: "no operation triple",
      details: { known: ["double-*"] },
    });
  });

  it("ends a host in the middle of a hanging request when it is closed", async () => {
    const busy = await openBench(target, { entry });
    const pending = busy.measure(request("double-endless-shader"));
    const rejected = expect(pending).rejects.toThrow("was closed while it worked");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await busy.close();
    await rejected;
    expect(await gone(busy.hello.pid)).toBe(true);
  });

  it.each(["double-endless-script", "double-endless-shader"])(
    "leaves no orphan when the session is killed during %s",
    async (operation) => {
      const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
      const session = spawn(
        process.execPath,
        [
          "--conditions=@tunelab/source",
          "--import",
          tsx,
          fileURLToPath(new URL("./session-main.ts", import.meta.url)),
          operation,
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const [pid] = (await once(session.stdout, "data")) as [Buffer];
      const host = Number(pid.toString());
      expect(alive(host)).toBe(true);
      session.kill("SIGKILL");
      expect(await gone(host)).toBe(true);
    },
  );

  it("says why when no host can be started, and does not try for ever", async () => {
    const missing = { ...target, host: { ...target.host, match: "Voodoo 2" } };
    await expect(openBench(missing, { entry })).rejects.toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/no adapter Voodoo 2.*SwiftShader Device/),
    });
    const broken = new URL("./broken-host.mjs", import.meta.url);
    await expect(openBench(target, { entry: broken })).rejects.toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/failed to start 3 times .*broken on purpose/),
    });
  });

  it("gives a host that does not start up when it is told to, long before its deadline", async () => {
    const stop = new AbortController();
    const silent = new URL("./silent-host.mjs", import.meta.url);
    const start = performance.now();
    const opening = openBench(target, { entry: silent, signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    await expect(opening).rejects.toThrow(/closed/);
    expect(performance.now() - start).toBeLessThan(15_000); // the deadline of each of three starts: 30 s
  });
});

async function misbehaves(bench: Bench, operation: string, status: string, reason: RegExp): Promise<void> {
  const outcome = await bench.measure(request(operation));
  expect(outcome).toMatchObject({
    operation,
    status,
    epoch: 7,
    variant: "only/second=2,first=1",
    isDefault: true,
  });
  expect(outcome.reason).toMatch(reason);
  expect(outcome.planHash).toMatch(/^[0-9a-f]{16}$/);
  expect(outcome.work.items).toBe(256);
  expect((await bench.measure(request("double-well"))).status).toBe("ok");
}
