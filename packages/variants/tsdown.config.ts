import { defineConfig } from "tsdown";

export default defineConfig({
  entry: { index: "src/index.ts", interpreter: "src/interpreter/index.ts", spirv: "src/spirv/index.ts" },
  dts: true,
  sourcemap: true,
  fixedExtension: false,
});
