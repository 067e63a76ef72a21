import { defineConfig } from "tsdown";

/** Workspace packages are bundled, so that the published package stands alone. */
export default defineConfig({
  entry: ["src/index.ts", "src/core.ts", "src/matched-filter.ts"],
  platform: "neutral",
  dts: true,
  sourcemap: true,
  fixedExtension: false,
  deps: { alwaysBundle: [/^@tunelab\//] },
  inputOptions: { resolve: { conditionNames: ["@tunelab/source", "import", "default"] } },
});
