import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/timing.ts"],
  dts: true,
  fixedExtension: false,
  sourcemap: true,
});
