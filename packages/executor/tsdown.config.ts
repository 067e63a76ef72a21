import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/trip.ts"],
  dts: true,
  sourcemap: true,
  fixedExtension: false,
});
