/**
 * What a child that dumps a text's SPIR-V runs, as text for `node -e`, as the probe does: the same from a checkout, a package and a
 * packed file. It gets one order over the process channel and compiles it; Dawn writes the dump to standard output before the driver
 * sees the module, and the parent ends the process there: a software GPU's own compiler would take seconds more.
 */
export const SPIRV_SCRIPT = `
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", async ({ dawn, flags, features, wgsl, entryPoint }) => {
  const tell = (message) => new Promise((sent) => process.send(message, sent));
  try {
    const binding = require(dawn);
    Object.assign(globalThis, binding.globals);
    const gpu = globalThis.kept = binding.create(flags);
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) return tell({ kind: "environment", reason: "there is no adapter" });
    const requiredFeatures = features.filter((name) => adapter.features.has(name));
    const requiredLimits = {};
    for (const key in adapter.limits) requiredLimits[key] = adapter.limits[key];
    const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
    const module = device.createShaderModule({ code: wgsl });
    const { messages } = await module.getCompilationInfo();
    const wrong = messages.find(({ type }) => type === "error");
    if (wrong) return tell({ kind: "validation", reason: wrong.lineNum + ":" + wrong.linePos + " " + wrong.message });
    await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint } });
    await tell({ kind: "compiled" });
  } catch (error) {
    await tell({ kind: "validation", reason: String(error.message ?? error) });
  }
});
`;
