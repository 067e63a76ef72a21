/**
 * What a probing child runs, as text for `node -e`: it must start the same way from a checkout, a package and a single
 * packed file, before anything of ours is loaded, because loading dawn.node is the first thing that may fail. It lists
 * the adapters, then opens each and times empty passes, telling the parent every step: when the process dies, the
 * last step told is the guilty one. What it all means is for the parent to
 * say (identity.ts, the harness's judgeClock).
 */
export const PROBE_SCRIPT = `
const { dawn, backend, skip, submissions, passes } = JSON.parse(process.env.TUNELAB_PROBE);
const tell = (message) => new Promise((sent) => process.send(message, sent));
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
const kept = globalThis.kept = [];
const main = async () => {
  await tell({ kind: "loading" });
  let binding;
  try {
    binding = require(dawn);
  } catch (error) {
    return tell({ kind: "unloadable", reason: error.message });
  }
  Object.assign(globalThis, binding.globals);
  const ask = (name) => {
    const gpu = binding.create(["backend=" + backend, "adapter=" + name, "disable-dawn-features=timestamp_quantization"]);
    kept.push(gpu);
    return gpu.requestAdapter({ powerPreference: "high-performance" });
  };
  await tell({ kind: "listing" });
  // No adapter has this name: the refusal lists those there are.
  const refusal = await ask("\\u0000none").then(() => "", (error) => String(error.message ?? error));
  const names = [...refusal.matchAll(/backend: '(.*)', name: '(.*)'/g)].filter((row) => row[1] === backend).map((row) => row[2]);
  await tell({ kind: "listed", names });
  for (const name of new Set(names)) {
    if (skip.includes(name)) continue;
    await tell({ kind: "opening", name });
    try {
      const adapter = await ask(name);
      const info = {}, limits = {};
      for (const key in adapter.info) if (typeof adapter.info[key] !== "object") info[key] = adapter.info[key];
      for (const key in adapter.limits) limits[key] = adapter.limits[key];
      const report = { name, backend, info, limits, features: [...adapter.features] };
      const timed = adapter.features.has("timestamp-query");
      const device = await adapter.requestDevice({ requiredFeatures: timed ? ["timestamp-query"] : [] });
      await tell({ kind: "adapter", report, readings: timed ? await readings(device) : [] });
    } catch (error) {
      await tell({ kind: "failed", name, reason: String(error.message ?? error) });
    }
  }
};
const readings = async (device) => {
  const count = 2 * passes, bytes = 8 * count;
  const querySet = device.createQuerySet({ type: "timestamp", count });
  const resolved = device.createBuffer({ size: bytes, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const mapped = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const taken = [];
  for (let index = 0; index < submissions; index++) {
    const encoder = device.createCommandEncoder();
    for (let pass = 0; pass < passes; pass++) {
      encoder.beginComputePass({
        timestampWrites: { querySet, beginningOfPassWriteIndex: 2 * pass, endOfPassWriteIndex: 2 * pass + 1 },
      }).end();
    }
    encoder.resolveQuerySet(querySet, 0, count, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, mapped, 0, bytes);
    const submittedMs = performance.now();
    device.queue.submit([encoder.finish()]);
    await mapped.mapAsync(GPUMapMode.READ);
    const doneMs = performance.now();
    const raw = [...new BigUint64Array(mapped.getMappedRange())];
    mapped.unmap();
    const pairs = Array.from({ length: passes }, (_, pass) => ({ begin: raw[2 * pass], end: raw[2 * pass + 1] }));
    taken.push({ submittedMs, doneMs, passes: pairs });
    await new Promise((awake) => setTimeout(awake, 2 + (index % 3)));
  }
  return taken;
};
main().then(() => tell({ kind: "done" }));
`;
