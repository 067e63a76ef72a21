import { defineConfig } from "tsdown";

export default defineConfig({
  entry: { index: "src/index.ts", timing: "src/timing.ts", simulate: "src/simulate/index.ts" },
  dts: true,
  fixedExtension: false,
  sourcemap: true,
});
