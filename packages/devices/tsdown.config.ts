import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/host.ts", "src/protocol.ts"],
  dts: true,
  sourcemap: true,
  fixedExtension: false,
});
